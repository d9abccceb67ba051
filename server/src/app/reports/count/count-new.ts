import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import { readHorizon } from '../../search/due-store.ts'
import { moveQuietAccounts } from '../sums/account-store.ts'
import { countBatch } from './count-account.ts'
import { type DueContact, findDueAccounts, findDueAmongNamed, findDueContacts } from './due-store.ts'
import { noteFound, noteLately } from './note-changed.ts'
import { makeAllDays, noteWaiting, type Place, type Round, taking } from './round.ts'

/** The conversations of one transaction: some 50 ms of work. Fewer would cost more for each message. */
const conversationsAtOnce = 500

/**
 * The conversations of an account that are kept in mind for a round: to look for them means to pass all that was active
 * in the last minutes.
 */
const conversationsInRound = 5_000

/** The margin of the search, which follows the same conversations. */
const messagesMarginSeconds = 60

/**
 * The margin of the time up to which answers are read: for a transaction that has begun and is not listed yet, and for
 * clocks of two hosts. Messages need none: a conversation is compared with its mark.
 */
const answersMarginSeconds = 10

/**
 * Counts a batch of each account in turn, again and again, until all is counted or the round is over, and one at least.
 * Then the days that changed are made anew.
 */
export async function countNew(round: Round): Promise<void> {
  const { db, place, now, isOver } = round
  const among = noteLately(round)
  if (among?.length === 0) return noteWaiting(place, [])
  const horizons = now === undefined ? await readHorizons(db) : { messages: now, answers: now }
  const due = await taking(round, () => findDue(round, among, horizons))
  noteWaiting(place, due)
  const unfinished = new Set<AccountId>()
  const turns: Turn[] = goOnAfter(place.account, due).map((accountId) => ({ accountId, due: undefined }))
  for (const turn of turns) {
    place.account = turn.accountId // before its turn: one that fails must not hold up those after it
    const rest = await taking(round, () => takeTurn(round, turn, horizons))
    if (rest === 'more') turns.push(turn)
    if (rest === 'more') unfinished.add(turn.accountId)
    else unfinished.delete(turn.accountId)
    if (rest === 'counted') await makeAllDays(round, turn.accountId, { isCounted: true })
    if (rest === 'counted') place.changed.delete(turn.accountId)
    if (rest !== 'more') place.waiting.delete(turn.accountId)
    if (isOver()) break
  }
  for (const accountId of unfinished) await makeAllDays(round, accountId, { isCounted: false })
}

/** When all accounts are looked through, those that have nothing to count need not pass what they had again. */
async function findDue(
  { db, noted, place }: Round,
  among: AccountId[] | undefined,
  horizons: Horizons,
): Promise<AccountId[]> {
  if (among) return findAmong(db, place, among, horizons.answers)
  try {
    const due = (await findDueAccounts(db, horizons.answers)).map(({ accountId }) => accountId)
    await moveQuietAccounts(db, due, horizons.messages)
    noteFound(place, due)
    return due
  } catch (error) {
    noted?.noteAll()
    throw error
  }
}

/** Conversations that are known by name need not be looked for. */
async function findAmong(db: Db, { changed }: Place, among: AccountId[], horizon: string): Promise<AccountId[]> {
  const named = [...changed].flatMap(([id, names]): [AccountId, Set<ContactId>][] => (names ? [[id, names]] : []))
  const looked = [...changed].flatMap(([id, names]) => (names ? [] : [id]))
  const found = await findDueAccounts(db, horizon, { among, looked })
  const behind = new Set(await findDueAmongNamed(db, named))
  const due = behind.union(new Set(found.map(({ accountId }) => accountId)))
  for (const [accountId] of named) if (!behind.has(accountId)) changed.delete(accountId)
  for (const accountId of looked) if (!due.has(accountId)) changed.delete(accountId)
  for (const { accountId, isNew } of found) if (isNew) changed.set(accountId, undefined)
  return [...due].sort()
}

type Horizons = { messages: string; answers: string }

async function readHorizons(db: Db): Promise<Horizons> {
  const open = Date.parse(await readHorizon(db, 0))
  const before = (seconds: number) => new Date(open - seconds * 1_000).toISOString()
  return { messages: before(messagesMarginSeconds), answers: before(answersMarginSeconds) }
}

/** The accounts in a circle: those after the last one come first. */
function goOnAfter(last: string, accountIds: AccountId[]): AccountId[] {
  return [...accountIds.filter((id) => id > last), ...accountIds.filter((id) => id <= last)]
}

/** `due`: conversations that are left of those found in this round; undefined before they are looked for. */
type Turn = { accountId: AccountId; due: DueContact[] | undefined; isAll?: boolean }

/** `counted`: all there was when it was looked for. `taken`: another process counts this account. */
async function takeTurn(
  { db, place, now }: Round,
  turn: Turn,
  horizons: Horizons,
): Promise<'more' | 'counted' | 'taken'> {
  const { accountId } = turn
  const names = place.changed.get(accountId)
  if (place.changed.has(accountId) && names === undefined) await lookForDue(db, turn)
  // In the order of the keys: a batch then has fewer pages to read and to write.
  turn.due ??= [...(names ?? [])].sort().map((contactId) => ({ contactId, activeMinute: undefined }))
  const [some, left] = [turn.due.slice(0, conversationsAtOnce), turn.due.slice(conversationsAtOnce)]
  const rest = await countBatch(db, accountId, {
    contactIds: some.map(({ contactId }) => contactId),
    countedTo: countedTo(some, left, { horizon: horizons.messages, isAll: turn.isAll }),
    horizon: horizons.answers,
    now,
  })
  if (!rest) return 'taken'
  // Those of the batch that have more messages stay first: nothing after them may be taken for counted.
  const more = new Set(rest.contactIds)
  for (const { contactId } of some) if (!more.has(contactId)) names?.delete(contactId)
  turn.due = [...some.filter(({ contactId }) => more.has(contactId)), ...left]
  if (turn.due.length === 0 && turn.isAll === false) turn.due = undefined // look for the next ones
  return turn.due?.length === 0 && !rest.hasMore ? 'counted' : 'more'
}

async function lookForDue(db: Db, turn: Turn): Promise<void> {
  if (turn.due) return
  turn.due = await findDueContacts(db, turn.accountId, conversationsInRound)
  turn.isAll = turn.due.length < conversationsInRound
}

/**
 * Everything before the next conversation is counted, and before the horizon when there is none. Undefined, where it was not looked
 * for conversations: there may be others.
 */
function countedTo(
  some: DueContact[],
  left: DueContact[],
  { horizon, isAll }: { horizon: string; isAll: boolean | undefined },
): string | undefined {
  if (isAll === undefined) return undefined
  const next = left[0]?.activeMinute ?? (isAll ? horizon : some.at(-1)?.activeMinute)
  return next !== undefined && Date.parse(next) > Date.parse(horizon) ? horizon : next
}
