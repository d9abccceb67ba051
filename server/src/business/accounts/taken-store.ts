/**
 * E-mail addresses that somebody signs in with already, tried by who may let people in. Each such try tells that the address
 * has an account, so they are counted: an account may make twenty in a day, together with its agency and all other sub-accounts
 * of that. Otherwise an agency would make a sub-account for every twenty.
 */

import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { endLinksOf, lockAccess } from './access-store.ts'

const mostInADay = 20
const day = '1 day'

/** The agency of a sub-account, and any other account itself. */
const counting = (accountId: AccountId) => sql`(select coalesce(agency_id, id) from accounts where id = ${accountId})`

/**
 * Until the transaction ends nobody else tries an address here, or changes who may come into the account: the agency first, so
 * that no two wait for each other.
 */
export async function lockTaken(tx: Tx, accountId: AccountId): Promise<void> {
  await sql`select from accounts where id = ${counting(accountId)} for no key update`.execute(tx)
  await lockAccess(tx, accountId)
}

/** Counts one more; from the last one on, it ends all open links of the account. Needs `lockTaken`. */
export async function countTaken(tx: Tx, accountId: AccountId): Promise<void> {
  const { rows } = await sql<{ takenCount: number }>`
    update accounts set
      taken_count = case when taken_since > now() - ${day}::interval then taken_count + 1 else 1 end,
      taken_since = case when taken_since > now() - ${day}::interval then taken_since else now() end
    where id = ${counting(accountId)} returning taken_count
  `.execute(tx)
  if ((rows[0]?.takenCount ?? 0) >= mostInADay) await endLinksOf(tx, accountId)
}

/** Counts a try that was undone, since the address is taken. */
export async function noteTaken(db: Db, accountId: AccountId): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockTaken(tx, accountId)
    await countTaken(tx, accountId)
  })
}

/** Throws while they are used up: the next address is not looked at. */
export async function refuseAfterTaken(db: Db, accountId: AccountId): Promise<void> {
  const { rows } = await sql`
    select from accounts
    where id = ${counting(accountId)} and taken_count >= ${mostInADay} and taken_since > now() - ${day}::interval
  `.execute(db)
  if (rows.length === 0) return
  throw new Refusal(
    'RATE_LIMITED',
    `${mostInADay} e-mail addresses that already have an account were tried here within a day; try again tomorrow.`,
    { retryAfterSeconds: 3_600 },
  )
}
