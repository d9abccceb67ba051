import { sql } from 'kysely'
import { matching } from '../../people/contacts/search-store.ts'
import { shownName } from '../../people/contacts/shown-name-store.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ContactId, ListId, MessageId } from '../../platform/ids.ts'

export type FoundPerson = {
  contactId: ContactId
  name: string | null
  phone: string | null
  email: string | null
  externalId: string | null
  /** The channel; null when there is no conversation. */
  channel: string | null
}

export const mostFound = 20

/** Returns one more than are shown, if there are more. */
export async function findPeople(db: Db, accountId: AccountId, q: string): Promise<FoundPerson[]> {
  const { rows } = await sql<FoundPerson>`
    select p.id as contact_id, ${sql.raw(shownName('p'))} as name, p.phone, p.email,
      p.external_id, case when c.last_seq > 0 and c.state <> 'empty' then coalesce(c.channel, 'custom') end as channel
    from (
      select * from contacts where account_id = ${accountId} and ${matching(accountId, q)} order by id desc limit ${mostFound + 1}
    ) as p
    left join conversations c on c.account_id = p.account_id and c.contact_id = p.id
    order by c.active_at desc nulls last, p.id desc
  `.execute(db)
  return rows
}

/** Returns one more than are shown, if there are more. */
export async function findLists(db: Db, accountId: AccountId, q: string): Promise<{ id: ListId; name: string }[]> {
  return db
    .selectFrom('lists')
    .select(['id', 'name'])
    .where('accountId', '=', accountId)
    .where('name', 'ilike', `%${q.replace(/[\\%_]/g, '\\$&')}%`)
    .orderBy('createdAt')
    .limit(mostFound + 1)
    .execute()
}

export type FoundMessage = {
  messageId: MessageId
  contactId: ContactId
  contactName: string | null
  channel: string
  body: string
  at: Date
}

/** These messages, the newest first; those of contacts that are being erased are left out. */
export async function readMessages(db: Db, accountId: AccountId, ids: MessageId[]): Promise<FoundMessage[]> {
  const { rows } = await sql<FoundMessage>`
    select m.id as message_id, m.contact_id, ${sql.raw(shownName('p'))} as contact_name,
      coalesce(m.channel, 'custom') as channel, m.created_at as at, m.body
    from messages m join contacts p on p.account_id = m.account_id and p.id = m.contact_id
    where m.account_id = ${accountId} and m.id = any (${ids})
    order by m.id desc
  `.execute(db)
  return rows
}
