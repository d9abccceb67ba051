/**
 * Keeps the bot from talking over a person, part 2: `decide` skips a turn while a person has the conversation, while
 * the bot is off, and after an opt-out, before any engine is called.
 */

import { isChannelId } from '../../../outbox/receivers.ts'
import { type ConsentRequest, findConsentRequest } from '../../conversations/consent.ts'
import type { Turn } from '../../conversations/turn-store.ts'
import { whyNot } from '../../messages/reply.ts'
import type { ReplyRoute } from '../../messages/reply-route-store.ts'
import type { Conversation, ReplyLimits, SeenMessage } from './context-store.ts'
import { type Campaign, type Route, routeToCampaign } from './route-to-campaign.ts'

/** What is read when a turn is claimed. The last of `messages` are those that the turn answers. */
export type TurnContext = {
  turn: Turn
  conversation: Conversation
  messages: SeenMessage[]
  campaigns: Campaign[]
  /** The built-in channel by which the answer would leave; undefined: it goes to a custom one. */
  route: ReplyRoute | undefined
}

/** What to do with a turn, before any engine is called. */
export type Decision = Route & { consent?: ConsentRequest | undefined } & (
    | { act: 'skip'; reason: string; waiting: string | null }
    | { act: 'hand over'; campaign: Campaign; reason: 'stale' | 'no_credits'; text: string | null }
    | { act: 'answer'; campaign: Campaign; fresh: SeenMessage[]; resumes: boolean }
  )

/**
 * Decides whether the bot answers at all, and for which campaign. An opt-out is recognized first, also while a person
 * has the conversation.
 */
export function decide(context: TurnContext): Decision {
  const { conversation, campaigns } = context
  const { fresh, skipReason, all } = selectMessages(context)
  const routed = routeToCampaign(campaigns, {
    named: namedBy(fresh, campaigns),
    assigned: conversation.campaignId,
    channel: channelOf(conversation, all.at(-1)),
    text: fresh.map(({ body }) => body).join(' '),
  })
  // The words on a button are ours.
  const unchecked = all.filter(({ seq, choice }) => seq > conversation.consentSeq && choice === null)
  const consent = findConsentRequest(unchecked, routed.campaign?.settings.stopPhrases ?? [])
  if (consent?.intent === 'stop')
    return { ...routed, act: 'skip', reason: 'asked not to be written to', waiting: null, consent }
  if (!conversation.isOptedOut) return decideAnswer(context, { routed, fresh, skipReason })
  if (!consent) return { ...routed, act: 'skip', reason: 'opted_out', waiting: null }
  const after = fresh.filter(({ seq }) => seq > consent.seq)
  return { ...decideAnswer(context, { routed, fresh: after, skipReason: 'opted_in' }), consent }
}

/** The campaign that the caller named, or the link by which they came. A link may say anything else, too. */
function namedBy(fresh: SeenMessage[], campaigns: Campaign[]): string | null {
  const linked = ({ start }: SeenMessage) => campaigns.find(({ id }) => id === start)?.id ?? null
  return fresh.map((message) => message.campaignId ?? linked(message)).findLast((id) => id !== null) ?? null
}

/** A conversation keeps its last label, and a message of a custom channel need not have one: then it is no built-in one's. */
function channelOf({ channel }: Conversation, last: SeenMessage | undefined): string {
  if (last && last.channelId !== null) return last.channelId
  return isChannelId(channel) ? 'custom' : channel
}

/** `skipReason`: why nothing is answered when `fresh` is empty. */
type Selection = { routed: Route; fresh: SeenMessage[]; skipReason: string }

function decideAnswer({ turn, conversation, route }: TurnContext, { routed, fresh, skipReason }: Selection): Decision {
  const noCampaign: Route = { campaign: undefined, routing: 'none', assigns: false }
  const skip = (reason: string, routed: Route = noCampaign, waiting: string | null = null): Decision => {
    return { ...routed, act: 'skip', reason, waiting }
  }
  if (!conversation.botActive) return skip('bot_off', noCampaign, 'bot_off')
  if (conversation.handler === 'off') return skip('off')
  const [oldest] = fresh
  if (!oldest) return skip(skipReason)
  const { campaign } = routed
  if (!campaign) return skip('no_campaign', routed, 'no_campaign')
  if (conversation.handler === 'person' && !hasResumed(conversation, campaign)) return skip('person', routed, 'person')
  if (campaign.status !== 'live') return skip(`campaign_${campaign.status}`, routed, `campaign_${campaign.status}`)
  const unreached = route && whyNot(route)
  if (unreached !== undefined) return skip(unreached, routed, unreached)
  if (campaign.settings.engine === 'builtin' && fresh.every(isFileOnly)) return skip('file_only', routed, 'file_only')
  const { staleAfterSeconds, handoverText, noCreditText } = campaign.settings
  if (oldest.secondsAgo > staleAfterSeconds) {
    const why = turn.isParked
      ? ({ reason: 'no_credits', text: noCreditText } as const)
      : ({ reason: 'stale', text: handoverText } as const)
    return { ...routed, campaign, act: 'hand over', ...why }
  }
  return { ...routed, campaign, act: 'answer', fresh, resumes: conversation.handler === 'person' }
}

/** What a text cannot answer: the built-in engine would say that it does not know, to a picture of what is meant. */
export function isFileOnly({ channelId, attached, body }: SeenMessage): boolean {
  return channelId !== null && attached !== null && body.trim() === ''
}

/** The limit that keeps the bot from another reply now, if any. */
export function replyLimitReached(limits: ReplyLimits): 'loop' | 'daily_limit' | undefined {
  if (limits.loopEndsInSeconds !== null) return 'loop'
  return limits.isConversationAtDailyCap || limits.isCampaignAtDailyCap ? 'daily_limit' : undefined
}

/** An incoming message that repeats one of our last messages within this time is our own, sent back by the platform. */
const echo = { messages: 5, seconds: 120 }

/** `fresh`: the messages to answer. `all`: also those that were left to a person. */
function selectMessages({ turn, conversation, messages }: TurnContext) {
  const recentlySent = messages
    .filter(({ direction, secondsAgo }) => direction === 'outgoing' && secondsAgo <= echo.seconds)
    .slice(-echo.messages)
    .map(({ body }) => body)
  let skipReason = 'nothing_to_answer'
  const all = messages.filter(({ seq, direction, kind, body, isOurs, channelId, toId }) => {
    if (seq < turn.fromSeq || direction !== 'incoming' || kind !== 'text') return false
    if (channelId !== null) return true // who answers "OK" to our "OK" is answered
    if (toId === conversation.externalId) skipReason = 'self'
    else if (isOurs || recentlySent.includes(body)) skipReason = 'echo'
    else return true
    return false
  })
  const fresh = all.filter(({ seq }) => seq > conversation.handedBackSeq)
  return { fresh, skipReason: all.length > 0 ? 'handed_back' : skipReason, all }
}

/**
 * A person who wrote keeps the conversation for `autoResumeMinutes`. One who was asked for keeps it until it is handed
 * back.
 */
function hasResumed({ handlerReason, personSecondsAgo }: Conversation, { settings }: Campaign): boolean {
  if (handlerReason !== 'typed' || personSecondsAgo === null || settings.autoResumeMinutes === null) return false
  return personSecondsAgo > settings.autoResumeMinutes * 60
}
