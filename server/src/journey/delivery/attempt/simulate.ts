/*
 * Step 3 of a delivery to a simulated contact. No request is made: the simulated receiver gets the same headers and body,
 * answers as its account has set it, and what it got is a row, so that it works whichever process delivers.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import { type Attempted, headersOf, outcomeOf, type Posted } from './attempt.ts'
import { sign } from './signature.ts'
import { type Behaviour, keepSimulatedPost, takeBehaviour } from './simulator-store.ts'

type Ctx = Readonly<{ pool: Pool; now: () => number; silentMs?: number }>

/** As long as an attempt may take. */
const defaultSilentMs = 15_000

export async function attemptSimulated(ctx: Ctx, event: LeasedEvent, posted: Posted): Promise<Attempted> {
  const { accountId, contactId } = event
  const startedAt = performance.now()
  const sentAt = ctx.now()
  const headers = headersOf(posted, sentAt)
  const behaviour = await takeBehaviour(ctx.pool, accountId)
  if (behaviour === 'silent') await sleep(ctx.silentMs ?? defaultSilentMs)
  const attempted = answers[behaviour](sentAt)
  if (contactId !== null) {
    await keepSimulatedPost(ctx.pool, {
      accountId,
      contactId,
      messageId: posted.id,
      outcome: attempted.status === 'Sent' ? '200' : nameOf(attempted.error),
      durationMs: Math.round(performance.now() - startedAt),
      post: {
        headers: Object.entries(headers).map(([name, value]) => ({ name, value })),
        body: posted.payload,
        fault: attempted.status === 'Sent' ? null : attempted.error,
        isSignatureValid: isSigned(posted, headers),
      },
    })
  }
  return attempted
}

const respond =
  (status: number, headers: Record<string, string> = {}) =>
  (now: number): Attempted =>
    outcomeOf({ status, headers, body: Buffer.alloc(0) }, now)

const fail = (category: string, detail: string) => (): Attempted => ({
  status: 'Failed',
  error: { category, httpStatus: null, detail },
  failure: { isOverloaded: category === 'timeout' },
})

const answers: Record<Behaviour, (now: number) => Attempted> = {
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
function isSigned({ id, payload, keys }: Posted, headers: Record<string, string>): boolean {
  const timestamp = Number(headers['webhook-timestamp'])
  const expected = sign(keys.slice(0, 1), { id, timestamp, body: payload })
  return headers['webhook-signature']?.split(' ').includes(expected) === true
}
