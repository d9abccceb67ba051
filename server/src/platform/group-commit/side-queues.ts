import { openFairShare } from '../database/fair-share.ts'
import { retryConflicts } from '../database/retry-conflicts.ts'
import { hasSqlState } from '../database/sql-state.ts'
import { busy } from '../refusal.ts'
import { type HeldLocks, openHeldLocks } from './held-locks.ts'

/** A row on its way, the lock it needs, and whose it is. */
export type Waiting<Row, Result> = {
  row: Row
  lock: unknown
  owner: string
  since: number
  /** It was on a connection that broke: perhaps it is written already. */
  isInDoubt: boolean
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** Results in the order of the rows; undefined for a row that must be asked for again. */
export type WriteWaiting<Row, Result> = (rows: Waiting<Row, Result>[]) => Promise<(Result | undefined)[]>

type Writes<Row, Result> = {
  write: WriteWaiting<Row, Result>
  /** The same, waiting for the lock. */
  patiently: WriteWaiting<Row, Result> | undefined
  now: () => number
}

export type SideQueues<Row, Result> = {
  /** Whether rows that need this lock go here at once: to stay behind others, or because somebody holds it. */
  wants: (one: Waiting<Row, Result>) => boolean
  isEmpty: () => boolean
  /** Takes a row that has just come; it is told to come back when too many wait here already. */
  admit: (one: Waiting<Row, Result>) => void
  /** Takes rows whose shared write failed because of some of them. */
  add: (rows: Waiting<Row, Result>[]) => void
}

/** Little enough to be written in a few seconds once the lock is free. */
const mostOfOwner = 500
const mostInAll = 2_000
const longestMs = 5_000
const largestBatch = 256

/**
 * Writes rows apart from the batches that all share: those of one lock together and in order, each lock by itself. A lock
 * that somebody holds is waited for elsewhere, on behalf of its owner, and nobody else's rows wait with it.
 */
export function openSideQueues<Row, Result>({ write, patiently, now }: Writes<Row, Result>): SideQueues<Row, Result> {
  const queues = new Map<unknown, Waiting<Row, Result>[]>()
  const rowsOf = new Map<string, number>()
  const held = openHeldLocks(now)
  const settle = openSettling({ write, patiently, now }, held)
  let inAll = 0

  function count(owner: string, change: number): void {
    inAll += change
    const rows = (rowsOf.get(owner) ?? 0) + change
    rows > 0 ? rowsOf.set(owner, rows) : rowsOf.delete(owner)
  }

  function put(lock: unknown, owner: string, rows: Waiting<Row, Result>[]): void {
    count(owner, rows.length)
    const queue = queues.get(lock)
    if (queue) return void queue.push(...rows)
    queues.set(lock, rows)
    void run(lock, owner, rows)
  }

  async function run(lock: unknown, owner: string, queue: Waiting<Row, Result>[]): Promise<void> {
    while (queue.length > 0) {
      const rows = queue.splice(0, largestBatch)
      await settle(lock, owner, rows)
      count(owner, -rows.length)
    }
    queues.delete(lock)
  }

  return {
    wants: ({ lock, owner }) => queues.has(lock) || held.has(lock) || held.hasMany(owner),
    isEmpty: () => queues.size === 0 && held.isEmpty(),
    admit: (one) => {
      if (inAll >= mostInAll || (rowsOf.get(one.owner) ?? 0) >= mostOfOwner) one.reject(busy())
      else put(one.lock, one.owner, [one])
    },
    add: (rows) => {
      for (const [lock, those] of Map.groupBy(rows, (one) => one.lock)) put(lock, those[0]?.owner ?? '', those)
    },
  }
}

type Settle<Row, Result> = (lock: unknown, owner: string, rows: Waiting<Row, Result>[]) => Promise<void>

/** Each row of one lock gets its outcome: all at once if possible, otherwise one after the other. */
function openSettling<Row, Result>(
  { write, patiently, now }: Writes<Row, Result>,
  held: HeldLocks,
): Settle<Row, Result> {
  const quickly = openFairShare({ slots: 4, mostWaiting: mostInAll, longestMs })

  async function writeLock(lock: unknown, owner: string, rows: Waiting<Row, Result>[]) {
    if (!held.has(lock) || !patiently) {
      try {
        return await quickly(owner, () => writeAgain(rows))
      } catch (error) {
        if (!patiently || !isHeldUp(error)) throw error
      }
    }
    held.add(lock, owner)
    const results = await patiently(rows)
    held.delete(lock)
    return results
  }

  async function writeAgain(rows: Waiting<Row, Result>[]): Promise<(Result | undefined)[]> {
    return rows.length > 1 ? write(rows) : [await retryConflicts(async () => (await write(rows))[0])]
  }

  async function writeAlone(owner: string, one: Waiting<Row, Result>): Promise<void> {
    await quickly(owner, () => writeAgain([one])).then((results) => void tell([one], results), one.reject)
  }

  return async (lock, owner, rows) => {
    // What may be written already cannot be told that nothing was done.
    const isLate = (one: Waiting<Row, Result>) => !one.isInDoubt && now() - one.since > longestMs
    const { late = [], those = [] } = Object.groupBy(rows, (one) => (isLate(one) ? 'late' : 'those'))
    for (const one of late) one.reject(busy())
    if (those.length === 0) return
    try {
      for (const one of tell(those, await writeLock(lock, owner, those))) await writeAlone(owner, one)
    } catch (error) {
      if (those.length > 1 && isAboutTheRows(error)) for (const one of those) await writeAlone(owner, one)
      else for (const { reject } of those) reject(error)
    }
  }
}

/** Gives each row its result, and returns those for which there is none. */
export function tell<Row, Result>(
  rows: Waiting<Row, Result>[],
  results: (Result | undefined)[],
): Waiting<Row, Result>[] {
  return rows.filter((one, index) => {
    const result = results[index]
    if (result !== undefined) one.resolve(result)
    return result === undefined
  })
}

/** SQLSTATE 55P03: somebody holds a row for too long. */
export function isHeldUp(error: unknown): boolean {
  return hasSqlState(error, '55P03')
}

/** SQLSTATE classes 22 and 23, the data, and 40, a conflict with another transaction. Anything else fails all alike. */
export function isAboutTheRows(error: unknown): boolean {
  return hasSqlState(error, '22', '23', '40')
}
