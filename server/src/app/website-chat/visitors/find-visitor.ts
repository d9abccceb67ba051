import { openBatchedLookup } from '../../../platform/database/batched-lookup.ts'
import type { Db } from '../../../platform/database/db.ts'
import { findVisitors, type KnownVisitor, nameOf, type OnChat, type VisitorAddress } from './visitor-store.ts'

export type FindVisitor = (on: OnChat, address: VisitorAddress) => Promise<KnownVisitor | undefined>

/** How many may wait for a look at the database; more is a flood. */
const mostWaiting = 1_000

/** Under a flood of 700 strangers a second each query is for several: with one right after another, PostgreSQL took 65 % of a core and not 40. */
const betweenMs = 10

/** Strangers may ask as often as they like: they are looked up together, a query after another. */
export function openFindVisitor(db: Db): FindVisitor {
  // None joins a query that has begun: it may not see what was committed since.
  const find = openBatchedLookup<KnownVisitor>({
    query: (names) => findVisitors(db, names),
    ...{ mostWaiting, mostAtOnce: 2, betweenMs, mayJoin: false },
  })
  return (on, address) => find(nameOf(on, address))
}
