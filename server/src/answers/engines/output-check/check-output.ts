/**
 * The check of a model's output: decides which of its words may be sent to the contact. It assumes that the model may
 * have been manipulated.
 */

import type { RankedEntry } from '../../knowledge/search/ranking.ts'
import { cutAtSentence, withoutInvisible, withoutMarkup } from '../common/clean-text.ts'
import { type Answer, EngineError, type TurnInput } from '../common/engine.ts'
import { fillIn } from '../common/fill-in.ts'
import { hasLinks, linksOf, maskLinks, removeLinks } from './links.ts'
import { hasNumbers, numbersOf, removeNumbers } from './numbers.ts'
import type { ModelOutput } from './read-output.ts'

/** The parts of the prompt that an answer is checked against. */
export type PromptParts = {
  /** The entries in the prompt, by their short id there. */
  entries: Map<string, RankedEntry>
  /** Our own rules, the first part of the instructions. */
  systemPrompt: string
}

/** What may be sent, and how many addresses and numbers were removed from it. */
export type CheckedAnswer = Pick<Answer, 'kind' | 'text' | 'reason' | 'sources'> & { removedLinks: number }

const mostCharacters = 1_500
/** Bounds the work when a model ignores its token limit. */
const mostCharactersRead = 4 * mostCharacters

/**
 * Whatever the model wrote, the result is one text to this contact that has no address the business did not write and
 * does not repeat our rules; or a handover; or no reply. In a strict campaign the text also has no phone number or bank
 * account that neither the business nor the conversation has.
 */
export function checkOutput(output: ModelOutput, input: TurnInput, shown: PromptParts): CheckedAnswer {
  if (output.action === 'handover') return verdict('handover', 'the model hands over')
  if (output.action === 'none') return verdict('silent', 'the model sees nothing to answer')
  if (output.reply.trim() === '') throw new EngineError('The model gave an empty answer.', { isFinal: false })

  const used = usedEntries(output, shown)
  const asks = output.action === 'clarify' && /[?？؟;՞]/.test(output.reply)
  if (input.settings.strict && !asks && used.length === 0) return fallBack(input, 'no entry answers this')

  const { text, removed } = cleanReply(output.reply, input, shown)
  const refused = refusalOf(text, input, shown)
  if (refused) return { ...refused, removedLinks: removed }
  const kind = used.some(({ handsOver }) => handsOver) ? 'handover' : 'answer'
  const reason = asks ? 'clarify' : kind === 'handover' ? 'after this entry a person takes over' : 'the model answers'
  const sources = used.map(({ entryId, score }) => ({ entryId, score }))
  return { kind, text, reason, sources, removedLinks: removed }
}

/** The fallback text of the campaign. */
export function fallBack(input: TurnInput, reason: string): CheckedAnswer {
  const { fallbackText } = input.settings
  return { ...verdict('fallback', reason), text: fallbackText === null ? null : fillIn(fallbackText, input) }
}

function verdict(kind: Answer['kind'], reason: string): CheckedAnswer {
  return { kind, text: null, reason, sources: [], removedLinks: 0 }
}

function usedEntries({ entries }: ModelOutput, shown: PromptParts): RankedEntry[] {
  const named = new Set(entries.map((id) => `k${/^\W*k?(\d+)\W*$/.exec(id)?.[1]}`))
  return [...shown.entries].filter(([id]) => named.has(id)).map(([, entry]) => entry)
}

function cleanReply(reply: string, input: TurnInput, shown: PromptParts): { text: string; removed: number } {
  const filled = withoutMarkup(withoutInvisible(fillIn(reply.slice(0, mostCharactersRead), input)))
  const words = filled.replace(/\s?\[k\d+(?:\W{1,3}k\d+)*\]/g, '')
  // Cut first: cutting later could turn a known address into another one.
  const cut = cutAtSentence(words.trim(), mostCharacters)
  // Most replies have neither: a hundred entries are then not searched for them.
  if (!hasLinks(cut) && (!input.settings.strict || !hasNumbers(cut))) return { text: cut.trim(), removed: 0 }
  const businessTexts = [...textsOf(shown.entries), input.settings.instructions].map(withoutInvisible)
  const known = linksOf(businessTexts)
  let { text, removed } = removeLinks(cut, known)
  if (!input.settings.strict) return { text: text.trim(), removed }
  // The contact's own numbers may be repeated to them, and our earlier replies were checked before they were sent.
  const knownNumbers = numbersOf([...businessTexts, input.text, ...input.history.map((message) => message.text)])
  // Removing one kind may reveal the other: a removed number leaves a space before the text that followed it.
  for (let round = 0; round < mostRounds; round += 1) {
    const numbers = removeNumbers(text, knownNumbers)
    if (numbers.removed === 0) return { text: text.trim(), removed }
    const links = removeLinks(numbers.text, known)
    text = links.text
    removed += numbers.removed + links.removed
  }
  return { text: '', removed }
}

const mostRounds = 5

function textsOf(entries: PromptParts['entries']): string[] {
  return [...entries.values()].flatMap(({ question, answer }) => [question, answer])
}

function refusalOf(text: string, input: TurnInput, { systemPrompt, entries }: PromptParts): CheckedAnswer | undefined {
  if (!/[\p{L}\p{N}\p{S}]/u.test(text)) return fallBack(input, 'nothing is left of the answer')
  if (repeatsInstructions(text, [systemPrompt, input.settings.instructions], textsOf(entries))) {
    return fallBack(input, 'the answer repeats the instructions')
  }
  const before = input.history.filter(({ by, kind }) => by === 'bot' && kind === 'text').slice(-2)
  if (before.some((message) => isSame(message.text, text))) return verdict('handover', 'the same answer again')
  return undefined
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim())
  return first === second
}

const characters = 40
/** Texts are compared without spaces and signs, so that neither can hide a repetition. */
const lettersAndDigits = 32

/**
 * Whether a text has 40 consecutive characters of the instructions. Public texts of the business may be repeated, and
 * addresses are masked: `removeLinks` handles them.
 */
function repeatsInstructions(text: string, instructions: string[], publicTexts: string[]): boolean {
  return (
    sharesNgram(text, { instructions, publicTexts, normalize: inOneLine, length: characters }) ||
    sharesNgram(text, { instructions, publicTexts, normalize: withoutSigns, length: lettersAndDigits })
  )
}

type Comparison = { instructions: string[]; publicTexts: string[]; normalize: (text: string) => string; length: number }

function sharesNgram(text: string, { instructions, publicTexts, normalize, length }: Comparison): boolean {
  const forbidden = new Set(instructions.flatMap((instruction) => ngramsOf(normalize(instruction), length)))
  const shared = ngramsOf(normalize(text), length).filter((ngram) => forbidden.has(ngram))
  if (shared.length === 0) return false // as nearly always: the public texts, all entries of a prompt, are not read
  const known = publicTexts.map(normalize)
  return shared.some((ngram) => !known.some((publicText) => publicText.includes(ngram)))
}

function ngramsOf(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length))
}

function inOneLine(text: string): string {
  return maskLinks(text).normalize('NFKC').toLowerCase().replace(/\s+/g, ' ')
}

function withoutSigns(text: string): string {
  return inOneLine(text).replace(/[^\p{L}\p{N}\0]/gu, '')
}
