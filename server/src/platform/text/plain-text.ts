/** A text as it is compared: lower case, accents and punctuation off, white space merged. */
export function plainText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replace(/['’`](?=(?:t|s|re|ve|ll|m|d)\b)/g, '') // so that "don't" and "dont" are one, and "l'agent" is two
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
