import { sql } from 'kysely'
import type { Tx } from '../../platform/database/db.ts'
import { type AccountId, newId, type UserId } from '../../platform/ids.ts'
import type { Session } from './session-store.ts'

/** A visit ends after so long, should nobody end it. */
const longestVisit = '4 hours'

/**
 * The guest that a user of an agency is in one of its sub-accounts, called like the agency; undefined where the agency has
 * no such sub-account.
 */
export async function findOrMakeGuest(tx: Tx, { home }: Session, accountId: AccountId): Promise<UserId | undefined> {
  const { rows } = await sql<{ id: UserId }>`
    insert into users (id, account_id, name, password_hash, is_owner, guest_of)
    select ${newId('usr')}, v.id, coalesce(a.name, h.email), '', false, ${home.userId}
    from accounts v join accounts a on a.id = v.agency_id join users h on h.account_id = a.id and h.is_holder
    where v.id = ${accountId} and v.agency_id = ${home.accountId}
    on conflict (account_id, guest_of) where guest_of is not null do update set name = excluded.name
    returning id
  `.execute(tx)
  return rows[0]?.id
}

export async function beginVisit(tx: Tx, { home, tokenHash }: Session, guestId: UserId): Promise<void> {
  await sql`
    update sessions set guest_id = ${guestId}, visit_ends_at = now() + ${longestVisit}::interval
    where account_id = ${home.accountId} and token_hash = ${Buffer.from(tokenHash, 'hex')}
  `.execute(tx)
}

export async function endVisit(tx: Tx, { home, tokenHash }: Session): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ guestId: null, visitEndsAt: null })
    .where('accountId', '=', home.accountId)
    .where('tokenHash', '=', Buffer.from(tokenHash, 'hex'))
    .execute()
}
