import type { Db, Tx } from '../platform/database/db.ts'
import { withLockTimeout } from '../platform/database/lock-timeout.ts'
import type { AccountId, ContactId, MessageId } from '../platform/ids.ts'
import type { Line } from './blocks/block-store.ts'
import { keepLines } from './blocks/keep-lines.ts'
import {
  findDueAccounts,
  moveBackfill,
  moveMarks,
  moveSearchedTo,
  readBackfills,
  readDueMessages,
  readHorizon,
  readOldMessages,
  tryToLock,
} from './due-store.ts'
import { lineOf, wordsOf } from './text/words.ts'

/** At once, so that no transaction is long: some 20 ms of work, and 10 MB with the largest messages. */
const limits = { conversations: 100, messagesOfEach: 50 }
const oldAtOnce = 500

/** A batch that found fewer is the last for now: what has come since waits for the next time. */
const worthwhile = 50

/**
 * Adds the messages of all accounts that are not in the search yet. Killed anywhere, it leaves a batch as a whole or not
 * at all: the words and the marks that say how far it came are one transaction.
 */
export async function indexNewMessages(db: Db): Promise<void> {
  const horizon = await readHorizon(db)
  const due = await findDueAccounts(db)
  for (const { accountId } of due) while ((await indexBatch(db, accountId)) >= worthwhile);
  const oldest = due.reduce((least, one) => (Date.parse(one.oldest) < Date.parse(least) ? one.oldest : least), horizon)
  await moveSearchedTo(db, oldest)
}

/** Returns how many conversations and messages it had. */
async function indexBatch(db: Db, accountId: AccountId): Promise<number> {
  return inTransaction(db, async (tx) => {
    if (!(await tryToLock(tx))) return 0
    const rows = await readDueMessages(tx, accountId, limits)
    const marks = rows.filter(({ messageId }) => messageId === null)
    if (marks.length === 0) return 0
    await keepLines(tx, accountId, rows.flatMap(lineOfMessage))
    await moveMarks(tx, accountId, marks)
    return rows.length
  })
}

/** Adds the next older messages of each account that had messages before there was a search. False: all is done. */
export async function backfill(db: Db): Promise<boolean> {
  const backfills = await readBackfills(db)
  for (const { accountId } of backfills) await backfillBatch(db, accountId)
  return backfills.length > 0
}

async function backfillBatch(db: Db, accountId: AccountId): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await tryToLock(tx))) return
    // Read under the lock: another process may have moved on.
    const one = (await readBackfills(tx)).find((each) => each.accountId === accountId)
    if (!one) return
    const rows = await readOldMessages(tx, one, oldAtOnce)
    await keepLines(tx, accountId, rows.flatMap(lineOfMessage))
    await moveBackfill(tx, accountId, rows.length < oldAtOnce ? undefined : rows.at(-1)?.messageId)
  })
}

/** A mark cannot be written for a contact that was erased since: the batch is read again. */
function inTransaction<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return withLockTimeout(db, work, { retryStates: ['23503'] })
}

type Read = { messageId: MessageId | null; contactId: ContactId; body: string | null }

function lineOfMessage({ messageId, contactId, body }: Read): Line[] {
  if (messageId === null || body === null) return []
  const text = lineOf(wordsOf(body))
  return text === '' ? [] : [{ messageId, contactId, text }]
}
