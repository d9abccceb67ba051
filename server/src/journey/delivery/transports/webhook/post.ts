import type { KeyObject } from 'node:crypto'
import type { LeasedEvent } from '../../../../outbox/enqueue-events.ts'
import { type Answer, OutboundError } from '../../../../platform/outbound/call.ts'
import type { Outbound } from '../../../../platform/outbound/client.ts'
import { version } from '../../../../platform/version.ts'
import { overloadStatuses, readRetryAfter } from '../../outcome/retry-schedule.ts'
import type { Outcome } from '../transport.ts'
import { sign } from './signing-keys.ts'

export type PostCtx = Readonly<{ outbound: Outbound; now: () => number }>

const userAgent = `Patchbay/${version}`

/** How much of the response body is read; the status alone decides the outcome. */
const readBytes = 16 * 1024

/** One POST request, in the terms of Standard Webhooks. */
export type WebhookPost = Pick<LeasedEvent, 'id' | 'payload' | 'author' | 'outgoingSeq'> & {
  url: string
  attempt: number
  /** The signing keys, the newest first. */
  keys: KeyObject[]
  /** The trace of the request that caused it, where it was part of one. */
  traceparent?: string | undefined
}

/** Posts an event once and reads the outcome. It never throws for what a receiver does. */
export async function post({ outbound, now }: PostCtx, posted: WebhookPost): Promise<Outcome> {
  const { payload, url } = posted
  const headers = headersOf(posted, now())
  try {
    const answer = { mostBytes: readBytes, whenLarger: 'cut' as const }
    return outcomeOf(await outbound.request({ method: 'POST', url, headers, body: payload, ...answer }), now())
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const { category, message } = error
    const failed = { status: 'Failed' as const, error: { category, httpStatus: null, detail: message } }
    return category === 'blocked_address' ? failed : { ...failed, failure: { isOverloaded: category === 'timeout' } }
  }
}

/** The headers of an attempt that is made now. */
export function headersOf(posted: Omit<WebhookPost, 'url'>, now: number): Record<string, string> {
  const { id, payload, author, outgoingSeq, keys, attempt, traceparent } = posted
  const timestamp = Math.floor(now / 1_000)
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'accept-encoding': 'identity',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(keys, { id, timestamp, body: payload }),
    'patchbay-attempt': String(attempt),
    ...(author !== null && { 'patchbay-author': author }),
    ...(outgoingSeq !== null && { 'patchbay-sequence': outgoingSeq }),
    ...(traceparent !== undefined && { traceparent }),
  }
}

export function outcomeOf({ status, headers, body }: Answer, now: number): Outcome {
  if (status >= 200 && status < 300) return { status: 'Sent' }
  const isRedirect = status >= 300 && status < 400
  // The target may be a secret of the receiver or chosen by an attacker, so it is neither followed nor stored.
  const detail = isRedirect ? 'The receiver redirects; redirects are not followed.' : readable(body)
  const error = { category: isRedirect ? 'redirect' : 'http_error', httpStatus: status, detail }
  if (status === 410) return { status: 'Failed', error, isGone: true }
  const retryAfterSeconds = readRetryAfter(headers['retry-after'], now)
  return { status: 'Failed', error, failure: { isOverloaded: overloadStatuses.includes(status), retryAfterSeconds } }
}

const detailBytes = 1024

/** The printable text of the response body. */
function readable(body: Buffer): string {
  const text = new TextDecoder('utf-8').decode(body.subarray(0, detailBytes))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufffd]/g, '').trim()
}
