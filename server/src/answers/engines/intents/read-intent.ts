/**
 * Intents that are recognized from phrases and patterns alone, before any engine is called: opt-out, request for a
 * person, greeting, thanks.
 */
import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { plainText } from '../../../platform/text/plain-text.ts'
import { consentWord, hasNoConsentWord } from './consent-words.ts'
import { personPatterns, stopPatterns } from './intent-patterns.ts'
import * as phrases from './intent-phrases.ts'

/** No intent needs more of a text, and this bounds the time of the patterns. */
export const mostIntentCharacters = 2_000

export type Intent = 'person' | 'stop' | 'greeting' | 'thanks'

/** Reads `greeting` and `thanks` only when the text has nothing else. Undefined: the engines have to read the text. */
export function readIntent(
  text: string,
  settings: Pick<CampaignSettings, 'personPhrases' | 'stopPhrases'>,
): Intent | undefined {
  const plain = correctMisspellings(plainText(text.slice(0, mostIntentCharacters)))
  if (plain === '') return isFriendlyEmoji(text) ? 'thanks' : undefined
  if (isStop(plain, settings.stopPhrases)) return 'stop'
  if (isForPerson(plain, settings.personPhrases)) return 'person'
  if (consistsOf(plain, greetings)) return 'greeting'
  return consistsOf(plain, thanks) ? 'thanks' : undefined
}

/** Whether a text opts out of messages, or back in. */
export function readConsent(text: string, stopPhrases: string[]): 'stop' | 'start' | undefined {
  const start = text.slice(0, mostIntentCharacters)
  if (stopPhrases.length === 0 && hasNoConsentWord(start)) return undefined
  const plain = correctMisspellings(plainText(start))
  if (plain === '') return undefined
  if (isStop(plain, stopPhrases)) return 'stop'
  return consistsOf(plain, starts) ? 'start' : undefined
}

/**
 * Compiles the patterns before the first message needs them. V8 compiles a pattern at its first and again at its second
 * use: 50 to 100 ms, which a server spends soon after its start, and a command that reads no messages does not.
 */
export function compilePatterns(): void {
  const patterns = [stopPattern, personPattern, consentWord]
  for (const pattern of [...patterns, ...patterns]) pattern.test('what do you mean')
}

/** Removes a greeting before the question: it would lower the score of the entry that answers it. */
export function withoutGreeting(text: string): string {
  const words = text.trim().split(/\s+/)
  for (let length = Math.min(mostGreeted, words.length - 1); length > 0; length--) {
    const lead = words.slice(0, length).join(' ')
    if (consistsOf(plainText(lead), greetings)) return words.slice(length).join(' ')
  }
  return text
}

const mostGreeted = 6

function correctMisspellings(plain: string): string {
  return plain.replace(/\S+/g, (word) => phrases.misspelt.get(word) ?? word)
}

function isStop(plain: string, more: string[]): boolean {
  return consistsOf(plain, stops) || more.map(plainText).includes(plain) || stopPattern.test(plain)
}

function isForPerson(plain: string, more: string[]): boolean {
  if (consistsOf(plain, people) || personPattern.test(plain)) return true
  return more.map(plainText).some((phrase) => phrase !== '' && ` ${plain} `.includes(` ${phrase} `))
}

/** A text of emoji alone counts as thanks, unless one of them is unhappy or a question. */
function isFriendlyEmoji(text: string): boolean {
  return /\p{Extended_Pictographic}/u.test(text) && !/[😠😡🤬😤😞😢😭😩😫💔👎🖕😕🙁☹😒😑🤔❓❔]/u.test(text)
}

/** At least one of `required`, and any of `optional` around it. */
type Phrases = Readonly<{ required: Set<string>; optional: Set<string>; mostWords: number }>

const stops = phrasesOf(phrases.stopPhrases, phrases.politeness)
const starts = phrasesOf(phrases.startPhrases, phrases.politeness)
const people = phrasesOf(phrases.personPhrases, [...phrases.politeness, ...phrases.asking])
const greetings = phrasesOf(phrases.greetings, phrases.politeness)
const thanks = phrasesOf(phrases.thanks, [...phrases.politeness, ...phrases.greetings])
const stopPattern = anyOf(stopPatterns)
const personPattern = anyOf(personPatterns)

function phrasesOf(required: string[], optional: string[]): Phrases {
  const all = [...required, ...optional].map(plainText)
  const mostWords = Math.max(...all.map((phrase) => phrase.split(' ').length))
  return { required: new Set(required.map(plainText)), optional: new Set(optional.map(plainText)), mostWords }
}

/** Whether a text consists of these phrases alone and has at least one that is required. */
function consistsOf(plain: string, { required, optional, mostWords }: Phrases): boolean {
  const left = plain.split(' ')
  let hasRequired = false
  while (left.length > 0) {
    const length = longestMatch(left, mostWords, (phrase) => required.has(phrase) || optional.has(phrase))
    if (length === 0) return false
    hasRequired ||= required.has(left.slice(0, length).join(' '))
    left.splice(0, length)
  }
  return hasRequired
}

function longestMatch(words: string[], mostWords: number, isPhrase: (phrase: string) => boolean): number {
  for (let length = Math.min(mostWords, words.length); length > 0; length--) {
    if (isPhrase(words.slice(0, length).join(' '))) return length
  }
  return 0
}

function anyOf(patterns: string[]): RegExp {
  const sources = patterns.map((pattern) => pattern.replace(/\((?!\?)/g, '(?:').replaceAll(' * ', ' (?:\\S+ ){0,3}'))
  return new RegExp(`(?:^| )(?:${sources.join('|')})(?= |$)`)
}
