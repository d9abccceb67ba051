import type { ModelMessage } from 'ai'
import type { RankedEntry } from '../../knowledge/search/ranking.ts'
import { withoutInvisible } from '../common/clean-text.ts'
import type { Said, TurnInput } from '../common/engine.ts'
import { fillIn } from '../common/fill-in.ts'
import type { Shown } from '../output-check/check-output.ts'
import { systemPromptFor } from './system-prompt.ts'
import { cutToTokens, tokensOf } from './tokens.ts'

/** All that a model is given, and what its answer is checked against. */
export type Prompt = Shown & {
  instructions: string
  messages: ModelMessage[]
  /** Our estimate of all of it. */
  tokens: number
}

/** A default local server keeps about 4,000 tokens and silently cuts the rest, the rules first; 400 are the answer's. */
const mostTokens = 3_000
/** So much is left for the conversation, however long the instructions are: what the owner wrote is never cut. */
const leastTokensForTalk = 1_200
const leastScore = 0.3
const mostEntries = 5
const mostEntryCharacters = 4_000
const mostMessageCharacters = 4_000
/** Of any text; the limits above make it less. */
const mostCharactersRead = 20_000
/** Of a message, for its role and its marks. */
const perMessage = 8

/**
 * Puts together what the model reads. What matters most is placed first, and what no longer fits is left out: the rules,
 * the message, the entries (best first), the history (newest first).
 */
export function buildPrompt(input: TurnInput, ranked: RankedEntry[], now: Date): Prompt {
  const systemPrompt = systemPromptFor(input.settings)
  const instructions = [systemPrompt, input.settings.instructions.trim(), `It is ${timeOf(now)}.`]
    .filter(Boolean)
    .join('\n\n')
  const used = tokensOf(instructions) + perMessage
  let left = Math.max(mostTokens - used, leastTokensForTalk)
  const take = (tokens: number) => {
    left -= tokens
  }

  const message = cutMessage(asData(input.text), (left - blockTokens) / 2)
  take(tokensOf(message) + blockTokens)
  const known = chooseEntries(input, ranked, left)
  take(tokensOf(known.block))
  const history = chooseHistory(input, left)
  take(history.reduce((sum, said) => sum + tokensOf(said.content) + perMessage, 0))

  const last = `<reference>\n${known.block}\n</reference>\n\n<message>\n${message}\n</message>`
  const messages = mergeTurns([...history, { role: 'user', content: last }])
  return { instructions, messages, entries: known.entries, systemPrompt, tokens: used + messages.reduce(addTokens, 0) }
}

const blockTokens = 40

function timeOf(now: Date): string {
  const format = { dateStyle: 'full', timeStyle: 'short', timeZone: 'UTC' } as const
  return `${new Intl.DateTimeFormat('en-GB', format).format(now)} UTC`
}

/**
 * Text of others, so that it can end no block and speak in no role: what looks like the start of a tag, or like a mark of
 * a model's own format (a local server may read those inside a message too), loses its first sign.
 */
function asData(text: string): string {
  return withoutInvisible(text.slice(0, mostCharactersRead))
    .replace(/<(?=[\s/]*([\p{L}!|?_]|$))/gu, '‹')
    .replace(/\[(?=[\s/]*(INST|SYS|AVAILABLE_TOOLS|TOOL_)\b)/gi, '(')
    .trim()
}

function cutMessage(text: string, mostTokens: number): string {
  const cut = cutToTokens(text.slice(0, mostMessageCharacters), Math.floor(mostTokens))
  return cut.length < text.length ? `${cut.trimEnd()} [the rest was cut off]` : cut
}

function chooseEntries(input: TurnInput, ranked: RankedEntry[], tokens: number) {
  const entries = new Map<string, RankedEntry>()
  let block = ''
  for (const entry of ranked.filter(({ score }) => score >= leastScore).slice(0, mostEntries)) {
    const id = `k${entries.size + 1}`
    const question = asData(fillBusinessName(entry.question, input)).slice(0, 200)
    const text = `[${id}] Question: ${question}\nAnswer: ${asData(fillBusinessName(entry.answer, input))}`
    const longer = block === '' ? text : `${block}\n\n${text}`
    const fits = longer.length <= mostEntryCharacters && tokensOf(longer) <= tokens
    if (!fits && entries.size > 0) continue // a shorter one may still fit
    entries.set(id, entry)
    block = fits ? longer : cutToTokens(longer.slice(0, mostEntryCharacters), tokens)
  }
  return { entries, block: block === '' ? '(no entry)' : block }
}

/** The first name stays out: it is the contact's own word, and belongs to no text that the model takes for ours. */
function fillBusinessName(text: string, { settings }: TurnInput): string {
  return fillIn(text, { firstName: null, settings })
}

type Turn = { role: 'user' | 'assistant'; content: string }

function chooseHistory({ history, settings }: TurnInput, tokens: number): Turn[] {
  const chosen: Turn[] = []
  let characters = 0
  let used = perMessage + tokensOf(opening)
  for (const said of history.toReversed()) {
    const turn = turnOf(said)
    if (turn.content === '') continue
    characters += turn.content.length
    used += tokensOf(turn.content) + perMessage
    if (characters > settings.historyMaxChars || used > tokens) break
    chosen.unshift(turn)
  }
  // Some providers refuse a conversation that does not begin with the customer.
  return chosen[0]?.role === 'assistant' ? [{ role: 'user', content: opening }, ...chosen] : chosen
}

const opening = '(The business wrote first.)'

function turnOf({ by, kind, text }: Said): Turn {
  const data = asData(text)
  const role = by === 'contact' ? 'user' : 'assistant'
  if (kind === 'reaction') return { role, content: `(Note: reaction ${data})` }
  return { role, content: by === 'person' ? `(A colleague wrote:) ${data}` : data }
}

/** Several models can only read turns that alternate. */
function mergeTurns(turns: Turn[]): Turn[] {
  const merged: Turn[] = []
  for (const turn of turns) {
    const before = merged.at(-1)
    if (before?.role === turn.role) before.content += `\n\n${turn.content}`
    else merged.push({ ...turn })
  }
  return merged
}

function addTokens(sum: number, { content }: Turn): number {
  return sum + tokensOf(content) + perMessage
}
