import { type Heard, hearConsent } from '../conversation/consent.ts'
import type { Turn } from '../turns/turn-store.ts'
import type { Conversation, SeenMessage, Spent } from './context-store.ts'
import { type Campaign, type Routed, routeToCampaign } from './route-to-campaign.ts'

/** Everything that is known when a turn is taken up. `messages` end with those that it answers. */
export type TurnContext = { turn: Turn; conversation: Conversation; messages: SeenMessage[]; campaigns: Campaign[] }

/** What to do with a turn before anybody thinks about an answer. */
export type Decision = Routed & { heard?: Heard | undefined } & (
    | { act: 'skip'; reason: string; waiting: string | null }
    | { act: 'hand over'; campaign: Campaign; reason: 'stale' | 'no_credits'; text: string | null }
    | { act: 'answer'; campaign: Campaign; fresh: SeenMessage[]; resumes: boolean }
  )

/**
 * Whether the bot answers at all, and for which campaign. That somebody does not want to be written to is heard first, and
 * whoever has the conversation.
 */
export function decide(context: TurnContext): Decision {
  const { conversation, campaigns } = context
  const { fresh, left, all } = sortOut(context)
  const routed = routeToCampaign(campaigns, {
    named: fresh.findLast(({ campaignId }) => campaignId !== null)?.campaignId ?? null,
    assigned: conversation.campaignId,
    channel: conversation.channel,
    text: fresh.map(({ body }) => body).join(' '),
  })
  const unheard = all.filter(({ seq }) => seq > conversation.consentSeq)
  const heard = hearConsent(unheard, routed.campaign?.settings.stopPhrases ?? [])
  if (heard?.intent === 'stop')
    return { ...routed, act: 'skip', reason: 'asked not to be written to', waiting: null, heard }
  if (!conversation.isOptedOut) return decideAnswer(context, { routed, fresh, left })
  if (!heard) return { ...routed, act: 'skip', reason: 'opted_out', waiting: null }
  const after = fresh.filter(({ seq }) => seq > heard.seq)
  return { ...decideAnswer(context, { routed, fresh: after, left: 'opted_in' }), heard }
}

type SortedOut = { routed: Routed; fresh: SeenMessage[]; left: string }

function decideAnswer({ turn, conversation }: TurnContext, { routed, fresh, left }: SortedOut): Decision {
  const nobody: Routed = { campaign: undefined, routing: 'none', assigns: false }
  const skip = (reason: string, routed: Routed = nobody, waiting: string | null = null): Decision => {
    return { ...routed, act: 'skip', reason, waiting }
  }
  if (!conversation.botActive) return skip('bot_off', nobody, 'bot_off')
  if (conversation.handler === 'off') return skip('off')
  const [oldest] = fresh
  if (!oldest) return skip(left)
  const { campaign } = routed
  if (!campaign) return skip('no_campaign', routed, 'no_campaign')
  if (conversation.handler === 'person' && !hasResumed(conversation, campaign)) return skip('person', routed, 'person')
  if (campaign.status !== 'live') return skip(`campaign_${campaign.status}`, routed, `campaign_${campaign.status}`)
  const { staleAfterSeconds, handoverText, noCreditText } = campaign.settings
  if (oldest.secondsAgo > staleAfterSeconds) {
    const why = turn.isParked
      ? ({ reason: 'no_credits', text: noCreditText } as const)
      : ({ reason: 'stale', text: handoverText } as const)
    return { ...routed, campaign, act: 'hand over', ...why }
  }
  return { ...routed, campaign, act: 'answer', fresh, resumes: conversation.handler === 'person' }
}

/** Whether the bot has said enough for now. */
export function rest({
  loopEndsInSeconds,
  hasReachedDay,
  hasCampaignReachedDay,
}: Spent): 'loop' | 'daily_limit' | undefined {
  if (loopEndsInSeconds !== null) return 'loop'
  return hasReachedDay || hasCampaignReachedDay ? 'daily_limit' : undefined
}

/** So soon after us, and word for word what we said: the platform sent our own message back. */
const echo = { messages: 5, seconds: 120 }

/** The messages to answer; why, if there are none; and all that they wrote, also what was left to a person. */
function sortOut({ turn, conversation, messages }: TurnContext): {
  fresh: SeenMessage[]
  left: string
  all: SeenMessage[]
} {
  const said = messages
    .filter(({ direction, secondsAgo }) => direction === 'outgoing' && secondsAgo <= echo.seconds)
    .slice(-echo.messages)
    .map(({ body }) => body)
  let left = 'nothing_to_answer'
  const all = messages.filter(({ seq, direction, kind, body, isOurs, toId }) => {
    if (seq < turn.fromSeq || direction !== 'incoming' || kind !== 'text') return false
    if (toId === conversation.fromId) left = 'self'
    else if (isOurs || said.includes(body)) left = 'echo'
    else return true
    return false
  })
  const fresh = all.filter(({ seq }) => seq > conversation.handedBackSeq)
  return { fresh, left: all.length > 0 ? 'handed_back' : left, all }
}

/** A person who typed has the conversation for as long as the campaign says; one that was asked for, until they come. */
function hasResumed({ handlerReason, personSecondsAgo }: Conversation, { settings }: Campaign): boolean {
  if (handlerReason !== 'typed' || personSecondsAgo === null || settings.autoResumeMinutes === null) return false
  return personSecondsAgo > settings.autoResumeMinutes * 60
}
