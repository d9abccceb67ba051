import type { HistoryMessage, TurnInput } from '../../../answers/engines/common/engine.ts'
import type { Conversation, SeenMessage } from './context-store.ts'
import type { Campaign } from './route-to-campaign.ts'

/** Characters of the contact's text that an engine gets. */
const mostCharacters = 4_000

type InputParts = { conversation: Conversation; messages: SeenMessage[]; fresh: SeenMessage[] }

/** The input of the campaign's engine: the text to answer, and the history as far back as the campaign allows. */
export function inputOf(
  { id, accountId, settings, knowledgeVersion }: Campaign,
  { conversation, messages, fresh }: InputParts,
): TurnInput {
  return {
    campaign: { accountId, campaignId: id, knowledgeVersion },
    settings,
    firstName: conversation.firstName,
    text: cut(fresh.map((message) => withNote(message, settings.engine === 'builtin')).join('\n')),
    history: historyOf(settings, messages, { from: conversation.handedBackSeq, to: fresh[0]?.seq ?? 0n }),
    offered: conversation.offered,
    choice: fresh.at(-1)?.choice ?? null,
  }
}

function cut(text: string): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters)}\n[the rest was cut]`
}

/** Whoever opens a chat with a tap on Start says no word of their own; engines read it as a greeting. */
const opening = 'Hello'

/** Adds a note, but not for the built-in engine: it compares texts, and a note would only lower the score. */
function withNote({ body, attached, opens }: SeenMessage, isBuiltin: boolean): string {
  if (opens) return opening
  if (attached === null || isBuiltin) return body
  return `${body}\n${attached.startsWith('image/') ? '[image]' : `[file: ${attached}]`}`
}

const speakers = { contact: 'contact', bot: 'bot', person: 'person', api: 'person' } as const

function historyOf(
  { historyMessages, historyMaxAgeHours }: Campaign['settings'],
  messages: SeenMessage[],
  { from, to }: { from: bigint; to: bigint },
): HistoryMessage[] {
  return messages
    .filter(({ seq, secondsAgo }) => seq > from && seq < to && secondsAgo <= historyMaxAgeHours * 3_600)
    .slice(historyMessages === 0 ? messages.length : -historyMessages)
    .map(({ author, body, kind }) => ({ by: speakers[author], text: body, kind }))
}
