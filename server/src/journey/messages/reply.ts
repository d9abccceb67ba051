import { hasProvider } from '@patchbay/contract/channels.ts'
import type { MessageCost } from '../../business/credits/spend.ts'
import { messageWebhook } from '../../outbox/receivers.ts'
import type { Tx } from '../../platform/database/db.ts'
import {
  type AccountId,
  type BroadcastId,
  type CampaignId,
  type ChannelId,
  type ContactId,
  type MessageId,
  newId,
  type ReceiverId,
  sayUnknown,
  type UserId,
} from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Content } from '../channels/kinds/kind.ts'
import { loadKind } from '../channels/load-kind.ts'
import { insertChannelMessage } from './channel-message-store.ts'
import { costOf } from './message-cost.ts'
import { type ReplyRoute, readCustomLabel, readReplyRoute } from './reply-route-store.ts'
import { sendWithin } from './send.ts'

export type Reply = {
  accountId: AccountId
  contactId: ContactId
  /** The contact's id on the external platform; null: they have none, and are known on built-in channels alone. */
  externalId: string | null
  /** They are known on a built-in channel: then it is looked for the one that they wrote by last. */
  isOnChannels: boolean
  /** The way that somebody has chosen for this reply. */
  by?: ReplyBy | undefined
  author: 'bot' | 'person'
  userId?: UserId | undefined
  body: string
  /** Goes with it; who makes the reply attaches it to the message. */
  file?: Content['file']
  campaignId?: CampaignId | undefined
  /** Entries to choose from, which a channel with buttons shows as such. */
  choices?: Content['choices']
  trace?: string | undefined
}

/** A built-in channel, or the external platform. */
export type ReplyBy = ChannelId | 'custom'

/**
 * `receiverId`: whose event is stored, to be delivered once this is committed; undefined: with that it is sent. `cost`: what has to be
 * charged before the transaction commits, and after everything else in it, because the balance is the last of the locks.
 */
export type Replied = { messageId: MessageId; receiverId: ReceiverId | undefined; cost: MessageCost | undefined }

/**
 * The only way to answer a contact: by what was chosen, else over the channel of their last message, as part of a transaction that
 * has locked the conversation. Refuses what the channel would refuse.
 */
export async function replyWithin(tx: Tx, reply: Reply): Promise<Replied> {
  const { accountId, contactId, externalId, isOnChannels, author, userId, body, campaignId, trace } = reply
  const route = await findRoute(tx, reply)
  if (route) {
    const reason = whyNot(route)
    if (reason !== undefined) throw new Refusal('CONFLICT', wordsOf(reason, route))
    return sendOverChannel(tx, reply, route)
  }
  if (reply.file)
    throw new Refusal('CONFLICT', 'A file is sent over a built-in channel only; choose one for this reply.')
  if (externalId === null) throw new Refusal('CONFLICT', 'There is no channel by which this contact could be reached.')
  const channel = isOnChannels ? await readCustomLabel(tx, { accountId, contactId }) : undefined
  const sent = await sendWithin(tx, { accountId, toId: externalId, author, userId, body, channel, campaignId, trace })
  return { messageId: sent.messageId, receiverId: messageWebhook, cost: undefined }
}

/** Undefined: by the custom channel. */
async function findRoute(tx: Tx, { accountId, contactId, isOnChannels, by }: Reply): Promise<ReplyRoute | undefined> {
  if (by === 'custom') return undefined
  if (by === undefined) return isOnChannels ? readReplyRoute(tx, { accountId, contactId }) : undefined
  const route = await readReplyRoute(tx, { accountId, contactId }, by)
  if (!route) throw new Refusal('NOT_FOUND', sayUnknown('channel', 'chn', by))
  return route
}

/** What is said over a channel: a reply, or the message of a broadcast. */
type Said = Pick<Reply, 'accountId' | 'contactId' | 'userId' | 'body' | 'file' | 'campaignId' | 'choices' | 'trace'> & {
  author: 'bot' | 'person' | 'api'
  broadcastId?: BroadcastId | undefined
}

/** Says it by a way that takes it, which `whyNot` tells. */
export async function sendOverChannel(
  tx: Tx,
  said: Said,
  route: Pick<ReplyRoute, 'channelId' | 'address' | 'kind' | 'name' | 'unitsPerMessage'>,
): Promise<Replied> {
  const { accountId, contactId, author, userId, body, campaignId, choices = [], file = null, trace, broadcastId } = said
  const { channelId, address } = route
  if (!address) throw new Error('somebody is written to who is not known on the channel')
  const kind = await loadKind(route.kind)
  const parts = kind.split({ text: body, choices, file, replyTo: null, isByBot: author === 'bot' })
  const messageId = newId('msg')
  const message = { messageId, accountId, contactId, channelId, author, userId, body, campaignId, trace, broadcastId }
  const seq = await insertChannelMessage(tx, { ...message, address, parts, leaves: kind.leaves })
  const cost = costOf(route, { contactId, seq, actor: author === 'bot' ? author : (userId ?? actors[author]) })
  return { messageId, receiverId: kind.leaves === 'when stored' ? undefined : channelId, cost }
}

/** Who stands in the history where no user wrote. */
const actors = { person: 'operator', api: 'api' } as const

const reasons = {
  channel_removed: 'This channel was disconnected; connect it again to answer by it.',
  stopped: 'They have blocked this channel, so nothing can be sent to them there.',
  closed: 'Your team has closed the chat with them. Open it again to write to them.',
  channel_paused: 'This channel is paused, so nothing can be said over it. Let it go on, or choose another way.',
  no_address: 'They are not known on this channel: they have to write there first.',
}

const stoppedByWord =
  'They have sent STOP, so nothing can be sent to them at this number until they send START. Nobody here can override it.'

/** Who is known by a telephone number stops what is sent to it by a word. */
function wordsOf(reason: keyof typeof reasons, { address }: ReplyRoute): string {
  return reason === 'stopped' && address?.kind === 'phone' ? stoppedByWord : reasons[reason]
}

/**
 * Why the channel takes nothing for this contact. One that has a provider takes it while it is paused or needs somebody: it waits.
 * One of our own lets nothing wait, so that a pause refuses it.
 */
export function whyNot({
  kind,
  isRemoved,
  isPaused,
  stopScope,
  address,
}: Pick<ReplyRoute, 'kind' | 'isRemoved' | 'isPaused' | 'stopScope' | 'address'>): keyof typeof reasons | undefined {
  if (isRemoved) return 'channel_removed'
  if (stopScope === 'all') return 'stopped'
  if (stopScope === 'team') return 'closed'
  if (isPaused && !hasProvider(kind)) return 'channel_paused'
  return address ? undefined : 'no_address'
}
