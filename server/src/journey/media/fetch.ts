import { limits } from '@patchbay/contract/limits.ts'
import type { Db } from '../../platform/database/db.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { OutboundError } from '../../platform/outbound/call.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { version } from '../../platform/version.ts'
import { mismatchOf } from './check-content.ts'
import { type Fetch, giveUpFetch, keepFetched, postponeFetch } from './fetch-store.ts'

export type FetchCtx = Readonly<{
  db: Db
  outbound: Outbound
  hint: Hint
  instruments: Pick<Instruments, 'fetches'>
  retrySeconds?: readonly number[]
}>

/** The waits after failed attempts to fetch a file. */
const defaultRetrySeconds = [10, 60, 600] as const

type Download = { bytes: Buffer } | { state: 'unreachable' | 'not allowed' | 'wrong type' | 'too large' }

/** Fetches one file that a message named by its address, and stores it as if it had been in the message. */
export async function fetchMedia(
  { db, outbound, hint, instruments, retrySeconds = defaultRetrySeconds }: FetchCtx,
  fetch: Fetch,
): Promise<void> {
  const mayTry = fetch.attempts <= retrySeconds.length + 1 // unsettled attempts count: this file may crash the process
  const fetched = mayTry ? await download(outbound, fetch) : { state: 'unreachable' as const }
  instruments.fetches.add('bytes' in fetched ? 'stored' : fetched.state)
  if ('bytes' in fetched) await keepFetched(db, fetch, fetched.bytes)
  else {
    const wait = fetched.state === 'unreachable' ? retrySeconds[fetch.attempts - 1] : undefined
    if (wait === undefined) await giveUpFetch(db, fetch, fetched.state)
    else await postponeFetch(db, fetch, wait)
  }
  hint(fetch.accountId, fetch.contactId)
}

async function download(outbound: Outbound, { url, contentType }: Fetch): Promise<Download> {
  try {
    const headers = { 'user-agent': `Patchbay/${version}`, accept: contentType, 'accept-encoding': 'identity' }
    const call = { method: 'GET' as const, url, headers, mostBytes: limits.mediaBytes }
    const { status, headers: received, body: bytes } = await outbound.request({ ...call, whenLarger: 'refuse' })
    if (status !== 200) return { state: 'unreachable' }
    if (bytes.length === 0 || isEncoded(received['content-encoding'])) return { state: 'wrong type' }
    return (await mismatchOf(bytes, contentType)) === undefined ? { bytes } : { state: 'wrong type' }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.category === 'too_large') return { state: 'too large' }
    return { state: error.category === 'blocked_address' ? 'not allowed' : 'unreachable' }
  }
}

/** We request the file without content encoding; the bytes of a compressed response are not the file. */
function isEncoded(encoding: string | string[] | undefined): boolean {
  return !/^(identity)?$/i.test(String(encoding ?? '').trim())
}
