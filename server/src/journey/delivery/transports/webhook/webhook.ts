/* Step 3 of a delivery to an address that the account holder configured: the event is posted once, signed. */

import type { LeasedEvent } from '../../../../outbox/enqueue-events.ts'
import { childOf } from '../../../../platform/trace-context.ts'
import { type Attempt, notMade, type Outcome, type Transport } from '../transport.ts'
import { type PostCtx, post, type WebhookPost } from './post.ts'
import type { ReadSigningKeys } from './signing-keys.ts'

export type TransportParts = Pick<Transport, 'inFlight' | 'settle'> & Readonly<{ readKeys: ReadSigningKeys }>

const slowAfterMs = 1_000

export function openWebhook(ctx: PostCtx, { readKeys, ...shared }: TransportParts): Transport {
  return { ...shared, slowAfterMs, attempt: openSignedAttempt(readKeys, (_event, posted) => post(ctx, posted)) }
}

/** Returns a function that signs an event with its receiver's secrets, and gives it to `send`. */
export function openSignedAttempt(
  readKeys: ReadSigningKeys,
  send: (event: LeasedEvent, posted: WebhookPost) => Promise<Outcome>,
): Transport['attempt'] {
  return async (event): Promise<Attempt> => {
    const { id, payload, author, outgoingSeq, attempts, trace, url, secret } = event
    if (url === null || secret === null) return notMade('no_endpoint', 'No address was saved to send it to.')
    const keys = readKeys(event, secret)
    if (!keys) return notMade('secret_unreadable', 'The signing secret cannot be read; make a new one.')
    const startedAt = performance.now()
    const traceparent = trace === null ? undefined : childOf(trace)
    const posted = { id, payload, author, outgoingSeq, url, keys, attempt: attempts + 1, traceparent }
    const outcome = await send(event, posted)
    return { ...outcome, made: { url, durationMs: Math.round(performance.now() - startedAt) }, traceparent }
  }
}
