/** Reads what a provider sent, of which nothing is certain: what has not the expected type is as if it were not there. */

export type Fields = Readonly<Record<string, unknown>>

export function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** PostgreSQL keeps no NUL, and no text has half of a surrogate pair: both become U+FFFD, and the rest stays. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : undefined
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** An id that the provider writes as a number. */
export function asId(value: unknown): string | undefined {
  return Number.isSafeInteger(value) ? String(value) : undefined
}

const mostAheadMs = 5 * 60_000

/** A time of the provider; one that is none, or lies ahead of ours by more than clocks differ, is the time of receipt. */
export function timeOf(seconds: unknown, receivedAt: number): number {
  const ms = (asNumber(seconds) ?? 0) * 1_000
  return ms > 0 && ms <= receivedAt + mostAheadMs ? ms : receivedAt
}

/** The first characters of a text, none of them cut in half. */
export function shorten(text: string, units: number): string {
  return text.length <= units ? text : text.slice(0, units).replace(/[\ud800-\udbff]$/, '')
}
