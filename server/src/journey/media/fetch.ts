import { limits } from '@patchbay/contract/limits.ts'
import type { Db } from '../../platform/database/db.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { OutboundError } from '../../platform/outbound/call.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { version } from '../../platform/version.ts'
import type { FetchOverChannel } from '../channels/fetch-from-provider.ts'
import { mismatchOf } from './check-content.ts'
import { type Fetch, giveUpFetch, keepFetched, postponeFetch } from './fetch-store.ts'

export type FetchCtx = Readonly<{
  db: Db
  outbound: Outbound
  hint: Hint
  instruments: Pick<Instruments, 'fetches'>
  /** Fetches a file that came over a built-in channel. */
  fetchOverChannel: FetchOverChannel
  retrySeconds?: readonly number[]
}>

/** The waits after failed attempts to fetch a file. */
const defaultRetrySeconds = [10, 60, 600] as const
/** Before them, of a file that came over a channel: providers tell of some a moment before they can be fetched. */
const earlyRetrySeconds = [1, 3] as const

type Download = { bytes: Buffer } | { state: 'unreachable' | 'gone' | 'not allowed' | 'wrong type' | 'too large' }

/** Fetches one file that a message named by its address, and stores it as if it had been in the message. */
export async function fetchMedia(
  { db, outbound, fetchOverChannel, hint, instruments, retrySeconds = defaultRetrySeconds }: FetchCtx,
  fetch: Fetch,
): Promise<void> {
  const waits = fetch.url === null ? [...earlyRetrySeconds, ...retrySeconds] : retrySeconds
  const mayTry = fetch.attempts <= waits.length + 1 // unsettled attempts count: this file may crash the process
  const fetched = mayTry ? await download({ outbound, fetchOverChannel }, fetch) : { state: 'gone' as const }
  instruments.fetches.add('bytes' in fetched ? 'stored' : stateOf(fetched))
  if ('bytes' in fetched) await keepFetched(db, fetch, fetched.bytes)
  else {
    const wait = fetched.state === 'unreachable' ? waits[fetch.attempts - 1] : undefined
    if (wait === undefined) await giveUpFetch(db, fetch, stateOf(fetched))
    else await postponeFetch(db, fetch, wait)
  }
  hint(fetch.accountId, fetch.contactId)
}

/** What nobody will find is as unreachable as what nobody finds now. */
function stateOf({ state }: Exclude<Download, { bytes: Buffer }>): Parameters<typeof giveUpFetch>[2] {
  return state === 'gone' ? 'unreachable' : state
}

type Ways = Pick<FetchCtx, 'outbound' | 'fetchOverChannel'>

async function download({ outbound, fetchOverChannel }: Ways, fetch: Fetch): Promise<Download> {
  const { url, contentType } = fetch
  if (url === null) return judge(await fetchOverChannel(fetch), contentType)
  try {
    const headers = { 'user-agent': `Patchbay/${version}`, accept: contentType, 'accept-encoding': 'identity' }
    const call = { method: 'GET' as const, url, headers, mostBytes: limits.mediaBytes }
    const { status, headers: received, body: bytes } = await outbound.request({ ...call, whenLarger: 'refuse' })
    if (status !== 200) return { state: 'unreachable' }
    if (bytes.length === 0 || isEncoded(received['content-encoding'])) return { state: 'wrong type' }
    return judge({ bytes }, contentType)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.category === 'too_large') return { state: 'too large' }
    return { state: error.category === 'blocked_address' ? 'not allowed' : 'unreachable' }
  }
}

async function judge(fetched: Download, contentType: string): Promise<Download> {
  if (!('bytes' in fetched)) return fetched
  return (await mismatchOf(fetched.bytes, contentType)) === undefined ? fetched : { state: 'wrong type' }
}

/** We request the file without content encoding; the bytes of a compressed response are not the file. */
function isEncoded(encoding: string | string[] | undefined): boolean {
  return !/^(identity)?$/i.test(String(encoding ?? '').trim())
}
