import type { ModelMessage } from 'ai'
import type { RankedEntry } from '../../knowledge/search/ranking.ts'
import { withoutInvisible } from '../common/clean-text.ts'
import type { HistoryMessage, TurnInput } from '../common/engine.ts'
import { fillIn } from '../common/fill-in.ts'
import type { Shown } from '../output-check/check-output.ts'
import { systemPromptFor } from './system-prompt.ts'
import { cutToTokens, tokensOf } from './tokens.ts'

/** All that the model gets, and what its output is checked against. */
export type Prompt = Shown & {
  instructions: string
  messages: ModelMessage[]
  /** Our estimate for the whole prompt. */
  tokens: number
}

/** A local server keeps about 4,000 tokens by default, 400 for the answer, and silently cuts the rest, rules first. */
const mostTokens = 3_000
/** Reserved for the conversation, however long the instructions are: those are never cut. */
const leastTokensForConversation = 1_200
const leastScore = 0.3
const mostEntries = 5
const mostEntryCharacters = 4_000
const mostMessageCharacters = 4_000
/** Bounds the work on any text before the limits above apply. */
const mostCharactersRead = 20_000
/** The tokens that a message takes for its role and delimiters. */
const tokensPerMessage = 8

/**
 * Builds the prompt within its token budget, by priority: the rules, the message, the entries (best first), the history
 * (newest first). What no longer fits is left out.
 */
export function buildPrompt(input: TurnInput, ranked: RankedEntry[], now: Date): Prompt {
  const systemPrompt = systemPromptFor(input.settings)
  const instructions = [systemPrompt, input.settings.instructions.trim(), `It is ${timeOf(now)}.`]
    .filter(Boolean)
    .join('\n\n')
  const used = tokensOf(instructions) + tokensPerMessage
  let left = Math.max(mostTokens - used, leastTokensForConversation)
  const take = (tokens: number) => {
    left -= tokens
  }

  const message = cutMessage(asData(input.text), (left - blockTokens) / 2)
  take(tokensOf(message) + blockTokens)
  const known = chooseEntries(input, ranked, left)
  take(tokensOf(known.block))
  const history = chooseHistory(input, left)
  take(history.reduce(addTokens, 0))

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
 * Escapes untrusted text, so that it cannot end its block or imitate a role: the first character of anything that looks
 * like a tag, or like a control token of a model's chat format (which a local server may parse inside a message), is
 * replaced.
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

/** Without the first name: it is untrusted, and must not appear in text that the model takes for the business's. */
function fillBusinessName(text: string, { settings }: TurnInput): string {
  return fillIn(text, { firstName: null, settings })
}

type Turn = { role: 'user' | 'assistant'; content: string }

function chooseHistory({ history, settings }: TurnInput, tokens: number): Turn[] {
  const chosen: Turn[] = []
  let characters = 0
  let used = tokensPerMessage + tokensOf(opening)
  for (const message of history.toReversed()) {
    const turn = turnOf(message)
    if (turn.content === '') continue
    characters += turn.content.length
    used += tokensOf(turn.content) + tokensPerMessage
    if (characters > settings.historyMaxChars || used > tokens) break
    chosen.unshift(turn)
  }
  // Some providers refuse a conversation that does not begin with the customer.
  return chosen[0]?.role === 'assistant' ? [{ role: 'user', content: opening }, ...chosen] : chosen
}

const opening = '(The business wrote first.)'

function turnOf({ by, kind, text }: HistoryMessage): Turn {
  const data = asData(text)
  const role = by === 'contact' ? 'user' : 'assistant'
  if (kind === 'reaction') return { role, content: `(Note: reaction ${data})` }
  return { role, content: by === 'person' ? `(A colleague wrote:) ${data}` : data }
}

/** Several models accept only alternating roles. */
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
  return sum + tokensOf(content) + tokensPerMessage
}
