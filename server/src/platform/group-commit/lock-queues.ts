import { openTally } from '../collections.ts'
import { hasSqlState } from '../database/errors.ts'
import { openFairShare } from '../database/fair-share.ts'
import { retryConflicts } from '../database/retry.ts'
import { busy } from '../refusal.ts'
import { type ContendedLocks, openContendedLocks } from './contended-locks.ts'

/** A row that is not settled yet, the lock it needs, and its owner. */
export type PendingRow<Row, Result> = {
  row: Row
  lock: unknown
  owner: string
  since: number
  /** Its connection broke during a write: it may be written already. */
  mayBeWritten: boolean
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** Results in the order of the rows; undefined for a row whose outcome is unknown and that must be written again. */
export type WritePending<Row, Result> = (rows: PendingRow<Row, Result>[]) => Promise<(Result | undefined)[]>

type Writes<Row, Result> = {
  write: WritePending<Row, Result>
  /** Writes as `write` does, waiting while another transaction holds the lock. */
  writeWithLockWait: WritePending<Row, Result> | undefined
  now: () => number
}

export type LockQueues<Row, Result> = {
  /** Whether a row must go here at once: to stay behind others of its lock, or because the lock is contended. */
  takes: (one: PendingRow<Row, Result>) => boolean
  isEmpty: () => boolean
  /** Takes a row that has just arrived; refuses it with 429 when too many wait here already. */
  admit: (one: PendingRow<Row, Result>) => void
  /** Takes rows whose shared write failed because of some of them. */
  add: (rows: PendingRow<Row, Result>[]) => void
}

/** Few enough to be written in a few seconds once the lock is free. */
const mostOfOwner = 500
const mostOfAll = 2_000
const longestWaitMs = 5_000
const largestBatch = 256

/**
 * Writes rows apart from the shared batches: those of one lock together and in order, each lock by itself. While a
 * lock is held, its rows wait on connections of which each owner has a share: rows of other owners do not wait for it.
 */
export function openLockQueues<Row, Result>(writes: Writes<Row, Result>): LockQueues<Row, Result> {
  const queues = new Map<unknown, PendingRow<Row, Result>[]>()
  const waiting = openTally()
  const contended = openContendedLocks(writes.now)
  const settle = openSettling(writes, contended)

  function put(lock: unknown, owner: string, rows: PendingRow<Row, Result>[]): void {
    waiting.add(owner, rows.length)
    const queue = queues.get(lock)
    if (queue) return void queue.push(...rows)
    queues.set(lock, rows)
    void run(lock, owner, rows)
  }

  async function run(lock: unknown, owner: string, queue: PendingRow<Row, Result>[]): Promise<void> {
    while (queue.length > 0) {
      const rows = queue.splice(0, largestBatch)
      await settle(lock, owner, rows)
      waiting.add(owner, -rows.length)
    }
    queues.delete(lock)
  }

  return {
    takes: ({ lock, owner }) => queues.has(lock) || contended.has(lock) || contended.hasMany(owner),
    isEmpty: () => queues.size === 0 && contended.isEmpty(),
    admit: (one) => {
      if (waiting.total() >= mostOfAll || waiting.of(one.owner) >= mostOfOwner) one.reject(busy())
      else put(one.lock, one.owner, [one])
    },
    add: (rows) => {
      for (const [lock, those] of Map.groupBy(rows, (one) => one.lock)) put(lock, those[0]?.owner ?? '', those)
    },
  }
}

type Settle<Row, Result> = (lock: unknown, owner: string, rows: PendingRow<Row, Result>[]) => Promise<void>

/** Settles the rows of one lock: in one write if possible, otherwise one after the other. */
function openSettling<Row, Result>(
  { write, writeWithLockWait, now }: Writes<Row, Result>,
  contended: ContendedLocks,
): Settle<Row, Result> {
  const withSlot = openFairShare({ slots: 4, mostWaiting: mostOfAll, longestWaitMs })

  async function writeLock(lock: unknown, owner: string, rows: PendingRow<Row, Result>[]) {
    if (!contended.has(lock) || !writeWithLockWait) {
      try {
        return await withSlot(owner, () => writeWithRetry(rows))
      } catch (error) {
        if (!writeWithLockWait || !isLockTimeout(error)) throw error
      }
    }
    contended.add(lock, owner)
    const results = await writeWithLockWait(rows)
    contended.delete(lock)
    return results
  }

  async function writeWithRetry(rows: PendingRow<Row, Result>[]): Promise<(Result | undefined)[]> {
    return rows.length > 1 ? write(rows) : [await retryConflicts(async () => (await write(rows))[0])]
  }

  async function writeAlone(owner: string, one: PendingRow<Row, Result>): Promise<void> {
    await withSlot(owner, () => writeWithRetry([one])).then((results) => void resolveRows([one], results), one.reject)
  }

  return async (lock, owner, rows) => {
    // A row that may be written already must not be refused as if nothing had been done.
    const isLate = (one: PendingRow<Row, Result>) => !one.mayBeWritten && now() - one.since > longestWaitMs
    const { late = [], inTime = [] } = Object.groupBy(rows, (one) => (isLate(one) ? 'late' : 'inTime'))
    for (const one of late) one.reject(busy())
    if (inTime.length === 0) return
    try {
      for (const one of resolveRows(inTime, await writeLock(lock, owner, inTime))) await writeAlone(owner, one)
    } catch (error) {
      if (inTime.length > 1 && isCausedByRows(error)) for (const one of inTime) await writeAlone(owner, one)
      else for (const { reject } of inTime) reject(error)
    }
  }
}

/** Resolves each row with its result, and returns the rows that have none. */
export function resolveRows<Row, Result>(
  rows: PendingRow<Row, Result>[],
  results: (Result | undefined)[],
): PendingRow<Row, Result>[] {
  return rows.filter((one, index) => {
    const result = results[index]
    if (result !== undefined) one.resolve(result)
    return result === undefined
  })
}

/** SQLSTATE 55P03: another transaction held the lock for longer than the lock timeout. */
export function isLockTimeout(error: unknown): boolean {
  return hasSqlState(error, '55P03')
}

/** SQLSTATE classes 22 and 23, the data, and 40, a conflict with a transaction. All else fails the whole batch. */
export function isCausedByRows(error: unknown): boolean {
  return hasSqlState(error, '22', '23', '40')
}
