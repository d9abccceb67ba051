import { stopPatterns } from './intent-patterns.ts'
import { misspelt, startPhrases, stopPhrases } from './intent-phrases.ts'

/**
 * Whether a text has none of the words without which it can be neither an opt-out nor an opt-in. It sorts out most texts
 * for a tenth of the time of reading them, and every message in is read for an opt-out, also where the bot is off.
 *
 * In ASCII every word of the normalized text stands in the text itself, but for its case and an apostrophe; of other texts
 * nothing is said.
 */
export function hasNoConsentWord(text: string): boolean {
  return !beyondAscii.test(text) && !consentWord.test(text.replace(/['`]/g, ''))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII
const beyondAscii = /[^\x00-\x7f]/

export const consentWord = anyOf([
  ...wordsOf([...startPhrases, ...stopPhrases]),
  ...stopPatterns.flatMap(wordsOfPattern),
])

/** Takes a word of each phrase, the longest: a text without any of them has none of the phrases. */
function wordsOf(phrases: string[]): string[] {
  return phrases.map((phrase) => phrase.split(' ').reduce((one, other) => (other.length > one.length ? other : one)))
}

/**
 * Takes the words of one part of a pattern, of which a text must have one: the part whose shortest word is the longest. A part
 * that may be missing has an empty word.
 */
function wordsOfPattern(pattern: string): string[] {
  const parts = pattern.match(/\([^)]*\)|[^ ()*]+/g) ?? []
  const choices = parts.map((part) => part.replace(/[()]/g, '').split('|'))
  const shortest = (words: string[]) => Math.min(...words.map(({ length }) => length))
  return choices.map(wordsOf).reduce((one, other) => (shortest(other) > shortest(one) ? other : one))
}

function anyOf(words: string[]): RegExp {
  const errors = misspelt.entries().filter(([, word]) => words.includes(word))
  return new RegExp([...new Set([...words, ...errors.map(([error]) => error)])].join('|'), 'i')
}
