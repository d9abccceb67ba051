import { sql } from 'kysely'
import { addressesOfContact, type Identifiers } from '../../people/contacts/opt-out-store.ts'
import { type ContactRow, contactColumns } from '../../people/contacts/store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

export type ShownContact = ContactRow & {
  /** The contact's id on the external platform, if there is one. */
  fromId: string | null
  lists: string[]
  messages: number
  /** Who answers; null when there is no conversation. */
  handler: 'bot' | 'person' | 'off' | null
  handlerReason: string | null
  waitingSince: Date | null
  waitingReason: string | null
  campaignId: string | null
  /** Since when the contact is opted out, and who decided it. */
  optedOutAt: Date | null
  optedOutBy: 'contact' | 'operator' | 'returned' | null
}

export async function findShownContact(db: Db, { accountId, contactId }: Ref): Promise<ShownContact | undefined> {
  return db
    .selectFrom('contacts as p')
    .leftJoin('conversations as c', (join) =>
      join.onRef('c.accountId', '=', 'p.accountId').onRef('c.contactId', '=', 'p.id'),
    )
    .select(contactColumns.map((column) => `p.${column}` as const))
    .select(['p.externalId as fromId'])
    .select(['c.handler', 'c.handlerReason', 'c.waitingSince', 'c.waitingReason', 'c.campaignId'])
    .select(['p.optedOutAt', 'p.optedOutBy'])
    .select([
      sql<string[]>`array(
        select list_id from list_members m where m.account_id = p.account_id and m.contact_id = p.id order by list_id
      )`.as('lists'),
      sql<number>`(
        select count(*)::integer from messages m where m.account_id = p.account_id and m.contact_id = p.id
      )`.as('messages'),
    ])
    .where('p.accountId', '=', accountId)
    .where('p.id', '=', contactId)
    .executeTakeFirst()
}

/** Locks contact, then conversation, as the lock order says, so that nothing is added to what is being erased. */
export async function lockContact(tx: Tx, { accountId, contactId }: Ref): Promise<LockedContact | undefined> {
  const { rows } = await sql<LockedContact>`
    select external_id, phone, email, ${addressesOfContact} as addresses, opted_out_at is not null as is_opted_out
    from contacts where account_id = ${accountId} and id = ${contactId} for update
  `.execute(tx)
  await sql`
    select contact_id from conversations where account_id = ${accountId} and contact_id = ${contactId} for update
  `.execute(tx)
  return rows[0]
}

type LockedContact = Identifiers & { isOptedOut: boolean }
