import type { Db } from '../platform/database/db.ts'
import { type AccountId, type ContactId, newId } from '../platform/ids.ts'

export type ContactRow = {
  id: ContactId
  firstName: string | null
  lastName: string | null
  phone: string | null
  email: string | null
  createdAt: Date
}

export type NewContactRow = Omit<ContactRow, 'id' | 'createdAt'>

const columns = ['id', 'firstName', 'lastName', 'phone', 'email', 'createdAt'] as const

/**
 * Stores a contact unless its phone number already has one; undefined then. When two copies race, the insert waits
 * for the other transaction to end, so the winner can be read afterwards.
 */
export async function insertUnlessPhoneKnown(
  db: Db,
  accountId: AccountId,
  contact: NewContactRow,
): Promise<ContactRow | undefined> {
  return db
    .insertInto('contacts')
    .values({ accountId, id: newId('con'), ...contact })
    .onConflict((c) => c.columns(['accountId', 'phone']).where('phone', 'is not', null).doNothing())
    .returning(columns)
    .executeTakeFirst()
}

export async function findByPhone(db: Db, accountId: AccountId, phone: string): Promise<ContactRow | undefined> {
  return withPhone(db, accountId, phone).executeTakeFirst()
}

/** The same, and nobody erases it until the transaction ends. */
export async function holdByPhone(tx: Db, accountId: AccountId, phone: string): Promise<ContactRow | undefined> {
  return withPhone(tx, accountId, phone).forKeyShare().executeTakeFirst()
}

function withPhone(db: Db, accountId: AccountId, phone: string) {
  return db.selectFrom('contacts').select(columns).where('accountId', '=', accountId).where('phone', '=', phone)
}

/** By the id that an external platform knows them by. */
export async function findByExternalId(
  db: Db,
  accountId: AccountId,
  externalId: string,
): Promise<ContactRow | undefined> {
  return db
    .selectFrom('contacts')
    .select(columns)
    .where('accountId', '=', accountId)
    .where('externalId', '=', externalId)
    .executeTakeFirst()
}

/** Several contacts may share an e-mail address; the oldest is the one meant. */
export async function findByEmail(db: Db, accountId: AccountId, email: string): Promise<ContactRow | undefined> {
  return db
    .selectFrom('contacts')
    .select(columns)
    .where('accountId', '=', accountId)
    .where('email', '=', email)
    .orderBy('createdAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}
