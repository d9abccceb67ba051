import { allSettings } from '../../../answers/campaigns/settings.ts'
import { listCampaigns } from '../../../answers/campaigns/store.ts'
import { recognizeOptOut } from '../../../people/contacts/opt-out.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { Turn } from '../../conversations/turn-store.ts'
import { type ReplyRoute, readReplyRoute } from '../../messages/reply-route-store.ts'
import { type ChannelDetails, readChannelDetails } from './channel-turn-store.ts'
import { type Conversation, readConversation, readMessages, type SeenMessage } from './context-store.ts'
import type { TurnContext } from './decide-who-answers.ts'

/** Reads all that it depends on whether and how a turn is answered. Undefined: the contact was erased. */
export async function readTurnContext(
  { db, secretKey }: { db: Db; secretKey: Buffer },
  turn: Turn,
): Promise<TurnContext | undefined> {
  const [conversation, messages, campaigns] = await Promise.all([
    readConversation(db, turn),
    readMessages(db, turn),
    listCampaigns(db, turn.accountId),
  ])
  if (!conversation) return undefined
  if (conversation.mayHaveOptedOut) conversation.isOptedOut ||= await recognizeOptOut(db, secretKey, turn)
  const withSettings = campaigns.map((row) => ({ ...row, settings: allSettings(row.settings) }))
  const { route, details } = await readChannel(db, turn, messages)
  const known = messages.map((message) => withDetails(message, details.get(message.seq), conversation))
  return { turn, conversation, messages: known, campaigns: withSettings, route }
}

type FromChannel = { route: ReplyRoute | undefined; details: Map<bigint, ChannelDetails> }

/** A turn of a custom channel asks for nothing more. */
async function readChannel(db: Db, turn: Turn, messages: SeenMessage[]): Promise<FromChannel> {
  const isFromChannel = messages.some(({ seq, channelId }) => seq >= turn.fromSeq && channelId !== null)
  if (!isFromChannel) return { route: undefined, details: new Map() }
  const [route, details] = await Promise.all([readReplyRoute(db, turn), readChannelDetails(db, turn)])
  return { route, details: new Map(details.map((one) => [one.seq, one])) }
}

/** A choice counts only if that entry was offered to this contact: by the message that was tapped, or by our last one. */
function withDetails(
  message: SeenMessage,
  details: ChannelDetails | undefined,
  { offered }: Conversation,
): SeenMessage {
  if (!details) return message
  const { choice, isOnMessage, opens, start, secondsAgo } = details
  const isOffered = choice !== null && (isOnMessage || offered.includes(choice))
  const known = { ...message, opens, start, choice: isOffered ? choice : null }
  return secondsAgo === null ? known : { ...known, secondsAgo }
}
