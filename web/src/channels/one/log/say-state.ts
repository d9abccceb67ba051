import type { DeliveryFault } from '@patchbay/contract/app/messages.ts'
import type { DeliveryState } from '@patchbay/contract/app/webhook.ts'
import { type ChannelFault, channelFaultOf } from '../../../ui/channel-fault.ts'
import { countdown } from '../../../ui/countdown.ts'
import { sayCause } from '../../../ui/delivery-error-words.ts'
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
