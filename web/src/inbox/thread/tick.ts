import type { Message } from '@patchbay/contract/app/messages.ts'

/** What is known of a message on its way, as its receipt says it. */
export type Tick =
  | 'waiting'
  /** It waits for its channel, which is paused or needs somebody. */
  | 'held'
  | 'sent'
  | 'in doubt'
  /** It was held here: the provider was not asked. */
  | 'not sent'
  | 'failed'

/** Why a channel was not asked at all. */
const heldHere = new Set([
  ...['channel_removed', 'no_address', 'stopped', 'opted_out', 'expired', 'too_long', 'file_refused'],
])

export function tickOf({ status, fault, overChannel }: NonNullable<Message['delivery']>): Tick {
  if (status === 'Sent') return overChannel?.mayBeTwice ? 'in doubt' : 'sent'
  if (status === 'Waiting') return overChannel?.doubtSince ? 'in doubt' : 'waiting'
  const category = fault?.category ?? ''
  if (!overChannel) return 'failed'
  if (category === 'endpoint_paused') return 'held'
  if (category === 'in_doubt') return 'in doubt'
  return heldHere.has(category) ? 'not sent' : 'failed'
}

/** Whether somebody has to know of it, more than its receipt says. */
export function isTold(tick: Tick): boolean {
  return tick === 'failed' || tick === 'in doubt' || tick === 'not sent'
}
