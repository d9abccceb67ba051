import { sql } from 'kysely'
import { type AccountId, type ContactId, type ListId, newId } from '../../src/platform/ids.ts'
import type { TestApp } from './harness.ts'

type Many = { accountId: AccountId; listId: ListId; count: number }

/** At once: a statement of the server has ten seconds. */
const batch = 5_000

/** Contacts of one list, every hundredth of whom has opted out. Returns their ids, newest first. */
export async function insertManyContacts({ db }: TestApp, { accountId, listId, count }: Many): Promise<ContactId[]> {
  const ids = Array.from({ length: count }, () => newId('con')).sort()
  for (let from = 0; from < count; from += batch) {
    const some = ids.slice(from, from + batch)
    await sql`
      insert into contacts (account_id, id, first_name, last_name, phone, email, external_id, opted_out_at, opted_out_by)
      select ${accountId}, id, 'First' || n % 1000, 'Last' || n, '+1555' || lpad(n::text, 7, '0'),
        'person' || n || '@example.com', 'ext-' || n,
        case when n % 100 = 0 then now() end, case when n % 100 = 0 then 'contact' end
      from (select id, ${from}::integer + o as n from unnest(${some}::text[]) with ordinality as k (id, o)) as k
    `.execute(db)
    await sql`
      insert into list_members (account_id, list_id, contact_id)
      select ${accountId}, ${listId}, id from unnest(${some}::text[]) as k (id)
    `.execute(db)
  }
  return ids.reverse()
}
