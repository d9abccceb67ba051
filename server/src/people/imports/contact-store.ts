import { type ContactText, contactTexts } from '@patchbay/contract/contact-texts.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'
import { phoneVariants } from '../../platform/text/phone-variants.ts'

export type Contact = Record<ContactText | 'phone' | 'email' | 'externalId', string | null> & { id: ContactId }

/** What an import writes of a contact. */
export const contactFields = [...contactTexts, 'phone', 'email', 'externalId'] as const

export type RowIdentifiers = Pick<Contact, 'phone' | 'email' | 'externalId'> & { contactId: ContactId | null }

/** An address that very many share has no oldest contact worth looking for beyond these. */
const mostSharing = 20

/**
 * The contacts that have one of these ids, phone numbers in any variant, or e-mail addresses, the oldest first. Each is looked up by
 * itself, which PostgreSQL can only plan through an index, however many contacts there are.
 */
export async function findCandidates(db: Db, accountId: AccountId, rows: RowIdentifiers[]): Promise<Contact[]> {
  const given = (field: keyof RowIdentifiers) => [...new Set(rows.flatMap((row) => row[field] ?? []))]
  const phones = [...new Set(given('phone').flatMap(phoneVariants))]
  const { rows: contacts } = await sql<Contact>`
    select p.id, ${sql.join(contactFields.map((name) => sql.ref(`p.${name}`)))}
    from (
      select k.id from unnest(${given('contactId')}::text[]) as k (id)
      union
      select (select id from contacts where account_id = ${accountId} and external_id = k.given)
      from unnest(${given('externalId')}::text[]) as k (given)
      union
      select (select id from contacts where account_id = ${accountId} and phone = k.given)
      from unnest(${phones}::text[]) as k (given)
      union
      select s.id from unnest(${given('email')}::text[]) as k (given) cross join lateral (
        select id from contacts where account_id = ${accountId} and email = k.given
        order by created_at, id limit ${mostSharing}
      ) as s
    ) as found
    join contacts p on p.account_id = ${accountId} and p.id = found.id
    order by p.created_at, p.id
  `.execute(db)
  return contacts
}

/** Locks these until the transaction ends, in the order of their ids as everybody does, and reads them again. */
export async function lockContacts(tx: Tx, accountId: AccountId, ids: ContactId[]): Promise<Contact[]> {
  return tx
    .selectFrom('contacts')
    .select(['id', ...contactFields])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/**
 * Inserts contacts, in the order of their ids and numbers as everybody does; returns how many. Fewer: somebody else has
 * just inserted one with the same id or number, and that transaction is over.
 */
export async function insertContacts(tx: Tx, accountId: AccountId, contacts: Contact[]): Promise<number> {
  if (contacts.length === 0) return 0
  const columns = sql.join(contactFields.map((name) => sql.ref(name)))
  const { numAffectedRows = 0n } = await sql`
    insert into contacts (account_id, id, ${columns})
    select ${accountId}, k.id, ${given}
    from unnest(${valuesOf(contacts.toSorted(byKeys))}) with ordinality as k (id, ${names}, n)
    order by k.n
    on conflict do nothing
  `.execute(tx)
  return Number(numAffectedRows)
}

/** Writes all fields of these, which are locked. */
export async function updateContacts(tx: Tx, accountId: AccountId, contacts: Contact[]): Promise<void> {
  if (contacts.length === 0) return
  const set = contactFields.map((name, n) => sql`${sql.ref(name)} = k.${sql.raw(`f${n}`)}`)
  await sql`
    update contacts as p set ${sql.join(set)}
    from unnest(${valuesOf(contacts)}) as k (id, ${names})
    where p.account_id = ${accountId} and p.id = k.id
  `.execute(tx)
}

const names = sql.raw(contactFields.map((_, n) => `f${n}`).join(', '))
const given = sql.raw(contactFields.map((_, n) => `k.f${n}`).join(', '))

/** One array for each field. */
function valuesOf(contacts: Contact[]) {
  const fields = (['id', ...contactFields] as const).map((name) => contacts.map((contact) => contact[name]))
  return sql.join(fields.map((values) => sql`${values}::text[]`))
}

function byKeys(one: Contact, other: Contact): number {
  const [left, right] = [one, other].map(({ externalId, phone, id }) => externalId ?? phone ?? id) as [string, string]
  return left < right ? -1 : left > right ? 1 : 0
}
