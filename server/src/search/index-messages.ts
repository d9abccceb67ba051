import type { Db, Tx } from '../platform/database/db.ts'
import { withLockTimeout } from '../platform/database/lock-timeout.ts'
import type { AccountId, ContactId, MessageId } from '../platform/ids.ts'
import type { Line } from './blocks/block-store.ts'
import { keepLines } from './blocks/keep-lines.ts'
import {
  findDueAccounts,
  findDueContacts,
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

/** At once, so that no transaction is long: some 20 ms of work. */
const conversationsAtOnce = 100
const messagesOfEach = 50
const oldAtOnce = 500

/** Of an account in one round, so that none keeps the others waiting. */
const conversationsInRound = 5_000

/** Waits after a batch that took so many milliseconds. */
export type Pause = (tookMs: number) => Promise<unknown>

/**
 * Adds the messages of all accounts that are not in the search yet. Killed anywhere, it leaves a batch as a whole or not
 * at all: the words and the marks that say how far it came are one transaction.
 */
export async function indexNewMessages(db: Db, pause: Pause = async () => {}): Promise<void> {
  const horizon = await readHorizon(db)
  const due = await findDueAccounts(db)
  for (const { accountId } of due) await indexAccount(db, accountId, pause)
  const oldest = due.reduce((least, one) => (Date.parse(one.oldest) < Date.parse(least) ? one.oldest : least), horizon)
  await moveSearchedTo(db, oldest)
}

/** What is due is looked for once, and read in batches: to look means to pass all that was active in the last minutes. */
async function indexAccount(db: Db, accountId: AccountId, pause: Pause): Promise<void> {
  let contactIds = await findDueContacts(db, accountId, conversationsInRound)
  while (contactIds.length > 0) {
    const began = performance.now()
    const more = await indexBatch(db, accountId, contactIds.slice(0, conversationsAtOnce))
    contactIds = [...contactIds.slice(conversationsAtOnce), ...more]
    await pause(performance.now() - began)
  }
}

/** Returns the contacts that have more messages than it has read. */
async function indexBatch(db: Db, accountId: AccountId, contactIds: ContactId[]): Promise<ContactId[]> {
  return inTransaction(db, async (tx) => {
    if (!(await tryToLock(tx))) return []
    const rows = await readDueMessages(tx, accountId, { contactIds, messagesOfEach })
    const marks = rows.filter(({ messageId }) => messageId === null)
    if (marks.length === 0) return []
    await keepLines(tx, accountId, rows.flatMap(lineOfMessage))
    await moveMarks(tx, accountId, marks)
    return marks.filter(({ isCut }) => isCut).map(({ contactId }) => contactId)
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
