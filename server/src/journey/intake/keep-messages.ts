import type { Pool } from 'pg'
import type { KnownContacts, KnownRow } from '../../people/contacts/known-contacts.ts'
import { hasSqlState } from '../../platform/database/errors.ts'
import { keepApart } from '../messages/keep-apart.ts'
import { keepKnown } from './known-store.ts'
import { openRemovalCheck } from './removal-store.ts'
import { type IncomingRow, type KeepResult, keepMessages } from './store.ts'

/** For how long a process checks for copies beforehand, once it has received one. */
const checkCopiesMs = 10_000

type Results = (KeepResult | undefined)[]

/**
 * Stores any number of messages, each with its contact, conversation and the turn that owes its answer, all or nothing.
 * Returns the id of each, in the order given: its own, or that of the first message with its `messageSid`. Undefined:
 * the outcome is not known, such as where another process is writing the same contact at this moment; call it again.
 *
 * No two rows may have the same account and `messageSid`.
 *
 * Messages of different known contacts that fill nothing take a statement without a look-up (`known-store.ts`), all others
 * the one that finds or creates the contact (`store.ts`).
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

  return async (pool, rows) => {
    if (performance.now() < checkCopiesUntil) return keepOthers(pool, rows, 'keep-messages-or-copies')
    const removing = await findRemoving(pool)
    const mayBeRemoved = rows.some(({ accountId }) => removing.has(accountId))
    const name = mayBeRemoved ? 'keep-messages-unless-removed' : 'keep-messages'
    const rowsOf = (apart: KnownRow<IncomingRow>[]) => apart.map(({ row }) => row)
    return keepApart<IncomingRow, KeepResult>(known, rows, {
      known: (apart) => orCopies(pool, rowsOf(apart), keepKnown(pool, apart, mayBeRemoved)),
      others: (others) => orCopies(pool, others, keepOthers(pool, others, name)),
    })
  }
}
