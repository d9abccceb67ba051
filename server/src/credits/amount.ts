import { limits } from '@patchbay/contract/limits.ts'
import { Refusal } from '../platform/refusal.ts'

/** So many decimals has a credit at most; a unit is the last of them. */
const decimals = 4

/**
 * Credits in units, exactly: by the digits that it is written with, never by multiplication, where 1.1 becomes
 * 11000.000000000002. Undefined when there are more decimals, or when it is negative or no number at all.
 */
export function unitsOf(credits: number | DecimalText): bigint | undefined {
  const [, whole, fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(credits)) ?? []
  if (whole === undefined) return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end -= 1 // not by a pattern, which takes the square of their number
  if (end === 0) return 0n
  const zeros = digits.length - end + decimals - fraction.length + Number(exponent)
  if (zeros < 0 || end + zeros > mostDigits) return undefined
  return BigInt(digits.slice(0, end).padEnd(end + zeros, '0'))
}

/** A number as somebody wrote it down, which may be more exact than any number that we could keep. */
export type DecimalText = string

/** Of a balance in units; the table holds no more. */
const mostDigits = 15

/** Units in credits: the nearest number there is, which has the same digits up to 15 of them. */
export function creditsOf(units: bigint): number {
  return Number(units) / 10 ** decimals
}

const mostUnits = BigInt(limits.grantCredits) * 10n ** BigInt(decimals)

/** The amount of a grant in units. */
export function readAmount(credits: number | DecimalText): bigint {
  const units = unitsOf(credits)
  if (units !== undefined && units > 0n && units <= mostUnits) return units
  throw new Refusal(
    'INVALID_AMOUNT',
    `amount must be above 0 and at most ${limits.grantCredits}, with at most ${decimals} decimals.`,
  )
}
