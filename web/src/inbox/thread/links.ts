/** A part of a text: words, or an address that may be opened. */
export type TextPart = { text: string; href?: string }

/**
 * Finds http and https addresses in a text from outside. All else stays words: other schemes, and addresses that look as
 * if they led elsewhere. These have a user name (`https://bank.example@evil.example`), characters that turn the direction
 * of text, or letters in the name of the host that may be twins of others: a Cyrillic а, a slash that is none.
 */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const match of text.matchAll(/\bhttps?:\/\/[^\s<>"'`{}|\\^]+/giu)) {
    const found = withoutTail(match[0])
    const href = hrefOf(found)
    if (href === undefined) continue
    if (match.index > end) parts.push({ text: text.slice(end, match.index) })
    parts.push({ text: found, href })
    end = match.index + found.length
  }
  if (end < text.length || parts.length === 0) parts.push({ text: text.slice(end) })
  return parts
}

/** Returns an address without what ends the sentence around it: a full stop, a bracket that was opened before it. */
function withoutTail(found: string): string {
  const shorter = found.replace(/[.,;:!?…'"*_~»”’]+$/u, '')
  const close = shorter.at(-1)
  const open = close === undefined ? undefined : { ')': '(', ']': '[' }[close]
  if (open && count(shorter, open) < count(shorter, close ?? '')) return withoutTail(shorter.slice(0, -1))
  return shorter
}

function count(text: string, part: string): number {
  return text.split(part).length - 1
}

/** Controls of direction, and characters without width. */
const deceptive = /[\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/u

/** The host in other letters than those of ASCII. Its address in ASCII, `https://xn--…`, is a link. */
const twins = /^https?:\/\/[^/?#]*[^\x20-\x7e/?#]/i

function hrefOf(found: string): string | undefined {
  if (deceptive.test(found) || twins.test(found)) return undefined
  const url = URL.parse(found)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined
  return url.href
}
