import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { plainText } from '../../platform/text/plain-text.ts'
import { personPatterns, stopPatterns } from './intent-patterns.ts'
import * as phrases from './intent-phrases.ts'

export type Intent = 'person' | 'stop' | 'greeting' | 'thanks'

/**
 * What can be told from the words alone, before any engine is asked: that someone wants no more messages, or a person;
 * or that nothing was said but a greeting or thanks. A text that says more than these is left to the engines.
 */
export function readIntent(
  text: string,
  settings: Pick<CampaignSettings, 'personPhrases' | 'stopPhrases'>,
): Intent | undefined {
  const plain = mend(plainText(text.slice(0, longest)))
  if (plain === '') return isHappy(text) ? 'thanks' : undefined
  if (isStop(plain, settings.stopPhrases)) return 'stop'
  if (isForPerson(plain, settings.personPhrases)) return 'person'
  if (consistsOf(plain, greetings)) return 'greeting'
  return consistsOf(plain, thanks) ? 'thanks' : undefined
}

/** Whether a text says that its writer wants no more messages, or wants them again. */
export function readConsent(text: string, stopPhrases: string[]): 'stop' | 'start' | undefined {
  const plain = mend(plainText(text.slice(0, longest)))
  if (plain === '') return undefined
  if (isStop(plain, stopPhrases)) return 'stop'
  return consistsOf(plain, starts) ? 'start' : undefined
}

/** The text without a greeting that leads to what is asked: it would only make the question less clear. */
export function withoutGreeting(text: string): string {
  const words = text.trim().split(/\s+/)
  for (let length = Math.min(mostGreeted, words.length - 1); length > 0; length--) {
    const lead = words.slice(0, length).join(' ')
    if (consistsOf(plainText(lead), greetings)) return words.slice(length).join(' ')
  }
  return text
}

const mostGreeted = 6

/** A intent stands at no greater length; and patterns are not tried on whole letters. */
const longest = 2_000

function mend(plain: string): string {
  return plain.replace(/\S+/g, (word) => phrases.misspelt.get(word) ?? word)
}

function isStop(plain: string, more: string[]): boolean {
  return consistsOf(plain, stops) || more.map(plainText).includes(plain) || stopPattern.test(plain)
}

function isForPerson(plain: string, more: string[]): boolean {
  if (consistsOf(plain, people) || personPattern.test(plain)) return true
  return more.map(plainText).some((phrase) => phrase !== '' && ` ${plain} `.includes(` ${phrase} `))
}

/** Emoji alone say that all is well, unless they say the opposite. */
function isHappy(text: string): boolean {
  return /\p{Extended_Pictographic}/u.test(text) && !/[😠😡🤬😤😞😢😭😩😫💔👎🖕😕🙁☹😒😑🤔❓❔]/u.test(text)
}

/** What must be said, and what may be said around it. */
type Phrases = Readonly<{ said: Set<string>; around: Set<string>; mostWords: number }>

const stops = phrasesOf(phrases.stopPhrases, phrases.politeness)
const starts = phrasesOf(phrases.startPhrases, phrases.politeness)
const people = phrasesOf(phrases.personPhrases, [...phrases.politeness, ...phrases.asking])
const greetings = phrasesOf(phrases.greetings, phrases.politeness)
const thanks = phrasesOf(phrases.thanks, [...phrases.politeness, ...phrases.greetings])
const stopPattern = anyOf(stopPatterns)
const personPattern = anyOf(personPatterns)
// They are compiled at their first use and again at their second: 50 ms, while there is no message yet that waits.
for (const pattern of [stopPattern, personPattern, stopPattern, personPattern]) pattern.test('what do you mean')

function phrasesOf(said: string[], around: string[]): Phrases {
  const all = [...said, ...around].map(plainText)
  const mostWords = Math.max(...all.map((phrase) => phrase.split(' ').length))
  return { said: new Set(said.map(plainText)), around: new Set(around.map(plainText)), mostWords }
}

/** Whether a text is nothing but such phrases and what may be around them, and at least one of the phrases. */
function consistsOf(plain: string, { said, around, mostWords }: Phrases): boolean {
  const left = plain.split(' ')
  let isSaid = false
  while (left.length > 0) {
    const length = longestMatch(left, mostWords, (phrase) => said.has(phrase) || around.has(phrase))
    if (length === 0) return false
    isSaid ||= said.has(left.slice(0, length).join(' '))
    left.splice(0, length)
  }
  return isSaid
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
