import type { Pool } from 'pg'
import { BoundedMap } from '../../platform/collections.ts'
import { type BatchedLookup, openBatchedLookup } from '../../platform/database/batched-lookup.ts'
import type { Log } from '../../platform/log.ts'
import {
  type Credential,
  type FoundSession,
  findSessions,
  findSigningIn,
  type SignInUser,
  touchSessions,
} from './session-store.ts'

/** Sessions that were found at their last look-up. */
const mostSeen = 10_000

/** How many other look-ups may wait. More than that is a flood. */
const mostWaiting = 2_000

/**
 * Looks up sessions by the hashes of their tokens, in hex. Those that were found before have queries of their own, so that
 * people at work do not wait behind a flood of random cookies. Nothing is cached, and no request shares a query that began
 * before it: a session that was ended is refused at once.
 */
export function openSessionLookup(pool: Pool, log: Log): BatchedLookup<FoundSession> {
  const seen = new BoundedMap<string, true>(mostSeen)

  function note(tokenHash: string, session: FoundSession | undefined): void {
    if (session) seen.set(tokenHash, true)
    else seen.delete(tokenHash)
  }

  async function query(tokenHashes: string[]): Promise<Map<string, FoundSession>> {
    const { found, stale } = await findSessions(pool, tokenHashes)
    // Who was found goes on, also when nothing can be written; the next request notes it.
    const warn = (err: unknown) => log.warn({ err }, 'it could not be noted that sessions are in use')
    if (stale.length > 0) await touchSessions(pool, stale).catch(warn)
    return found
  }

  const common = { query, note, mayJoin: false }
  // No more of them can wait than were seen. A second query runs beside the first when the database is slow.
  const findSeen = openBatchedLookup({ ...common, mostWaiting: mostSeen, mostAtOnce: 2 })
  const findOther = openBatchedLookup({ ...common, mostWaiting, mostAtOnce: 1 })
  return (tokenHash) => (seen.has(tokenHash) ? findSeen(tokenHash) : findOther(tokenHash))
}

export type FindSigningIn = (credential: Credential) => Promise<SignInUser | undefined>

export function openSigningInLookup(pool: Pool): FindSigningIn {
  const find = openBatchedLookup<SignInUser>({
    query: async (keys) => {
      const credentials = keys.map((key) => JSON.parse(key) as Credential)
      const found = await findSigningIn(pool, credentials)
      return new Map([...found].map(([place, user]) => [keys[place] ?? '', user]))
    },
    mostWaiting,
    mostAtOnce: 1,
    mayJoin: false,
  })
  return ({ email, address }) => find(JSON.stringify({ email, address }))
}
