/**
 * How many tokens a text will be, roughly and rather too many: a quarter for each letter of ASCII, half for other
 * alphabets, one for scripts and signs beyond them.
 */
export function tokensOf(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at += 1) quarters += quartersOf(text.charCodeAt(at))
  return Math.ceil(quarters / 4)
}

/** The beginning of a text, in so many tokens. */
export function cutToTokens(text: string, tokens: number): string {
  let quarters = 0
  for (let at = 0; at < text.length; at += 1) {
    quarters += quartersOf(text.charCodeAt(at))
    if (quarters > tokens * 4) return text.slice(0, at).replace(/[\ud800-\udbff]$/, '')
  }
  return text
}

function quartersOf(code: number): number {
  if (code < 0x80) return 1
  return code < 0x0e00 ? 2 : 4
}
