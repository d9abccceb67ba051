import type { Word } from './words.ts'

/**
 * Beginnings of words that are in the index. A word of a search is looked up by the longest that it has. Two digits tell
 * more than two letters: there are few numbers in a block, and "invoice 47" need not compare all invoices.
 */
const prefixLengths = [8, 5, 3]
const prefixLengthsOfNumbers = [8, 5, 3, 2]

/** What the index has for these words, as hashes made with the account. */
export function termsOf(accountId: string, words: Iterable<Word>): Set<number> {
  const seed = hash(2_166_136_261, accountId)
  const terms = new Set<number>()
  for (const word of words) {
    if (word.kind !== 'letters') for (const part of partsOf(word)) terms.add(hash(seed, part))
    else for (const length of prefixesOf(word.text)) terms.add(hash(seed, word.text, length))
  }
  return terms
}

/** What a text with this word must have in the index. None: the word is too short to look up, and is only compared. */
export function wantedTerms(accountId: string, word: Word): number[] {
  const seed = hash(2_166_136_261, accountId)
  if (word.kind !== 'letters') return partsOf(word).map((part) => hash(seed, part))
  const [length] = prefixesOf(word.text)
  return length === undefined ? [] : [hash(seed, word.text, length)]
}

function prefixesOf(text: string): number[] {
  const lengths = /^[0-9]{2}/.test(text) ? prefixLengthsOfNumbers : prefixLengths
  return lengths.filter((length) => text.length >= length)
}

/** The term of a contact in whose block there is a message. It is longer than the beginning of any word. */
export function contactTerm(accountId: string, contactId: string): number {
  return hash(hash(2_166_136_261, accountId), contactId)
}

const ideographs = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u

/** Two characters of Chinese and Japanese say as much as three of an alphabet. */
function partsOf({ text, kind }: Word): string[] {
  if (kind === 'picture') return [text]
  const length = ideographs.test(text) ? 2 : 3
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, n) => text.slice(n, n + length))
}

/** FNV-1a of the first `length` characters, then mixed: neighbouring words must not have neighbouring hashes. */
function hash(seed: number, text: string, length = text.length): number {
  let h = seed
  for (let n = 0; n < length; n += 1) h = Math.imul(h ^ text.charCodeAt(n), 16_777_619)
  h = Math.imul(h ^ (h >>> 16), 0x45d9f3b)
  return h ^ (h >>> 15)
}
