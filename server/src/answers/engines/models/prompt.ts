import type { ModelMessage } from 'ai'
import type { RankedEntry } from '../../knowledge/search/ranking.ts'
import type { Retrieval } from '../../knowledge/search/retrieval.ts'
import { withoutInvisible } from '../common/clean-text.ts'
import { type HistoryMessage, mostCharactersRead, type TurnInput } from '../common/engine.ts'
import { fillIn } from '../common/fill-in.ts'
import type { PromptParts } from '../output-check/check-output.ts'
import { systemPromptFor } from './system-prompt.ts'

/** All that the model gets, and what its output is checked against. */
export type Prompt = PromptParts & {
  instructions: string
  messages: ModelMessage[]
  /** Our estimate for the whole prompt. */
  tokens: number
}

/** Tokens reserved for entries and conversation, however long the instructions are: those are never cut. */
const leastTokensForConversation = 1_200
/**
 * The share of the last messages before any entry is chosen: "and on Sundays?" says nothing without them. Older ones get
 * what the entries leave.
 */
const shareOfLastMessages = 0.25
const mostTokensOfLastMessages = 2_000
const mostMessageCharacters = 4_000
/** The tokens that a message takes for its role and delimiters. */
const tokensPerMessage = 8

/** `tokens`: a local server that keeps fewer silently cuts the rest, rules first. */
type Limits = { tokens: number; now: Date }

/**
 * Builds the prompt within its token budget, by priority: the rules, the message, the last messages before it, the
 * entries (best first), the older history (newest first). What no longer fits is left out.
 */
export function buildPrompt(input: TurnInput, ranked: RankedEntry[], { tokens, now }: Limits): Prompt {
  const systemPrompt = systemPromptFor(input.settings)
  const instructions = [systemPrompt, input.settings.instructions.trim(), `It is ${timeOf(now)}.`]
    .filter(Boolean)
    .join('\n\n')
  const used = tokensOf(instructions) + tokensPerMessage
  const forConversation = Math.max(tokens - used, leastTokensForConversation)

  const message = cutMessage(asData(input.text), (forConversation - blockTokens) / 2)
  const left = forConversation - tokensOf(message) - blockTokens
  const forLast = Math.min(Math.floor(left * shareOfLastMessages), mostTokensOfLastMessages)
  const last = chooseHistory(input, forLast).reduce(addTokens, 0)
  const known = chooseEntries(input, ranked, left - last)
  const history = chooseHistory(input, left - tokensOf(known.block))

  const question = `<reference>\n${known.block}\n</reference>\n\n<message>\n${message}\n</message>`
  const messages = mergeTurns([...history, { role: 'user', content: question }])
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
  return cut.length < text.length ? markCut(cut) : cut
}

function markCut(text: string): string {
  return `${text.replace(/[\ud800-\udbff]$/, '').trimEnd()}${cutOff}`
}

const cutOff = ' [the rest was cut off]'

function chooseEntries(input: TurnInput, ranked: RankedEntry[], tokens: number) {
  const entries = new Map<string, RankedEntry>()
  const texts: string[] = []
  let left = tokens
  for (const entry of ranked) {
    if (entries.size > 0 && entry.answer.length / 4 > left) continue // without the work of cleaning it
    const id = `k${entries.size + 1}`
    const question = asData(fillBusinessName(entry.question, input)).slice(0, 200)
    const text = `[${id}] Question: ${question}\nAnswer: ${asData(fillBusinessName(entry.answer, input))}`
    const needed = tokensOf(text) + 1 // and the empty line after it
    if (needed > left && entries.size > 0) continue // a shorter one may still fit
    entries.set(id, entry)
    texts.push(needed > left ? cutToTokens(text, left) : text)
    left -= needed
  }
  return { entries, block: texts.length === 0 ? '(no entry)' : texts.join('\n\n') }
}

/** Fills in no first name: it is untrusted, and must not appear in text that the model takes for the business's. */
function fillBusinessName(text: string, { settings }: TurnInput): string {
  return fillIn(text, { firstName: null, settings })
}

type Turn = { role: 'user' | 'assistant'; content: string }

function chooseHistory({ history, settings }: TurnInput, tokens: number): Turn[] {
  const chosen: Turn[] = []
  let characters = settings.historyMaxChars
  let left = tokens - tokensPerMessage - tokensOf(opening)
  for (const message of history.toReversed()) {
    const turn = turnOf(message)
    if (turn.content === '') continue
    left -= tokensPerMessage
    const content = cutToTokens(turn.content.slice(0, characters), left)
    const isCut = content.length < turn.content.length
    // The last question and the answer to it are worth their beginnings.
    if (isCut && (chosen.length >= 2 || content.length < leastCharactersOfPart)) break
    chosen.unshift({ ...turn, content: isCut ? markCut(content.slice(0, -cutOff.length)) : content })
    characters -= content.length
    left -= tokensOf(content)
  }
  // Some providers refuse a conversation that does not begin with the customer.
  return chosen[0]?.role === 'assistant' ? [{ role: 'user', content: opening }, ...chosen] : chosen
}

const leastCharactersOfPart = 80
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

/**
 * Estimates the tokens of a text, rather too high: a quarter for each ASCII character, half for other alphabets, one
 * for all other scripts and signs.
 */
export function tokensOf(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at += 1) quarters += quartersOf(text.charCodeAt(at))
  return Math.ceil(quarters / 4)
}

/** Cuts a text to so many tokens. */
function cutToTokens(text: string, tokens: number): string {
  let quarters = 0
  for (let at = 0; at < text.length; at += 1) {
    quarters += quartersOf(text.charCodeAt(at))
    if (quarters > tokens * 4) return text.slice(0, at).replace(/[\ud800-\udbff]$/, '')
  }
  return text
}

function quartersOf(code: number): number {
  if (code < 0x80) return 1
  return code < 0x0e00 ? 2 : 4
}

/** No token of ours is longer, so that more characters never fit into a prompt. */
const mostCharactersPerToken = 4
/** The shortest entry with its id and its labels. */
const leastTokensPerEntry = 8

/**
 * The entries that a prompt of so many tokens may have room for, best first, however far they are from the question: the
 * model judges that better than a score. A question such as "and on Sundays?" is understood together with the one before
 * it, so an entry counts by the nearer of the two.
 */
export async function entriesForPrompt(retrieval: Retrieval, input: TurnInput, tokens: number): Promise<RankedEntry[]> {
  const { campaign, settings } = input
  const limit = { entries: Math.ceil(tokens / leastTokensPerEntry), characters: tokens * mostCharactersPerToken }
  const rankings = await Promise.all(
    questionsOf(input).map((question) => retrieval.rank(campaign, question, settings.language, limit)),
  )
  const best = new Map<string, RankedEntry>()
  for (const entry of rankings.flatMap(({ entries }) => entries)) {
    const known = best.get(entry.entryId)
    if (!known || known.score < entry.score) best.set(entry.entryId, entry)
  }
  return [...best.values()].sort((one, other) => other.score - one.score)
}

function questionsOf({ text, history }: TurnInput): string[] {
  const before = history.findLast(({ by, kind }) => by === 'contact' && kind === 'text')
  return before ? [text, `${text}\n${before.text}`] : [text]
}
