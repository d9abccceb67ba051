/**
 * Formats a number as it is stored, +447700900342, in groups that an eye can compare: +44 7700 900342. The groups are
 * by length, not by the customs of its country, which would take a table of hundreds of kilobytes.
 */
export function formatPhone(phone: string): string {
  const [, code, rest] = format.exec(phone) ?? []
  if (code === undefined || rest === undefined) return phone
  const groups = code === '1' && rest.length === 10 ? [3, 3, 4] : groupsOf[rest.length]
  if (!groups) return `+${code} ${rest}`
  const ends = groups.map((_, n) => groups.slice(0, n + 1).reduce((sum, length) => sum + length, 0))
  return [`+${code}`, ...ends.map((end, n) => rest.slice(ends[n - 1] ?? 0, end))].join(' ')
}

/** Country calling codes: one digit, the two-digit ones, else three. */
const format = /^\+([17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d{4,})$/

const groupsOf: Partial<Record<number, number[]>> = {
  7: [3, 4],
  8: [4, 4],
  9: [3, 3, 3],
  10: [4, 6],
  11: [3, 4, 4],
  12: [4, 4, 4],
}
