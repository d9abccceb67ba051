import type { ChannelDelivery } from '@patchbay/contract/app/channels.ts'
import type { DeliveryFault } from '@patchbay/contract/app/messages.ts'
import type { DeliveryState } from '@patchbay/contract/app/webhook.ts'
import { type ChannelFault, channelFaultOf } from '../../../ui/channel-fault.ts'
import { countdown } from '../../../ui/countdown.ts'
import { sayCause } from '../../../ui/delivery-error-words.ts'
import { secondTime } from '../../../ui/format-time.ts'
import type { Tone } from '../../../ui/tag.tsx'
import { logWords as words } from './words.ts'

export type MessageState = 'sent' | 'waiting' | ChannelFault

export function stateOf({ status, fault }: Pick<DeliveryState, 'status' | 'fault'>): MessageState {
  if (status !== 'Failed') return status === 'Sent' ? 'sent' : 'waiting'
  return channelFaultOf(fault?.category ?? '')
}

export const tones = {
  sent: 'line',
  waiting: 'line',
  held: 'wait',
  'in doubt': 'wait',
  'not sent': 'neutral',
  failed: 'fail',
} as const satisfies Record<MessageState, Tone>

/** Why, as a whole sentence: in the provider's own words, with its code, where they are the cause. */
export function sayWhy({ category, httpStatus, detail }: DeliveryFault, kind: string): string {
  if (channelFaultOf(category) !== 'failed' || category === 'not_reached' || !detail) {
    return sayCause({ category, httpStatus, detail })
  }
  return words.says(kind, detail.replace(/[.\s]+$/, ''), httpStatus === null ? '' : words.code(String(httpStatus)))
}

/** What became of a message, as far as its provider says. */
export function sayOutcome({ delivery, parts, tells }: ChannelDelivery, kind: string): string {
  const { outcome } = words
  const state = stateOf(delivery)
  if (state === 'failed')
    return delivery.fault?.category === 'not_delivered' ? outcome.notDelivered(kind) : outcome.failed(kind)
  if (state === 'not sent') return outcome['not sent'](kind)
  if (state !== 'sent') return outcome[state]
  const [readAt, deliveredAt] = [
    lastOf(parts.map((part) => part.readAt)),
    lastOf(parts.map((part) => part.deliveredAt)),
  ]
  if (readAt !== undefined) return outcome.read(secondTime(readAt))
  if (deliveredAt !== undefined) return outcome.delivered(secondTime(deliveredAt))
  const at = secondTime(new Date(delivery.sentAt ?? delivery.createdAt))
  return tells ? outcome.taken(kind, at) : outcome.sent(kind, at)
}

/** When all parts had come so far; undefined: not all have. */
function lastOf(times: (string | null)[]): Date | undefined {
  const known = times.filter((at) => at !== null).map((at) => Date.parse(at))
  return known.length === 0 || known.length < times.length ? undefined : new Date(Math.max(...known))
}

/** What happens next with one that has failed: nothing is said of what waits, or is for a person to decide. */
export function sayNext(
  { fault, attempts, askedAttempts, maxAttempts, nextAttemptAt }: DeliveryState,
  now: Date,
): string {
  if (fault === null || channelFaultOf(fault.category) !== 'failed') return ''
  if (nextAttemptAt === null) return words.notAgain
  const left = Date.parse(nextAttemptAt) - now.getTime()
  return `${words.tryOf(attempts - askedAttempts, maxAttempts)} ${left > 0 ? words.againIn(countdown(left)) : words.again}`
}
