import type { RankedEntry } from '../../knowledge/search/ranking.ts'
import { cutAtSentence, withoutInvisible, withoutMarkup } from '../common/clean-text.ts'
import { type Answer, EngineError, type TurnInput } from '../common/engine.ts'
import { fillIn } from '../common/fill-in.ts'
import { repeatsInstructions } from './leak.ts'
import { linksOf, removeLinks } from './links.ts'
import { numbersOf, removeNumbers } from './numbers.ts'
import type { ModelOutput } from './read-output.ts'

/** What of the prompt an answer is checked against. */
export type Shown = {
  /** The entries that the model was shown, by the short id that it knows them by. */
  entries: Map<string, RankedEntry>
  /** The rules that come before everything else, in our words. */
  systemPrompt: string
}

/** What of a model's output may leave, and how many addresses and numbers had to be taken out of it. */
export type Checked = Pick<Answer, 'kind' | 'text' | 'reason' | 'sources'> & { removedLinks: number }

const mostCharacters = 1_500
/** What is looked at; a model that ignores its limit is not read to the end. */
const mostCharactersRead = 4 * mostCharacters

/**
 * Assumes that the model was talked into anything. Whatever it said, the result is one text to this contact, with no
 * address that the business did not write, without our rules in it; or the intent to hand over; or nothing. A campaign that
 * is strict lets no number to call or to pay to out either that nobody wrote.
 */
export function checkOutput(output: ModelOutput, input: TurnInput, shown: Shown): Checked {
  if (output.action === 'handover') return verdict('handover', 'the model hands over')
  if (output.action === 'none') return verdict('silent', 'the model sees nothing to answer')
  if (output.reply.trim() === '') throw new EngineError('The model gave an empty answer.', { isFinal: false })

  const used = usedEntries(output, shown)
  const asks = output.action === 'clarify' && /[?？؟;՞]/.test(output.reply)
  if (input.settings.strict && !asks && used.length === 0) return fallBack(input, 'no entry answers this')

  const { text, removed } = textThatMayLeave(output.reply, input, shown)
  const refused = refusalOf(text, input, shown)
  if (refused) return { ...refused, removedLinks: removed }
  const kind = used.some(({ handsOver }) => handsOver) ? 'handover' : 'answer'
  const reason = asks ? 'clarify' : kind === 'handover' ? 'after this entry a person takes over' : 'the model answers'
  const sources = used.map(({ entryId, score }) => ({ entryId, score }))
  return { kind, text, reason, sources, removedLinks: removed }
}

/** What is said when there is nothing to say. */
export function fallBack(input: TurnInput, reason: string): Checked {
  const { fallbackText } = input.settings
  return { ...verdict('fallback', reason), text: fallbackText === null ? null : fillIn(fallbackText, input) }
}

function verdict(kind: Answer['kind'], reason: string): Checked {
  return { kind, text: null, reason, sources: [], removedLinks: 0 }
}

function usedEntries({ entries }: ModelOutput, shown: Shown): RankedEntry[] {
  const named = new Set(entries.map((id) => /^\W*(k\d)\W*$/.exec(id)?.[1] ?? ''))
  return [...shown.entries].filter(([id]) => named.has(id)).map(([, entry]) => entry)
}

function textThatMayLeave(reply: string, input: TurnInput, shown: Shown): { text: string; removed: number } {
  const words = withoutMarkup(withoutInvisible(fillIn(reply.slice(0, mostCharactersRead), input))).replace(
    /\s?\[k\d\]/g,
    '',
  )
  const wordsOfTheBusiness = [...textsOf(shown.entries), input.settings.instructions].map(withoutInvisible)
  const known = linksOf(wordsOfTheBusiness)
  // Cut first: what is left of an address that was cut off is another address.
  let { text, removed } = removeLinks(cutAtSentence(words.trim(), mostCharacters), known)
  if (!input.settings.strict) return { text: text.trim(), removed }
  const knownNumbers = numbersOf([...wordsOfTheBusiness, ...saidBefore(input)])
  // Each of the two may uncover one of the other kind: a number taken out leaves a space before what stood behind it.
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

/** What the contact wrote may be repeated to them, and what they were told was checked when it was said. */
function saidBefore({ text, history }: TurnInput): string[] {
  return [text, ...history.map((said) => said.text)]
}

function textsOf(entries: Shown['entries']): string[] {
  return [...entries.values()].flatMap(({ question, answer }) => [question, answer])
}

function refusalOf(text: string, input: TurnInput, { systemPrompt, entries }: Shown): Checked | undefined {
  if (!/[\p{L}\p{N}\p{S}]/u.test(text)) return fallBack(input, 'nothing is left of the answer')
  if (repeatsInstructions(text, [systemPrompt, input.settings.instructions], textsOf(entries))) {
    return fallBack(input, 'the answer repeats the instructions')
  }
  const before = input.history.filter(({ by, kind }) => by === 'bot' && kind === 'text').slice(-2)
  if (before.some((said) => isSame(said.text, text))) return verdict('handover', 'the same answer again')
  return undefined
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim())
  return first === second
}
