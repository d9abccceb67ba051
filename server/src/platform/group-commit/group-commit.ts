import { retryWhenLost } from '../database/retry-when-lost.ts'
import { busy } from '../refusal.ts'
import {
  isAboutTheRows,
  isHeldUp,
  openSideQueues,
  type SideQueues,
  tell,
  type Waiting,
  type WriteWaiting,
} from './side-queues.ts'

/** Enough for every connection we take, and little enough to answer within a second or two on a slow disk. */
const longestQueue = 2_000
/** The rest is kept for others. */
const mostOfOwner = 1_500

/**
 * A second batch goes out beside the first when this many rows wait, and this many times as many as are on the way: the
 * database has something to do while the disk syncs, and batches stay large. At 64 connections, never sending a second
 * one kept a third fewer messages. Others go out when the last takes long, because a row in it waits for somebody or
 * because the database is far away.
 */
const leastSecondBatch = 16
const secondBatchRatio = 2
const slowMs = 100
const mostBatches = 4
const largestBatch = 256

/** Results in the order of the rows; undefined for a row that must be asked for again. */
type Write<Row, Result> = (rows: Row[]) => Promise<(Result | undefined)[]>

type Options<Row, Result> = {
  /** Equal for rows that need the same lock. */
  lockOf?: (row: Row) => unknown
  ownerOf?: (row: Row) => string
  /** Writes rows of one owner and one lock that somebody holds. Without it such rows fail. */
  patiently?: (owner: string, rows: Row[]) => Promise<(Result | undefined)[]>
  /** Writes rows that may have been written already, when the connection broke. Without it such rows fail. */
  again?: Write<Row, Result>
  gatherMs?: number
  now?: () => number
}

/**
 * Shares commits: what arrives while a write is on its way goes out together in the next one. There is no timer, so a
 * lone row is written at once; unless nobody waits for it, and then it has `gatherMs` to find company. Each row has its
 * own outcome: a batch that fails because of what is in it is written again, each lock by itself, and the innocent rows
 * succeed. `write` must not wait long for a lock: rows whose lock is held leave the batches until it is free.
 *
 * Rows of one lock are written in the order in which they came.
 */
export function openGroupCommit<Row, Result>(
  write: Write<Row, Result>,
  options: Options<Row, Result> = {},
): (row: Row) => Promise<Result> {
  const { lockOf = (row) => row, ownerOf, gatherMs = 0, now = () => performance.now() } = options
  const writes = openWrites(write, options)
  const side = openSideQueues<Row, Result>({ ...writes, now })
  const inFlight = new Set<Waiting<Row, Result>[]>()
  let waiting: Waiting<Row, Result>[] = []
  let rowsInFlight = 0
  let sentAt = 0
  /** All that waits needs locks that are on their way: it is not looked through again until it has doubled. */
  let enough = 0

  function mayGo(): boolean {
    if (inFlight.size === 0) return true
    if (waiting.length < enough || inFlight.size >= mostBatches) return false
    if (now() - sentAt > slowMs) return true
    return inFlight.size === 1 && waiting.length >= Math.max(leastSecondBatch, secondBatchRatio * rowsInFlight)
  }

  function soon(): void {
    if (gatherMs > 0) setTimeout(send, gatherMs)
    else setImmediate(send)
  }

  function send(): void {
    while (waiting.length > 0 && mayGo()) {
      const { batch, wait } = divide(waiting, inFlight, side)
      waiting = wait
      enough = batch.length === 0 ? 2 * waiting.length : 0
      if (batch.length === 0) continue
      inFlight.add(batch)
      rowsInFlight += batch.length
      sentAt = now()
      void settle(batch, writes.write, side).then(() => {
        inFlight.delete(batch)
        rowsInFlight -= batch.length
        enough = 0
        soon() // once those who have their answer and come again are read too
      })
    }
  }

  return (row) => {
    const owner = ownerOf?.(row) ?? ''
    if (isFull(waiting, ownerOf && owner)) return Promise.reject(busy())
    return new Promise((resolve, reject) => {
      waiting.push({ row, lock: lockOf(row), owner, since: now(), isInDoubt: false, resolve, reject })
      if (inFlight.size > 0) send()
      else if (waiting.length === 1) soon() // once all that has arrived by now is read
    })
  }
}

function isFull<Row, Result>(waiting: Waiting<Row, Result>[], owner: string | undefined): boolean {
  if (waiting.length < mostOfOwner || owner === undefined) return waiting.length >= longestQueue
  return waiting.length >= longestQueue || waiting.filter((one) => one.owner === owner).length >= mostOfOwner
}

/** What may go out beside the batches in flight: rows whose lock is in one of those wait, to keep their order. */
function divide<Row, Result>(
  waiting: Waiting<Row, Result>[],
  inFlight: Set<Waiting<Row, Result>[]>,
  side: SideQueues<Row, Result>,
): { batch: Waiting<Row, Result>[]; wait: Waiting<Row, Result>[] } {
  if (inFlight.size === 0 && side.isEmpty()) {
    return { batch: waiting.slice(0, largestBatch), wait: waiting.slice(largestBatch) }
  }
  const onTheWay = new Set([...inFlight].flatMap((batch) => batch.map(({ lock }) => lock)))
  const {
    batch = [],
    wait = [],
    aside = [],
  } = Object.groupBy(waiting, (one, index) => {
    if (side.wants(one)) return 'aside'
    return index >= largestBatch || onTheWay.has(one.lock) ? 'wait' : 'batch'
  })
  for (const one of aside) side.admit(one)
  return { batch, wait }
}

async function settle<Row, Result>(
  batch: Waiting<Row, Result>[],
  write: WriteWaiting<Row, Result>,
  side: SideQueues<Row, Result>,
): Promise<void> {
  try {
    side.add(tell(batch, await write(batch)))
  } catch (error) {
    if (isHeldUp(error) || isAboutTheRows(error)) side.add(batch)
    else for (const { reject } of batch) reject(error)
  }
}

/** A write whose connection broke is repeated in the way that is safe for rows that may have been written. */
function openWrites<Row, Result>(
  write: Write<Row, Result>,
  { again, patiently }: Options<Row, Result>,
): { write: WriteWaiting<Row, Result>; patiently: WriteWaiting<Row, Result> | undefined } {
  function insistent(first: WriteWaiting<Row, Result>): WriteWaiting<Row, Result> {
    if (!again) return first
    return (rows) =>
      retryWhenLost((triedBefore) => {
        if (triedBefore > 0) for (const one of rows) one.isInDoubt = true
        return rows.some(({ isInDoubt }) => isInDoubt) ? again(rows.map(({ row }) => row)) : first(rows)
      })
  }
  return {
    write: insistent((rows) => write(rows.map(({ row }) => row))),
    patiently:
      patiently &&
      insistent((rows) =>
        patiently(
          rows[0]?.owner ?? '',
          rows.map(({ row }) => row),
        ),
      ),
  }
}
