import { limits } from '@patchbay/contract/limits.ts'
import { Refusal } from '../platform/refusal.ts'

/** So many decimals has a credit at most; a unit is the last of them. */
const decimals = 4

/**
 * Credits in units, exactly: by the digits that the number is written with, never by multiplication, where 1.1 becomes
 * 11000.000000000002. Undefined when there are more decimals, or when it is negative or no number at all.
 */
export function unitsOf(credits: number): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(String(credits)) ?? []
  if (whole === undefined || fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** Units in credits: the nearest number there is, which has the same digits up to 15 of them. */
export function creditsOf(units: bigint): number {
  return Number(units) / 10 ** decimals
}

/** The amount of a grant in units. */
export function readAmount(credits: number): bigint {
  const units = unitsOf(credits)
  if (units !== undefined && units > 0n && credits <= limits.grantCredits) return units
  throw new Refusal(
    'INVALID_AMOUNT',
    `amount must be above 0 and at most ${limits.grantCredits}, with at most ${decimals} decimals.`,
  )
}
