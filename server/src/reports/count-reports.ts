import type { Db } from '../platform/database/db.ts'
import type { AccountId, ContactId } from '../platform/ids.ts'
import { readHorizon } from '../search/due-store.ts'
import type { Pause } from '../work/make-way.ts'
import { countBatch, fromTheFirst, type Rest } from './count-account.ts'
import type { DeliveryCursor } from './delivery-store.ts'
import { type DueContact, findDueAccounts, findDueContacts } from './due-store.ts'
import { makeDays } from './make-days.ts'

/** Of one transaction: some 20 ms of work. */
const conversationsAtOnce = 100

/** Of an account, kept in mind for a round: to look for them means to pass all that was active in the last minutes. */
const conversationsInRound = 5_000

/**
 * The margin of the time up to which answers are read: for a transaction that has begun and is not listed yet, and for
 * clocks of two hosts. Messages need none: a conversation is compared with its mark.
 */
const answersMarginSeconds = 10

type Round = {
  pause?: Pause
  roundMs?: number
  stopping?: AbortSignal
  /** Where the look at deliveries that have not arrived goes on, by account. */
  deliveries?: Map<AccountId, DeliveryCursor>
  /** In place of the time of the database; a test has another one. */
  now?: string
}

/**
 * Counts what all accounts have that is not in the sums yet: a batch of each in turn, until all is counted or the round is
 * over, and one batch of each in any case. Then the days that changed are made anew.
 */
export async function countReports(
  db: Db,
  { pause = async () => {}, roundMs = Number.POSITIVE_INFINITY, stopping, deliveries = new Map(), now }: Round = {},
): Promise<void> {
  const began = performance.now()
  const horizons = {
    messages: now ?? (await readHorizon(db)),
    answers: now ?? (await readHorizon(db, answersMarginSeconds)),
  }
  let turns: Turn[] = (await findDueAccounts(db, horizons.answers)).map((accountId) => ({ accountId, due: undefined }))
  do {
    const more: Turn[] = []
    for (const turn of turns) {
      if (stopping?.aborted) return
      const turnBegan = performance.now()
      const rest = await takeTurn(db, turn, { horizons, deliveries, now })
      await pause(performance.now() - turnBegan)
      if (rest === 'more') more.push(turn)
      else if (rest === 'counted') await makeAllDays(db, turn.accountId, { isCounted: true, pause, stopping, now })
    }
    turns = more
  } while (turns.length > 0 && performance.now() - began < roundMs)
  for (const { accountId } of turns) await makeAllDays(db, accountId, { isCounted: false, pause, stopping, now })
}

/** `due`: conversations that are left of those found in this round; undefined before they are looked for. */
type Turn = { accountId: AccountId; due: DueContact[] | undefined; isAll?: boolean }

type TurnOptions = Required<Pick<Round, 'deliveries'>> & {
  horizons: { messages: string; answers: string }
  now: string | undefined
}

/** `counted`: all there was when it was looked for. `taken`: another process counts this account. */
async function takeTurn(
  db: Db,
  turn: Turn,
  { horizons, deliveries, now }: TurnOptions,
): Promise<'more' | 'counted' | 'taken'> {
  const { accountId } = turn
  if (!turn.due) {
    turn.due = await findDueContacts(db, accountId, conversationsInRound)
    turn.isAll = turn.due.length < conversationsInRound
  }
  const [some, left] = [turn.due.slice(0, conversationsAtOnce), turn.due.slice(conversationsAtOnce)]
  const rest = await countBatch(db, accountId, {
    contactIds: some.map(({ contactId }) => contactId),
    countedTo: countedTo(some, left, { horizon: horizons.messages, isAll: turn.isAll ?? false }),
    horizon: horizons.answers,
    deliveriesAfter: deliveries.get(accountId) ?? fromTheFirst,
    now,
  })
  if (!rest) return 'taken'
  deliveries.set(accountId, rest.deliveriesAfter)
  turn.due = [...cut(some, rest.contactIds), ...left]
  if (turn.due.length === 0 && !turn.isAll) turn.due = undefined // look for the next ones
  return turn.due?.length === 0 && !isMoreThanMessages(rest) ? 'counted' : 'more'
}

const isMoreThanMessages = ({ hasMore, hasChanged }: Rest) => hasMore || hasChanged

/** The conversations of a batch that have more messages stay first: nothing after them may be taken for counted. */
function cut(some: DueContact[], contactIds: ContactId[]): DueContact[] {
  return some.filter(({ contactId }) => contactIds.includes(contactId))
}

/** Everything before the next conversation is counted, and before the horizon when there is none. */
function countedTo(
  some: DueContact[],
  left: DueContact[],
  { horizon, isAll }: { horizon: string; isAll: boolean },
): string | undefined {
  const next = left[0]?.activeMinute ?? (isAll ? horizon : some.at(-1)?.activeMinute)
  return next !== undefined && Date.parse(next) > Date.parse(horizon) ? horizon : next
}

type Making = { isCounted: boolean; pause: Pause; stopping: AbortSignal | undefined; now: string | undefined }

async function makeAllDays(db: Db, accountId: AccountId, { pause, stopping, ...making }: Making): Promise<void> {
  for (let made = 'more'; made === 'more' && !stopping?.aborted; ) {
    const began = performance.now()
    made = await makeDays(db, accountId, making)
    await pause(performance.now() - began)
  }
}
