import type { Message } from '@patchbay/contract/app/messages.ts'
import { countdown } from '../../ui/countdown.ts'
import { sayCause, deliveryErrorWords as words } from '../../ui/delivery-error-words.ts'

type Delivery = NonNullable<Message['delivery']>

/** A failed delivery: what went wrong, what happens next, what can be done. In this order, always. */
export type DeliveryError = {
  title: string
  cause: string
  /** Changes every second while it counts down. */
  next: string
  tries: string | undefined
  act: 'send again' | 'add webhook' | 'open receiver'
}

/** Returns what to show of a failed delivery; undefined unless it failed. */
export function deliveryErrorOf(
  { status, fault, attempts, askedAttempts, maxAttempts, nextAttemptAt }: Delivery,
  now: Date,
): DeliveryError | undefined {
  if (status !== 'Failed') return undefined
  const category = fault?.category ?? ''
  const wasPosted = !['no_endpoint', 'endpoint_paused', 'secret_unreadable', 'blocked_address'].includes(category)
  return {
    title: wasPosted ? words.notDelivered : words.notSent,
    cause: fault ? sayCause(fault) : '',
    next: sayNext(),
    tries: attempts > 0 && nextAttemptAt !== null ? words.triesSoFar(attempts) : undefined,
    act: category === 'no_endpoint' ? 'add webhook' : category === 'endpoint_paused' ? 'open receiver' : 'send again',
  }

  function sayNext(): string {
    const special = nextOf[category] ?? (fault?.httpStatus === 410 ? words.gone : undefined)
    if (special) return special
    if (nextAttemptAt === null) return words.gaveUp(attempts)
    const ms = Date.parse(nextAttemptAt) - now.getTime()
    const n = Math.min(attempts - askedAttempts + 1, maxAttempts)
    return ms < 1_000 ? words.tryNow(n, maxAttempts) : words.byItself(n, maxAttempts, countdown(ms))
  }
}

const nextOf: Record<string, string | undefined> = {
  no_endpoint: words.noEndpoint,
  endpoint_paused: words.paused,
  secret_unreadable: words.secret,
  blocked_address: words.blocked,
}
