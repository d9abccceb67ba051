import type { Message } from '@patchbay/contract/app/messages.ts'
import { countdown } from '../../ui/countdown.ts'
import { sayCause, deliveryErrorWords as words } from '../../ui/delivery-error-words.ts'
import { secondTime } from '../../ui/format-time.ts'
import { specialWords } from './special-words.ts'
import { tickOf } from './tick.ts'

type Delivery = NonNullable<Message['delivery']>
type OverChannel = NonNullable<Delivery['overChannel']>

/** What is said of a message that did not simply leave. In this order, always. */
export type ChannelDeliverySaid = {
  tone: 'doubt' | 'quiet' | 'fault'
  title: string
  cause: string
  next: string
  acts: readonly ('fine' | 'arrived' | 'again')[]
}

/** Returns what to say beside the receipt of a message over a channel of this kind; undefined: the receipt says all. */
export function sayChannelDelivery(delivery: Delivery, kind: string, now: Date): ChannelDeliverySaid | undefined {
  const { overChannel } = delivery
  if (!overChannel) return undefined
  switch (tickOf(delivery)) {
    case 'in doubt':
      return { tone: 'doubt', ...sayDoubt(delivery, overChannel, { kind, now }) }
    case 'not sent':
      return { tone: 'quiet', ...sayNotSent(delivery, kind) }
    case 'failed':
      return { tone: 'fault', ...sayFailed(delivery, overChannel, { kind, now }) }
    default:
      return undefined
  }
}

type Said = Omit<ChannelDeliverySaid, 'tone'>
type Known = { kind: string; now: Date }

function sayDoubt(delivery: Delivery, overChannel: OverChannel, { kind, now }: Known): Said {
  const { status, fault, nextAttemptAt } = delivery
  const { doubt } = specialWords
  const repeated = overChannel.repeatedAt && secondTime(new Date(overChannel.repeatedAt))
  if (status === 'Sent') {
    return { title: doubt.twiceTitle, cause: doubt.twice(kind), next: doubt.repeated(repeated ?? ''), acts: ['fine'] }
  }
  if (status === 'Waiting') {
    const left = nextAttemptAt === null ? 0 : Date.parse(nextAttemptAt) - now.getTime()
    const next = left > 0 ? doubt.waitsFor(countdown(left)) : doubt.waits
    return { title: doubt.title, cause: doubt.waiting(kind), next, acts: [] }
  }
  const isOfBackup = /backup/.test(fault?.detail ?? '')
  const next = repeated ? doubt.leftTwice(kind, repeated) : isOfBackup ? (fault?.detail ?? '') : doubt.leftOnce(kind)
  return { title: doubt.title, cause: doubt.left, next: withParts(next, overChannel), acts: ['arrived', 'again'] }
}

/** What would be refused again is not offered. */
const mayLeaveNow = new Set(['expired'])

function sayNotSent({ fault }: Delivery, kind: string): Said {
  const acts = mayLeaveNow.has(fault?.category ?? '') ? (['again'] as const) : []
  return { title: words.notSent, cause: fault ? sayCause(fault) : '', next: specialWords.heldHere(kind), acts }
}

/** What its provider has said: of the request, or after it had taken it. */
const providers = new Set(['provider_error', 'blocked', 'not_delivered'])

/** In the provider's own words, with its code. */
function sayFailed(delivery: Delivery, overChannel: OverChannel, { kind, now }: Known): Said {
  const { fault, nextAttemptAt, attempts } = delivery
  const isProviders = providers.has(fault?.category ?? '')
  const code = fault?.httpStatus ? ` (${fault.httpStatus})` : ''
  const cause = !fault
    ? ''
    : isProviders && fault.detail
      ? specialWords.says(kind, fault.detail, code)
      : sayCause(fault)
  return { title: words.notDelivered, cause, next: withParts(sayNext(), overChannel), acts: ['again'] }

  function sayNext(): string {
    if (nextAttemptAt === null) return words.gaveUp(attempts)
    const left = Date.parse(nextAttemptAt) - now.getTime()
    return words.againIn(left > 0 ? countdown(left) : undefined)
  }
}

function withParts(next: string, { parts, partsSent }: OverChannel): string {
  return partsSent > 0 && parts > 1 ? `${next} · ${specialWords.partsSent(partsSent, parts)}` : next
}
