import { insist } from './insist.ts'
import { Refusal } from './refusal.ts'
import { hasSqlState } from './sql-state.ts'

/** Enough for every connection we take, and little enough to answer within a second or two on a slow disk. */
const longestQueue = 2_000

/**
 * A second batch goes out beside the first when this many rows wait, and this many times as many as are on the way: the
 * database has something to do while the disk syncs, and batches stay large. At 64 connections, never sending a second
 * one kept a third fewer messages. It also goes out when the first takes long, because a row in it waits for somebody.
 */
const leastSecondBatch = 16
const secondBatchRatio = 2
const slowMs = 100
const largestBatch = 256

/** Results in the order of the rows; undefined for a row that must be asked for again. */
type Write<Row, Result> = (rows: Row[]) => Promise<(Result | undefined)[]>

type Options<Row> = { lockOf?: (row: Row) => unknown; gatherMs?: number; now?: () => number }

type Waiting<Row, Result> = { row: Row; resolve: (result: Result) => void; reject: (error: unknown) => void }

/**
 * Shares commits: what arrives while a write is on its way goes out together in the next one. There is no timer, so a
 * lone row is written at once; unless nobody waits for it, and then it has `gatherMs` to find company. Each row has its
 * own outcome: a batch that fails because of what is in it is written again row by row, and the innocent rows succeed.
 * Rows that wait for the same lock, as told by `lockOf`, are written again together: when somebody holds it for long, each
 * by itself would take its time from all the others.
 */
export function openGroupCommit<Row, Result>(
  write: Write<Row, Result>,
  { lockOf = (row) => row, gatherMs = 0, now = () => performance.now() }: Options<Row> = {},
): (row: Row) => Promise<Result> {
  let waiting: Waiting<Row, Result>[] = []
  let inFlight = 0
  let rowsInFlight = 0
  let sentAt = 0

  function mayGo(): boolean {
    if (inFlight !== 1) return inFlight === 0
    const enough = Math.max(leastSecondBatch, secondBatchRatio * rowsInFlight)
    return waiting.length >= enough || now() - sentAt > slowMs
  }

  function soon(): void {
    if (gatherMs > 0) setTimeout(send, gatherMs)
    else setImmediate(send)
  }

  function send(): void {
    while (waiting.length > 0 && mayGo()) {
      const batch = waiting.slice(0, largestBatch)
      waiting = waiting.slice(largestBatch)
      inFlight += 1
      rowsInFlight += batch.length
      sentAt = now()
      void settle(write, batch, lockOf).then(() => {
        inFlight -= 1
        rowsInFlight -= batch.length
        soon() // once those who have their answer and come again are read too
      })
    }
  }

  return (row) => {
    if (waiting.length >= longestQueue) return Promise.reject(busy())
    return new Promise((resolve, reject) => {
      waiting.push({ row, resolve, reject })
      if (inFlight > 0) send()
      else if (waiting.length === 1) soon() // once all that has arrived by now is read
    })
  }
}

function busy(): Refusal {
  return new Refusal('RATE_LIMITED', 'The server is busy; try again in a second.', { retryAfterSeconds: 1 })
}

/** Without `lockOf`, a lock that is held is not waited for again. */
async function settle<Row, Result>(
  write: Write<Row, Result>,
  batch: Waiting<Row, Result>[],
  lockOf?: (row: Row) => unknown,
): Promise<void> {
  try {
    const results = await write(batch.map(({ row }) => row))
    for (const [index, waiting] of batch.entries()) {
      const result = results[index]
      if (result === undefined) await settleAlone(write, waiting)
      else waiting.resolve(result)
    }
  } catch (error) {
    if (lockOf && isHeldUp(error)) {
      for (const those of Map.groupBy(batch, ({ row }) => lockOf(row)).values()) await settle(write, those)
    } else if (isAboutTheRows(error)) for (const waiting of batch) await settleAlone(write, waiting)
    else for (const { reject } of batch) reject(error)
  }
}

async function settleAlone<Row, Result>(
  write: Write<Row, Result>,
  { row, resolve, reject }: Waiting<Row, Result>,
): Promise<void> {
  await insist(async () => (await write([row]))[0]).then(resolve, reject)
}

/** SQLSTATE 55P03: somebody holds a row for too long. */
function isHeldUp(error: unknown): boolean {
  return hasSqlState(error, '55P03')
}

/** SQLSTATE classes 22 and 23, the data, and 40, a conflict with another transaction. Anything else fails all alike. */
function isAboutTheRows(error: unknown): boolean {
  return hasSqlState(error, '22', '23', '40')
}
