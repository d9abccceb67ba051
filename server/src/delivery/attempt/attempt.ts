import type { KeyObject } from 'node:crypto'
import type { DeliveryError } from '../../messages/store.ts'
import type { EventKind, LeasedEvent } from '../../outbox/owe-events.ts'
import type { AccountId } from '../../platform/ids.ts'
import type { Answer } from '../../platform/outbound/call.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { OutboundError } from '../../platform/outbound/outbound-error.ts'
import { unseal } from '../../platform/secrets/seal.ts'
import { version } from '../../platform/version.ts'
import { type Failure, readRetryAfter } from '../outcome/retry.ts'
import { sign } from './signature.ts'

/** What one attempt came to. */
export type Attempted =
  | { status: 'Sent' }
  /** `failure`: when to try again depends on it; left out, trying again is of no use. */
  | { status: 'Failed'; error: DeliveryError; failure?: Failure; isGone?: true }

export type AttemptCtx = Readonly<{ outbound: Outbound; secretKey: Buffer; now: () => number }>

const userAgent = `Patchbay/${version}`

/** Of the answer's body; the status alone decides. */
const readBytes = 16 * 1024

/** What is posted, in the words of Standard Webhooks. */
export type Posted = Pick<LeasedEvent, 'id' | 'payload' | 'author' | 'outgoingSeq'> & {
  url: string
  attempt: number
  /** What it is signed with, the newest first. */
  keys: KeyObject[]
}

/** Posts an event once and judges the answer. It never throws for what a receiver does. */
export async function attempt({ outbound, now }: AttemptCtx, posted: Posted): Promise<Attempted> {
  const { id, payload, author, outgoingSeq, url, keys } = posted
  const timestamp = Math.floor(now() / 1_000)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'accept-encoding': 'identity',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': sign(keys, { id, timestamp, body: payload }),
    'patchbay-attempt': String(posted.attempt),
  }
  if (author !== null) headers['patchbay-author'] = author
  if (outgoingSeq !== null) headers['patchbay-sequence'] = outgoingSeq
  try {
    const answer = { mostBytes: readBytes, whenLarger: 'cut' as const }
    return judge(await outbound.request({ method: 'POST', url, headers, body: payload, ...answer }), now())
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const { category, message } = error
    const failed = { status: 'Failed' as const, error: { category, httpStatus: null, detail: message } }
    return category === 'blocked_address' ? failed : { ...failed, failure: { needsRest: category === 'timeout' } }
  }
}

/** The secrets that sign for this receiver now, the newest first. */
export function secretsOf(
  secretKey: Buffer,
  endpoint: { accountId: AccountId; kind: EventKind; secret: string; oldSecret: string | null },
): string[] {
  const { secret, oldSecret } = endpoint
  const sealed = oldSecret === null ? [secret] : [secret, oldSecret]
  return sealed.map((text) => unseal(secretKey, text, placeOf(endpoint)))
}

/** Where an account's secret is at home. */
export function placeOf({ accountId, kind }: { accountId: AccountId; kind: EventKind }): string {
  return `endpoints ${accountId} ${kind}`
}

const busy = [429, 502, 503, 504]

function judge({ status, headers, body }: Answer, now: number): Attempted {
  if (status >= 200 && status < 300) return { status: 'Sent' }
  const isRedirect = status >= 300 && status < 400
  // Where a redirect leads is the receiver's secret, or an attacker's bait; it is neither followed nor kept.
  const detail = isRedirect ? 'The receiver redirects; redirects are not followed.' : readable(body)
  const error = { category: isRedirect ? 'redirect' : 'http_error', httpStatus: status, detail }
  if (status === 410) return { status: 'Failed', error, isGone: true }
  const retryAfterSeconds = readRetryAfter(headers['retry-after'], now)
  return { status: 'Failed', error, failure: { needsRest: busy.includes(status), retryAfterSeconds } }
}

const detailBytes = 1024

/** What the receiver said, as far as people can read it. */
function readable(body: Buffer): string {
  const text = new TextDecoder('utf-8').decode(body.subarray(0, detailBytes))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufffd]/g, '').trim()
}
