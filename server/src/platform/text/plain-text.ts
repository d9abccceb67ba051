/** A text normalized for comparison: lower case, without accents and punctuation, with single spaces. */
export function plainText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replace(/['’`](?=(?:t|s|re|ve|ll|m|d)\b)/g, '') // so that "don't" equals "dont", and "l'agent" is two words
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
