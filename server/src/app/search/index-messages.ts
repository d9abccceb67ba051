import { setImmediate } from 'node:timers/promises'
import type { Db, Tx } from '../../platform/database/db.ts'
import { withLockTimeout } from '../../platform/database/lock-timeout.ts'
import type { AccountId, ContactId, MessageId } from '../../platform/ids.ts'
import type { Pause } from '../../platform/jobs/yield-to-requests.ts'
import type { NotedConversations } from '../../platform/notify/noted-conversations.ts'
import type { Line } from './blocks/block-store.ts'
import { keepLines } from './blocks/keep-lines.ts'
import {
  type DueConversation,
  type DueMessage,
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

/** What is read at once, so that no transaction is long: some 50 ms of work. Fewer would cost more for each message. */
const conversationsAtOnce = 500
const messagesAtOnce = 2_000
const messagesOfEach = 50
const oldAtOnce = 500
/** The bytes of long messages, so that few of them are in memory at once. */
const bytesAtOnce = 1_048_576

/** The conversations of an account and of all accounts that are kept in mind. When they are done, it is looked for the next. */
const conversationsInRound = 5_000
const conversationsOfAll = 100_000

type Round = {
  pause?: Pause
  roundMs?: number
  stopping?: AbortSignal
  noted?: NotedConversations
  /** How many conversations of an account are kept in mind. */
  conversations?: number
}

/** `contactIds`: conversations to add; undefined: those of the account are looked for first. `isAll`: it has no others. */
type Turn = { accountId: AccountId; contactIds: ContactId[] | undefined; isAll: boolean }

/**
 * Adds messages of all accounts that are not in the search yet: a batch of each account in turn, until all are added or
 * the round is over, and one batch of each in any case. So however much one account has, others wait for a batch of it only.
 * Killed anywhere, it leaves a batch as a whole or not at all: the words and the marks that say how far it came are one
 * transaction.
 */
export async function indexNewMessages(
  db: Db,
  {
    pause = async () => {},
    roundMs = Number.POSITIVE_INFINITY,
    stopping,
    noted,
    conversations = conversationsInRound,
  }: Round = {},
): Promise<void> {
  const began = performance.now()
  let turns = await findTurns(db, noted)
  await pause(performance.now() - began)
  const limit = Math.min(conversations, Math.ceil(conversationsOfAll / turns.length))
  try {
    do {
      for (const turn of turns) {
        if (stopping?.aborted) return
        const turnBegan = performance.now()
        turn.contactIds ??= await lookForDue(db, turn, limit)
        const more = await indexBatch(db, turn.accountId, turn.contactIds.slice(0, conversationsAtOnce))
        if (!more) return // another process is at it, and may have looked before these messages came
        turn.contactIds = [...turn.contactIds.slice(conversationsAtOnce), ...more]
        if (turn.contactIds.length === 0 && !turn.isAll) turn.contactIds = undefined
        await pause(performance.now() - turnBegan)
      }
      turns = turns.filter(({ contactIds }) => contactIds?.length !== 0)
    } while (turns.length > 0 && performance.now() - began < roundMs)
  } finally {
    for (const { accountId, contactIds, isAll } of turns) {
      if (contactIds?.length !== 0) noted?.note(accountId, isAll ? contactIds : undefined)
    }
  }
}

/**
 * What was noted since the last round; where nothing is noted, or not all of it, what all accounts have. In the order of the
 * keys: a batch then has fewer pages to read and to write, a seventh of its work.
 */
async function findTurns(db: Db, noted: NotedConversations | undefined): Promise<Turn[]> {
  const known = noted?.take()
  if (known) {
    return [...known].map(([accountId, ids]) => ({
      accountId,
      contactIds: ids && [...ids].sort(),
      isAll: ids !== undefined,
    }))
  }
  try {
    return (await scanDue(db)).map((accountId) => ({ accountId, contactIds: undefined, isAll: false }))
  } catch (error) {
    noted?.noteAll()
    throw error
  }
}

/** Looks for thousands at once, because to look means to pass all that was active in the last minutes. Sorted as in `findTurns`. */
async function lookForDue(db: Db, turn: Turn, limit: number): Promise<ContactId[]> {
  const found = await findDueContacts(db, turn.accountId, limit)
  turn.isAll = found.length < limit
  return found.sort()
}

/**
 * Accounts with messages that are not in the search. What was active before the oldest of them, and before the oldest open
 * transaction began, is all in it.
 */
async function scanDue(db: Db): Promise<AccountId[]> {
  const horizon = await readHorizon(db)
  const due = await findDueAccounts(db)
  const oldest = due.reduce((least, one) => (Date.parse(one.oldest) < Date.parse(least) ? one.oldest : least), horizon)
  await moveSearchedTo(db, oldest)
  return due.map(({ accountId }) => accountId)
}

/** Returns the contacts that have more messages than it has read; undefined: another process is at it. */
async function indexBatch(db: Db, accountId: AccountId, contactIds: ContactId[]): Promise<ContactId[] | undefined> {
  if (contactIds.length === 0) return []
  const wanted = { contactIds, messagesOfEach, messages: messagesAtOnce, bytes: bytesAtOnce }
  return inTransaction(db, async (tx) => {
    if (!(await tryToLock(tx))) return undefined
    const { conversations, messages } = await readDueMessages(tx, accountId, wanted)
    if (conversations.length === 0) return []
    await keepLines(tx, accountId, await linesOf(messages))
    const marks = marksAfter(conversations, messages)
    await moveMarks(tx, accountId, marks)
    const seqs = new Map(marks.map(({ contactId, seq }) => [contactId, seq]))
    const isBehind = ({ contactId, lastSeq }: DueConversation) => (seqs.get(contactId) ?? 0) < lastSeq
    return conversations.filter(isBehind).map(({ contactId }) => contactId)
  })
}

/** Where each conversation is read up to: before its first message that did not fit. */
function marksAfter(conversations: DueConversation[], messages: DueMessage[]): { contactId: ContactId; seq: number }[] {
  const seqs = new Map<ContactId, number>()
  for (const { contactId, seq, body } of messages) {
    if (body === null) seqs.set(contactId, Math.min(seqs.get(contactId) ?? seq, seq - 1))
  }
  return conversations
    .filter(({ isRead }) => isRead)
    .map(({ contactId, toSeq }) => ({ contactId, seq: seqs.get(contactId) ?? toSeq }))
}

/**
 * Adds the next older messages of one account that had messages before there was a search: of the one after `servedLast`,
 * so that all take turns. Returns it; undefined: all is done.
 */
export async function backfill(db: Db, servedLast = ''): Promise<AccountId | undefined> {
  const accountIds = (await readBackfills(db)).map(({ accountId }) => accountId)
  const accountId = accountIds.find((id) => id > servedLast) ?? accountIds[0]
  if (accountId !== undefined) await backfillBatch(db, accountId)
  return accountId
}

async function backfillBatch(db: Db, accountId: AccountId): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await tryToLock(tx))) return
    // Read under the lock: another process may have moved on.
    const one = (await readBackfills(tx)).find((each) => each.accountId === accountId)
    if (!one) return
    const { rows, hasMore } = await readOldMessages(tx, one, { limit: oldAtOnce, bytes: bytesAtOnce })
    await keepLines(tx, accountId, await linesOf(rows))
    await moveBackfill(tx, accountId, hasMore ? rows.at(-1)?.messageId : undefined)
  })
}

/** A mark cannot be written for a contact that was erased since: the batch is read again. */
function inTransaction<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return withLockTimeout(db, work, { retryStates: ['23503'] })
}

type MessageRow = { messageId: MessageId; contactId: ContactId; body: string | null }

/** Makes lines with pauses, so that requests need not wait for the whole batch. */
async function linesOf(rows: MessageRow[]): Promise<Line[]> {
  const lines: Line[] = []
  let characters = 0
  for (const { messageId, contactId, body } of rows) {
    if (body === null) continue
    const text = lineOf(wordsOf(body))
    if (text !== '') lines.push({ messageId, contactId, text })
    characters += body.length
    if (characters < charactersBetweenPauses) continue
    characters = 0
    await setImmediate()
  }
  return lines
}

/** Some 2 ms of work. */
const charactersBetweenPauses = 4_096
