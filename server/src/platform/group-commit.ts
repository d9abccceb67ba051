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

type Waiting<Row, Result> = { row: Row; resolve: (result: Result) => void; reject: (error: unknown) => void }

/**
 * Shares commits: what arrives while a write is on its way goes out together in the next one. There is no timer, so a
 * lone row is written at once; unless nobody waits for it, and then it has `gatherMs` to find company. Each row has its
 * own outcome: a batch that fails because of what is in it is written again row by row, and the innocent rows succeed.
 */
export function openGroupCommit<Row, Result>(
  write: Write<Row, Result>,
  { gatherMs = 0, now = () => performance.now() } = {},
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
      void settle(write, batch).then(() => {
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

async function settle<Row, Result>(write: Write<Row, Result>, batch: Waiting<Row, Result>[]): Promise<void> {
  try {
    const results = await write(batch.map(({ row }) => row))
    for (const [index, waiting] of batch.entries()) {
      const result = results[index]
      if (result === undefined) await settleAlone(write, waiting)
      else waiting.resolve(result)
    }
  } catch (error) {
    if (!isAboutTheRows(error)) for (const { reject } of batch) reject(error)
    else for (const waiting of batch) await settleAlone(write, waiting)
  }
}

async function settleAlone<Row, Result>(
  write: Write<Row, Result>,
  { row, resolve, reject }: Waiting<Row, Result>,
): Promise<void> {
  await insist(async () => (await write([row]))[0]).then(resolve, reject)
}

/**
 * SQLSTATE classes 22 and 23, the data, 40, a conflict with another transaction, and 55P03, a row that someone holds
 * for too long. Anything else fails all alike.
 */
function isAboutTheRows(error: unknown): boolean {
  return hasSqlState(error, '22', '23', '40', '55P03')
}
