import type { Db, Tx } from '../../../platform/database/db.ts'
import { withLockTimeout } from '../../../platform/database/lock-timeout.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import { type CountedAccount, lockAccount, moveCountedTo } from '../sums/account-store.ts'
import { numberChannels } from '../sums/channel-store.ts'
import { changeZone } from '../sums/day-store.ts'
import { addSums, noChannel } from '../sums/quarter-store.ts'
import { msBetween, openSums, type Sums } from '../sums/sums.ts'
import { moveAnswersTo, readAnswers } from './answer-store.ts'
import { addOnce, countThread, endsWait, noteLastAnswer } from './count-thread.ts'
import { keepOpen, type OpenDelivery } from './delivery-store.ts'
import { moveLedgerN, readSpending } from './ledger-store.ts'
import {
  addWaiting,
  type DueMessage,
  type DueThread,
  type Mark,
  moveMarks,
  readDueThreads,
  readKeys,
  takeWaiting,
} from './message-store.ts'

/** What one transaction reads at most, so that none is long. */
const atOnce = { messagesOfEach: 200, messages: 5_000, answers: 1_000, movements: 1_000 }

type Batch = {
  contactIds: ContactId[]
  /** All conversations without activity since then are counted after this batch. */
  countedTo: string | undefined
  /** What began before was committed or never will be. */
  horizon: string
  now: string | undefined
}

/** What is left to count: conversations with more messages, and whether there are more answers or movements. */
export type Rest = { contactIds: ContactId[]; hasMore: boolean }

/**
 * Counts the next piece of an account: messages, answers, movements of credits. The sums and the marks that say how
 * far it came are one transaction, so whatever dies, nothing is counted twice or left out.
 * Undefined: another process counts this account.
 */
export async function countBatch(db: Db, accountId: AccountId, batch: Batch): Promise<Rest | undefined> {
  const work = async (tx: Tx): Promise<Rest | undefined> => {
    const account = await lockAccount(tx, accountId)
    if (!account) return undefined
    if (account.zone !== account.timeZone) await changeZone(tx, accountId, batch.now)
    const sums = openSums()
    const contactIds = await countMessages(tx, { accountId, sums }, batch.contactIds)
    if (batch.countedTo !== undefined && contactIds.length === 0) await moveCountedTo(tx, accountId, batch.countedTo)
    const moreAnswers = await countAnswers(tx, { accountId, sums }, { account, horizon: batch.horizon })
    const moreMovements = await countSpending(tx, { accountId, sums }, account)
    await addSums(tx, accountId, sums.all())
    return { contactIds, hasMore: moreAnswers || moreMovements }
  }
  // 23503: a contact was erased since its messages were read.
  return withLockTimeout(db, work, { retryStates: ['23503'] })
}

type AccountSums = { accountId: AccountId; sums: Sums }

/** Returns the contacts that have more messages than it has read. */
async function countMessages(tx: Tx, { accountId, sums }: AccountSums, contactIds: ContactId[]): Promise<ContactId[]> {
  if (contactIds.length === 0) return []
  const { messagesOfEach, messages } = atOnce
  const { threads, left } = await readDueThreads(tx, accountId, { contactIds, messagesOfEach, messages })
  const labels = threads.flatMap((thread) => thread.messages.map(({ label }) => label))
  const channels = await numberChannels(tx, accountId, labels)
  const channelOf = ({ label }: { label: string }) => channels.get(label) ?? noChannel
  const keys = await moveMarks(
    tx,
    accountId,
    threads.map((thread) => markOf(thread, channelOf)),
  )
  const ending = threads.filter(endsWait).map(({ contactId }) => contactId)
  const before = Map.groupBy(await takeWaiting(tx, accountId, ending), ({ contactId }) => contactId)
  const waiting = threads.flatMap(({ contactId, messages, closedAfter }) => {
    const thread = { key: keys.get(contactId) ?? '', waiting: before.get(contactId) ?? [], closedAfter }
    const counted = messages.map((message) => ({ ...message, channel: channelOf(message) }))
    return countThread(sums, { ...thread, messages: counted }).map((one) => ({ ...one, contactId }))
  })
  await addWaiting(tx, accountId, waiting)
  const open = threads.flatMap((thread) => countSent(sums, thread, channelOf))
  await keepOpen(tx, accountId, open)
  return [...threads.filter(({ isCut }) => isCut).map(({ contactId }) => contactId), ...left]
}

/** Nearly always the mark has the channels of these messages already. */
function markOf({ contactId, channels, toSeq, messages }: DueThread, channelOf: (message: DueMessage) => number): Mark {
  const all = new Set([...(channels ?? []), ...messages.map(channelOf)])
  return { contactId, seq: toSeq, channels: all.size === channels?.length ? undefined : [...all] }
}

/** Counts what has arrived or was given up, and returns the messages that must be looked at again. */
function countSent(
  sums: Sums,
  { contactId, messages }: DueThread,
  channelOf: (message: DueMessage) => number,
): OpenDelivery[] {
  const outgoing = messages.filter(({ direction }) => direction === 'outgoing')
  return outgoing.flatMap((message) => {
    const { id, atMs, sentMs, isFailed } = message
    const channel = channelOf(message)
    const sum = sums.of(atMs, channel)
    if (sentMs !== null) {
      sum.sent += 1
      sum.deliveryMs.push(msBetween(atMs, sentMs))
      return []
    }
    if (isFailed) sum.failed += 1
    return [{ contactId, messageId: id, channel, atMs, isFailed }]
  })
}

async function countAnswers(
  tx: Tx,
  { accountId, sums }: AccountSums,
  { account, horizon }: { account: CountedAccount; horizon: string },
): Promise<boolean> {
  const next = { from: account.answersTo, horizon, limit: atOnce.answers }
  const { answers, until, hasAny, hasMore } = await readAnswers(tx, accountId, next)
  if (!hasAny) return false // the cursor stays: for thousands of accounts without answers nothing is written
  const [contactIds, labels] = [answers.map(({ contactId }) => contactId), answers.map(({ label }) => label)]
  const keys = await readKeys(tx, accountId, contactIds)
  const channels = await numberChannels(tx, accountId, labels)
  for (const { contactId, atMs, label, isWish, isMiss, fromSeq } of answers) {
    const sum = sums.of(atMs, channels.get(label) ?? noChannel)
    const key = keys.get(contactId) ?? ''
    if (isMiss) sum.unanswered += 1
    if (isWish) addOnce(sum.wishKeys, key)
    else noteLastAnswer(sum, key, 2 * fromSeq + Number(isMiss))
  }
  await moveAnswersTo(tx, accountId, until)
  return hasMore
}

async function countSpending(tx: Tx, { accountId, sums }: AccountSums, { ledgerN }: CountedAccount): Promise<boolean> {
  const movements = await readSpending(tx, accountId, { afterN: ledgerN, limit: atOnce.movements })
  const last = movements.at(-1)
  if (!last) return false
  const labels = movements.flatMap(({ label }) => label ?? [])
  const channels = await numberChannels(tx, accountId, labels)
  for (const { atMs, units, label } of movements.filter(({ units }) => units !== '0')) {
    sums.of(atMs, (label !== null && channels.get(label)) || noChannel).spent += Number(units)
  }
  await moveLedgerN(tx, accountId, last.n)
  return movements.length === atOnce.movements
}
