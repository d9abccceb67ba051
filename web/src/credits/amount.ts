/** Credits are kept in units of a ten-thousandth, and never rounded. */
const decimals = 4

/** What was typed, in units; undefined when it is no amount of credits. */
export function unitsOf(text: string): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,12})(?:\.(\d{1,4}))?$/.exec(text.trim().replaceAll(',', '')) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** An amount from the server: it has at most 15 digits, which a number holds exactly. */
export function unitsOfNumber(credits: number): bigint {
  const units = unitsOf(Math.abs(credits).toFixed(decimals)) ?? 0n
  return credits < 0 ? -units : units
}

/** Returns what was typed as the server reads it. */
export function plainText(text: string): string {
  return text.trim().replaceAll(',', '')
}

const format = new Intl.NumberFormat('en', { maximumFractionDigits: decimals })

export function formatCredits(credits: number): string {
  return format.format(credits).replace('-', '−')
}

export function formatUnits(units: bigint): string {
  const text = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = format.format(BigInt(text.slice(0, -decimals)))
  const fraction = text.slice(-decimals).replace(/0+$/, '')
  return `${units < 0n ? '−' : ''}${whole}${fraction && `.${fraction}`}`
}

/** Formats an amount with its sign, as a change is shown. */
export function formatChange(credits: number): string {
  return credits > 0 ? `+${formatCredits(credits)}` : formatCredits(credits)
}
