import type { Pool } from 'pg'
import { byContact } from '../../people/contacts/find-or-create.ts'
import { hasSqlState } from '../../platform/database/errors.ts'
import { isCausedByRows, isLockTimeout } from '../../platform/group-commit/lock-queues.ts'
import type { KnownContacts } from './known-contacts.ts'
import { type KnownRow, keepKnown } from './known-store.ts'
import { openRemovalCheck } from './removal-store.ts'
import { type IncomingRow, type KeepResult, keepMessages } from './store.ts'

/** For how long a process checks for copies beforehand, once it has received one. */
const checkCopiesMs = 10_000

/** Fewer messages of known contacts are stored with those of unknown ones: a second statement costs what twelve rows save. */
const leastApart = 16

type Results = (KeepResult | undefined)[]

/**
 * Stores any number of messages, each with its contact, conversation and the turn that owes its answer, all or nothing.
 * Returns the id of each, in the order given: its own, or that of the first message with its `messageSid`. Undefined:
 * the outcome is not known, such as where another process is writing the same contact at this moment; call it again.
 *
 * No two rows may have the same account and `messageSid`.
 *
 * Messages of different known contacts that fill nothing take a statement without a look-up (`known-store.ts`), all others
 * the one that finds or creates the contact (`store.ts`), at the same time: neither locks what the other does.
 *
 * Checking each message for a copy would cost a tenth of storing it, and most messages are no copies. So no statement
 * checks until a copy comes: then it fails, nothing is stored, and it is repeated with the check. Copies of messages that
 * were removed are looked for where an account has such: that costs 5 to 13 microseconds of PostgreSQL a message.
 */
export function openKeepMessages(known: KnownContacts): (pool: Pool, rows: IncomingRow[]) => Promise<Results> {
  let checkCopiesUntil = 0
  const findRemoving = openRemovalCheck()

  async function keepOthers(
    pool: Pool,
    rows: IncomingRow[],
    name: Parameters<typeof keepMessages>[2],
  ): Promise<Results> {
    const results = await keepMessages(pool, rows, name)
    for (const [n, row] of rows.entries()) {
      const { contactId, clears } = results[n] ?? {}
      if (contactId !== undefined) known.note(row, contactId, clears)
    }
    return results
  }

  /** Repeats a statement that failed because of a copy, with the check. */
  async function orCopies(pool: Pool, rows: IncomingRow[], keeping: Promise<Results>): Promise<Results> {
    try {
      return await keeping
    } catch (error) {
      if (!hasSqlState(error, '23505', 'PB001')) throw error
      checkCopiesUntil = performance.now() + checkCopiesMs
      return keepOthers(pool, rows, 'keep-messages-or-copies')
    }
  }

  async function keepShort(pool: Pool, rows: KnownRow[], mayBeRemoved: boolean): Promise<Results> {
    const kept = await keepKnown(pool, rows, mayBeRemoved)
    return rows.map(({ row, contactId }) => {
      if (kept.has(row.messageId)) return { id: row.messageId, contactId }
      known.forget(row)
      return undefined
    })
  }

  return async (pool, rows) => {
    if (performance.now() < checkCopiesUntil) return keepOthers(pool, rows, 'keep-messages-or-copies')
    const removing = await findRemoving(pool)
    const mayBeRemoved = rows.some(({ accountId }) => removing.has(accountId))
    const { apart, others } = divide(rows, known)
    const apartRows = apart.map(({ row }) => row)
    const keepApart = () => orCopies(pool, apartRows, keepShort(pool, apart, mayBeRemoved))
    const name = mayBeRemoved ? 'keep-messages-unless-removed' : 'keep-messages'
    const keepRest = () => orCopies(pool, others, keepOthers(pool, others, name))
    if (others.length === 0) return inOrder(rows, apartRows, await keepApart())
    if (apart.length === 0) return inOrder(rows, others, await keepRest())
    const results = await Promise.all([
      keepApart().catch(againIfByRows(apart)),
      keepRest().catch(againIfByRows(others)),
    ])
    return inOrder(rows, [...apartRows, ...others], results.flat())
  }
}

/** In lock order. A contact with several rows is among the others with all of them. */
function divide(rows: IncomingRow[], known: KnownContacts): { apart: KnownRow[]; others: IncomingRow[] } {
  const sorted = rows.toSorted(byContact)
  const apart: KnownRow[] = []
  const others: IncomingRow[] = []
  for (const [n, row] of sorted.entries()) {
    const isRepeated = [sorted[n - 1], sorted[n + 1]].some((next) => next && byContact(next, row) === 0)
    const found = isRepeated ? undefined : known.find(row)
    if (found === undefined) others.push(row)
    else apart.push({ row, ...found })
  }
  if (others.length > 0 && apart.length < leastApart) return { apart: [], others: sorted }
  return { apart, others }
}

/** Of two statements one can fail because of its rows; what the other has stored is stored. */
function againIfByRows(rows: unknown[]): (error: unknown) => Results {
  return (error) => {
    if (!isLockTimeout(error) && !isCausedByRows(error)) throw error
    return rows.map(() => undefined)
  }
}

function inOrder(rows: IncomingRow[], written: IncomingRow[], results: Results): Results {
  const byRow = new Map(written.map((row, n) => [row, results[n]]))
  return rows.map((row) => byRow.get(row))
}
