import { limits } from '@patchbay/contract/limits.ts'
import { Refusal } from '../../platform/refusal.ts'

/** Amounts are kept in units of 10^-4 credits. */
const decimals = 4

/**
 * Converts credits to units exactly, by their decimal digits and never by multiplication, where 1.1 becomes
 * 11000.000000000002. Undefined: more than four decimals, negative, too large, or not a number.
 */
export function unitsOf(credits: number | DecimalText): bigint | undefined {
  const [, whole, fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(credits)) ?? []
  if (whole === undefined) return undefined
  const digits = (whole + fraction).replace(/^0+/, '')
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end -= 1 // a regular expression would take quadratic time
  if (end === 0) return 0n
  const zeros = digits.length - end + decimals - fraction.length + Number(exponent)
  if (zeros < 0 || end + zeros > mostDigits) return undefined
  return BigInt(digits.slice(0, end).padEnd(end + zeros, '0'))
}

/** A number in its decimal notation, which may have more digits than a JavaScript number can hold. */
export type DecimalText = string

/** The digits of a balance in units; the table's check allows no more. */
const mostDigits = 15

/** Converts units, or their text, to credits: the nearest JavaScript number, which is exact in up to 15 digits. */
export function creditsOf(units: bigint | string): number {
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
