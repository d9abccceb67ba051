/** Typographic signs that word processors and phones put in by themselves, and what people type for them. */
const plainOf: Record<string, string> = {
  ...Object.fromEntries([...'‘’‚‛′´`'].map((sign) => [sign, "'"])),
  ...Object.fromEntries([...'“”„‟″«»'].map((sign) => [sign, '"'])),
  ...Object.fromEntries([...'‹›'].map((sign) => [sign, "'"])),
  ...Object.fromEntries([...'‐‑‒–—―−'].map((sign) => [sign, '-'])),
  ...Object.fromEntries([...'\u00a0\u2002\u2003\u2007\u2009\u200a\u202f\t'].map((space) => [space, ' '])),
  ...Object.fromEntries([...'\u00ad\u200b\u2060\ufeff'].map((unseen) => [unseen, ''])),
  '…': '...',
  '•': '-',
}

/** The text with plain signs for typographic ones. Letters and emoji stay: there is no other way to write them. */
export function makePlain(text: string): string {
  return [...text].map((character) => plainOf[character] ?? character).join('')
}
