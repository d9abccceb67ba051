import type { Message } from '@patchbay/contract/app/messages.ts'
import { type ChannelFault, channelFaultOf } from '../../ui/channel-fault.ts'

/** What is known of a message on its way, as its receipt says it. */
export type Tick = 'waiting' | 'sent' | 'delivered' | 'read' | ChannelFault

export function tickOf({ status, fault, overChannel }: NonNullable<Message['delivery']>): Tick {
  if (status === 'Sent') {
    if (overChannel?.mayBeTwice) return 'in doubt'
    return overChannel?.readAt ? 'read' : overChannel?.deliveredAt ? 'delivered' : 'sent'
  }
  if (status === 'Waiting') return overChannel?.doubtSince ? 'in doubt' : 'waiting'
  return overChannel ? channelFaultOf(fault?.category ?? '') : 'failed'
}

/** Whether somebody has to know of it, more than its receipt says. */
export function isTold(tick: Tick): boolean {
  return tick === 'failed' || tick === 'in doubt' || tick === 'not sent'
}
