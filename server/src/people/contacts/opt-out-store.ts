import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../platform/ids.ts'

type Ref = { accountId: AccountId; contactId: ContactId }

/** Who opted the contact out: the contact, an operator, or (`returned`) the contact before they were erased. */
export type OptedOutBy = 'contact' | 'operator' | 'returned'

/** What a contact is recognized by. */
export type Identifiers = {
  externalId: string | null
  phone: string | null
  email: string | null
  /** On built-in channels. */
  addresses: { kind: string; address: string }[]
}

/** The addresses of a row of `contacts`. */
export const addressesOfContact = sql<Identifiers['addresses']>`(
  select coalesce(json_agg(json_build_object('kind', d.kind, 'address', d.address)), '[]') from contact_addresses d
  where d.account_id = contacts.account_id and d.contact_id = contacts.id
)`
const addresses = addressesOfContact.as('addresses')

/** Locks the contact until the transaction ends; undefined when there is none. Lock order: before the conversation. */
export async function lockIdentifiers(tx: Tx, { accountId, contactId }: Ref): Promise<Identifiers | undefined> {
  return identifiers(tx, { accountId, contactId }).forNoKeyUpdate().executeTakeFirst()
}

export async function readIdentifiers(db: Db, ref: Ref): Promise<Identifiers | undefined> {
  return identifiers(db, ref).executeTakeFirst()
}

function identifiers(db: Db, { accountId, contactId }: Ref) {
  return db
    .selectFrom('contacts')
    .select(['externalId', 'phone', 'email', addresses])
    .where('accountId', '=', accountId)
    .where('id', '=', contactId)
}

/** Null ends the opt-out. A contact who has opted out already keeps the first time. False: nothing has changed. */
export async function writeOptOut(tx: Tx, { accountId, contactId }: Ref, by: OptedOutBy | null): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('contacts')
    .set(by === null ? { optedOutAt: null, optedOutBy: null } : { optedOutAt: sql`now()`, optedOutBy: by })
    .where('accountId', '=', accountId)
    .where('id', '=', contactId)
    .where('optedOutAt', by === null ? 'is not' : 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Opts the contact out if one of these hashes is stored; false when nothing has changed. */
export async function optOutIfStored(db: Db, { accountId, contactId }: Ref, hashes: Buffer[]): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('contacts')
    .set({ optedOutAt: sql`now()`, optedOutBy: 'returned' })
    .where('accountId', '=', accountId)
    .where('id', '=', contactId)
    .where('optedOutAt', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('optOuts').select('hash').where('accountId', '=', accountId).where('hash', 'in', hashes)),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Contacts who have not opted out. */
export async function readManyIdentifiers(
  db: Db,
  accountId: AccountId,
  contactIds: ContactId[],
): Promise<(Identifiers & { id: ContactId })[]> {
  return db
    .selectFrom('contacts')
    .select(['id', 'externalId', 'phone', 'email', addresses])
    .where('accountId', '=', accountId)
    .where('id', 'in', contactIds)
    .where('optedOutAt', 'is', null)
    .execute()
}

/** Opts out those of these contacts of whom a hash is stored. */
export async function optOutWhoIsStored(
  db: Db,
  accountId: AccountId,
  hashes: { contactId: ContactId; hash: Buffer }[],
): Promise<void> {
  const [ids, given] = [hashes.map(({ contactId }) => contactId), hashes.map(({ hash }) => hash.toString('hex'))]
  await sql`
    update contacts set opted_out_at = now(), opted_out_by = 'returned'
    where account_id = ${accountId} and opted_out_at is null and id in (
      select k.id from unnest(${ids}::text[], ${given}::text[]) as k (id, hash)
      join opt_outs o on o.account_id = ${accountId} and o.hash = decode(k.hash, 'hex')
    )
  `.execute(db)
}

export async function hasOptOuts(db: Db, accountId: AccountId): Promise<boolean> {
  const one = await db
    .selectFrom('optOuts')
    .select('hash')
    .where('accountId', '=', accountId)
    .limit(1)
    .executeTakeFirst()
  return one !== undefined
}

export async function insertOptOuts(tx: Tx, accountId: AccountId, hashes: Buffer[]): Promise<void> {
  await tx
    .insertInto('optOuts')
    .values(hashes.map((hash) => ({ accountId, hash })))
    .onConflict((c) => c.columns(['accountId', 'hash']).doNothing())
    .execute()
}

export async function deleteOptOuts(tx: Tx, accountId: AccountId, hashes: Buffer[]): Promise<void> {
  await tx.deleteFrom('optOuts').where('accountId', '=', accountId).where('hash', 'in', hashes).execute()
}
