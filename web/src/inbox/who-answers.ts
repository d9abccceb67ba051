import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'

/** Who has a conversation, as the bar above the composer says it. The sentences are in `who-answers-words.ts`. */
export type WhoAnswers = {
  state:
    | 'bot'
    | 'bot, missed'
    | 'bot, no credits'
    | 'bot, no campaign'
    | 'bot, campaign paused'
    | 'bot, limit'
    | 'deletion'
    | 'bot, file'
    | 'bot, blocked'
    | 'bot, not reached'
    | 'bot switched off'
    | 'typed'
    | 'taken over'
    | 'requested'
    | 'called'
    | 'engine failed'
    | 'stale'
    | 'no credits'
    | 'opted out'
    | 'off'
  /** Whether it is amber: it waits for somebody, or the bot is paused. */
  isPaused: boolean
  /** Which side it is plugged into; null: neither, a person is awaited. */
  plugged: 'bot' | 'person' | null
  /** Whether it can be handed over between bot and person here. */
  canSwitch: boolean
}

export function whoAnswers({
  handler,
  handlerReason,
  contact,
  conversation,
  botActive,
}: ConversationDetail): WhoAnswers {
  if (contact.optedOutAt !== null && contact.optedOutBy !== 'operator') {
    return { state: 'opted out', isPaused: false, plugged: null, canSwitch: false }
  }
  if (handler === 'off' || contact.optedOutAt !== null) {
    return { state: 'off', isPaused: false, plugged: null, canSwitch: false }
  }
  const isToGo = conversation.waitingReason === deletion
  if (handler === 'person') {
    const isTaken = handlerReason === 'typed' || handlerReason === 'taken over'
    const state = isTaken ? handlerReason : (calledBecause[handlerReason ?? ''] ?? 'called')
    return { state: isToGo ? 'deletion' : state, isPaused: true, plugged: isTaken ? 'person' : null, canSwitch: true }
  }
  const plugged = { plugged: 'bot', canSwitch: true } as const
  if (isToGo) return { state: 'deletion', isPaused: true, ...plugged }
  if (!botActive) return { state: 'bot switched off', isPaused: true, ...plugged }
  const waits = conversation.waitingSince === null ? undefined : waitsBecause(conversation.waitingReason)
  return waits ? { state: waits, isPaused: true, ...plugged } : { state: 'bot', isPaused: false, ...plugged }
}

/** They want what is here of them to go, whoever has the conversation. */
const deletion = 'asked_to_be_deleted'

const calledBecause: Record<string, WhoAnswers['state'] | undefined> = {
  requested: 'requested',
  handover: 'called',
  engine_error: 'engine failed',
  stale: 'stale',
  no_credits: 'no credits',
}

function waitsBecause(reason: string | null): WhoAnswers['state'] | undefined {
  switch (reason) {
    case 'misses':
      return 'bot, missed'
    case 'no_credits':
      return 'bot, no credits'
    case 'no_campaign':
      return 'bot, no campaign'
    case 'bot_off':
      return 'bot switched off'
    case 'loop':
    case 'daily_limit':
      return 'bot, limit'
    case 'file_only':
      return 'bot, file'
    case 'stopped':
      return 'bot, blocked'
    case 'channel_removed':
    case 'channel_paused':
    case 'closed':
    case 'no_address':
      return 'bot, not reached'
    default:
      return reason?.startsWith('campaign_') ? 'bot, campaign paused' : undefined
  }
}
