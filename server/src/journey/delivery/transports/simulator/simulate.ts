/*
 * Step 3 of a delivery to a simulated contact. No request is made: the simulated receiver gets the same headers and body,
 * answers as its account has set it, and what it got is a row, so that it works whichever process delivers.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { LeasedEvent } from '../../../../outbox/enqueue-events.ts'
import type { Outcome, Transport } from '../transport.ts'
import { headersOf, outcomeOf, type WebhookPost } from '../webhook/post.ts'
import { sign } from '../webhook/signing-keys.ts'
import { openSignedAttempt, type TransportParts } from '../webhook/webhook.ts'
import { type Behaviour, keepSimulatedPost, takeBehaviour } from './simulator-store.ts'

type Ctx = Readonly<{ pool: Pool; now: () => number; silentMs?: number }>

/** How long an attempt may take. */
const defaultSilentMs = 15_000

/** How slow a webhook may be. */
const slowAfterMs = 1_000

export function openSimulator(ctx: Ctx, { readKeys, ...shared }: TransportParts): Transport {
  const attempt = openSignedAttempt(readKeys, (event, posted) => simulate(ctx, event, posted))
  return { ...shared, slowAfterMs, attempt }
}

async function simulate(ctx: Ctx, event: LeasedEvent, posted: WebhookPost): Promise<Outcome> {
  const { accountId, contactId } = event
  const startedAt = performance.now()
  const sentAt = ctx.now()
  const headers = headersOf(posted, sentAt)
  const behaviour = await takeBehaviour(ctx.pool, accountId)
  if (behaviour === 'silent') await sleep(ctx.silentMs ?? defaultSilentMs)
  const outcome = answers[behaviour](sentAt)
  if (contactId !== null) {
    await keepSimulatedPost(ctx.pool, {
      accountId,
      contactId,
      messageId: posted.id,
      outcome: outcome.status === 'Sent' ? '200' : nameOf(outcome.error),
      durationMs: Math.round(performance.now() - startedAt),
      post: {
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        body: posted.payload,
        fault: outcome.status === 'Sent' ? null : outcome.error,
        isSignatureValid: isSigned(posted, headers),
      },
    })
  }
  return outcome
}

const respond =
  (status: number, headers: Record<string, string> = {}) =>
  (now: number): Outcome =>
    outcomeOf({ status, headers, body: Buffer.alloc(0) }, now)

const fail = (category: string, detail: string) => (): Outcome => ({
  status: 'Failed',
  error: { category, httpStatus: null, detail },
  failure: { isOverloaded: category === 'timeout' },
})

const answers: Record<Behaviour, (now: number) => Outcome> = {
  ok: respond(200),
  'error 503': respond(503),
  'gone 410': respond(410),
  'busy 429': respond(429, { 'retry-after': '30' }),
  silent: fail('timeout', 'The simulated receiver gave no answer in 15 s.'),
  'hang up': fail('connection_reset', 'The simulated receiver closed the connection.'),
}

const nameOf = ({ category, httpStatus }: { category: string; httpStatus: number | null }) =>
  httpStatus === null ? category : String(httpStatus)

/** What a receiver has to check: the signature in the header is that of the body with the secret that it knows. */
function isSigned({ id, payload, keys }: WebhookPost, headers: Record<string, string>): boolean {
  const timestamp = Number(headers['webhook-timestamp'])
  const expected = sign(keys.slice(0, 1), { id, timestamp, body: payload })
  return headers['webhook-signature']?.split(' ').includes(expected) === true
}
