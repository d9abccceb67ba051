/*
 * Group commit: rows of many requests are written by one statement and share its commit. `lock-queues.ts` writes those
 * apart whose lock another transaction holds, or whose batch failed because of them.
 */

import { retryOnLostConnection } from '../database/retry.ts'
import { observe } from '../metrics/counts.ts'
import type { CommitMeter } from '../metrics/instruments.ts'
import { busy } from '../refusal.ts'
import {
  isCausedByRows,
  isLockTimeout,
  type LockQueues,
  openLockQueues,
  type PendingRow,
  resolveRows,
  type WritePending,
} from './lock-queues.ts'

/** Enough for every connection we accept, and few enough to answer within a second or two on a slow disk. */
const longestQueue = 2_000
/** The rest of the queue is for other owners. */
const mostOfOwner = 1_500

/**
 * A second batch is sent beside the first when this many rows wait, and this many times as many as are in flight: the
 * database has something to do while the disk syncs, and batches stay large. At 64 connections, never sending a second
 * one kept a third fewer messages. Further batches are sent when the last one takes longer than `slowMs`, because a row
 * in it waits for a lock or because the database is far away.
 */
const leastSecondBatch = 16
const secondBatchRatio = 2
const slowMs = 100
const mostBatches = 4
const largestBatch = 256

/** Results in the order of the rows; undefined for a row whose outcome is unknown and that must be written again. */
type Write<Row, Result> = (rows: Row[]) => Promise<(Result | undefined)[]>

type Options<Row, Result> = {
  /** Returns the same for rows that need the same lock. */
  lockOf?: (row: Row) => unknown
  ownerOf?: (row: Row) => string
  /** Writes rows of one owner and one lock, and waits while another transaction holds it. Without it such rows fail. */
  writeWithLockWait?: (owner: string, rows: Row[]) => Promise<(Result | undefined)[]>
  /** Writes rows that may have been written already, because the connection broke. Without it such rows fail. */
  writeAgain?: Write<Row, Result>
  /** How long a first row waits for others to share its batch; 0 by default. */
  gatherMs?: number
  meter?: CommitMeter | undefined
  now?: () => number
}

/**
 * Group commit: rows that arrive while a write is in flight share the next one. There is no timer, so a lone row is
 * written at once; where no request waits for it, `gatherMs` can let it wait for others. Each row has its own outcome:
 * a batch that fails because of its rows is written again, each lock by itself, and the valid rows succeed. `write`
 * must have a short lock timeout: rows whose lock is held leave the batches until it is free.
 *
 * Rows of one lock are written in the order in which they came.
 */
export function openGroupCommit<Row, Result>(
  write: Write<Row, Result>,
  options: Options<Row, Result> = {},
): (row: Row) => Promise<Result> {
  const { lockOf = (row) => row, ownerOf, gatherMs = 0, meter, now = () => performance.now() } = options
  const writes = openWrites(write, options)
  const lockQueues = openLockQueues<Row, Result>({ ...writes, now })
  const inFlight = new Set<PendingRow<Row, Result>[]>()
  let waiting: PendingRow<Row, Result>[] = []
  let rowsInFlight = 0
  let sentAt = 0
  /** When all waiting rows need locks that are in flight, the queue is not divided again until it has doubled. */
  let divideFrom = 0

  function maySend(): boolean {
    if (inFlight.size === 0) return true
    if (waiting.length < divideFrom || inFlight.size >= mostBatches) return false
    if (now() - sentAt > slowMs) return true
    return inFlight.size === 1 && waiting.length >= Math.max(leastSecondBatch, secondBatchRatio * rowsInFlight)
  }

  function scheduleSend(): void {
    if (gatherMs > 0) setTimeout(send, gatherMs)
    else setImmediate(send)
  }

  function send(): void {
    while (waiting.length > 0 && maySend()) {
      const { batch, wait } = divide(waiting, inFlight, lockQueues)
      waiting = wait
      if (meter) meter.waiting = waiting.length
      divideFrom = batch.length === 0 ? 2 * waiting.length : 0
      if (batch.length === 0) continue
      inFlight.add(batch)
      rowsInFlight += batch.length
      const startedAt = now()
      sentAt = startedAt
      void settle(batch, writes.write, lockQueues).then(() => {
        if (meter) observeBatch(meter, batch.length, now() - startedAt)
        inFlight.delete(batch)
        rowsInFlight -= batch.length
        divideFrom = 0
        scheduleSend() // after reading the next requests of those who have just been answered
      })
    }
  }

  return (row) => {
    const owner = ownerOf?.(row) ?? ''
    if (isFull(waiting, ownerOf && owner)) return Promise.reject(busy())
    return new Promise((resolve, reject) => {
      waiting.push({ row, lock: lockOf(row), owner, since: now(), mayBeWritten: false, resolve, reject })
      if (meter) meter.waiting = waiting.length
      if (inFlight.size > 0) send()
      else if (waiting.length === 1) scheduleSend() // after reading everything that has arrived by now
    })
  }
}

function observeBatch(meter: CommitMeter, rows: number, ms: number): void {
  observe(meter.rows, rows)
  observe(meter.seconds, ms / 1_000)
}

function isFull<Row, Result>(waiting: PendingRow<Row, Result>[], owner: string | undefined): boolean {
  if (waiting.length < mostOfOwner || owner === undefined) return waiting.length >= longestQueue
  return waiting.length >= longestQueue || waiting.filter((one) => one.owner === owner).length >= mostOfOwner
}

/** The rows that may be sent beside the batches in flight. Those whose lock is in one of these wait, to keep order. */
function divide<Row, Result>(
  waiting: PendingRow<Row, Result>[],
  inFlight: Set<PendingRow<Row, Result>[]>,
  lockQueues: LockQueues<Row, Result>,
): { batch: PendingRow<Row, Result>[]; wait: PendingRow<Row, Result>[] } {
  if (inFlight.size === 0 && lockQueues.isEmpty()) {
    return { batch: waiting.slice(0, largestBatch), wait: waiting.slice(largestBatch) }
  }
  const locksInFlight = new Set([...inFlight].flatMap((batch) => batch.map(({ lock }) => lock)))
  const {
    batch = [],
    wait = [],
    apart = [],
  } = Object.groupBy(waiting, (one, index) => {
    if (lockQueues.takes(one)) return 'apart'
    return index >= largestBatch || locksInFlight.has(one.lock) ? 'wait' : 'batch'
  })
  for (const one of apart) lockQueues.admit(one)
  return { batch, wait }
}

async function settle<Row, Result>(
  batch: PendingRow<Row, Result>[],
  write: WritePending<Row, Result>,
  lockQueues: LockQueues<Row, Result>,
): Promise<void> {
  try {
    lockQueues.add(resolveRows(batch, await write(batch)))
  } catch (error) {
    if (isLockTimeout(error) || isCausedByRows(error)) lockQueues.add(batch)
    else for (const { reject } of batch) reject(error)
  }
}

/** A write whose connection broke is repeated by `writeAgain`, which is safe for rows that may have been written. */
function openWrites<Row, Result>(
  write: Write<Row, Result>,
  { writeAgain, writeWithLockWait }: Options<Row, Result>,
): { write: WritePending<Row, Result>; writeWithLockWait: WritePending<Row, Result> | undefined } {
  const rowsOf = (pending: PendingRow<Row, Result>[]) => pending.map(({ row }) => row)
  function retried(first: WritePending<Row, Result>): WritePending<Row, Result> {
    if (!writeAgain) return first
    return (rows) =>
      retryOnLostConnection((triedBefore) => {
        if (triedBefore > 0) for (const one of rows) one.mayBeWritten = true
        return rows.some(({ mayBeWritten }) => mayBeWritten) ? writeAgain(rowsOf(rows)) : first(rows)
      })
  }
  return {
    write: retried((rows) => write(rowsOf(rows))),
    writeWithLockWait: writeWithLockWait && retried((rows) => writeWithLockWait(rows[0]?.owner ?? '', rowsOf(rows))),
  }
}
