/**
 * Estimates the tokens of a text, rather too high: a quarter for each ASCII character, half for other alphabets, one
 * for all other scripts and signs.
 */
export function tokensOf(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at += 1) quarters += quartersOf(text.charCodeAt(at))
  return Math.ceil(quarters / 4)
}

/** Cuts a text to so many tokens. */
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
