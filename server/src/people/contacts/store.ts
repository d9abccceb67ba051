import { type ContactText, contactTexts } from '@patchbay/contract/contact-texts.ts'
import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, type ContactId, newId } from '../../platform/ids.ts'
import { shownAddress } from './shown-name-store.ts'

export type ContactRow = Record<ContactText, string | null> & {
  id: ContactId
  phone: string | null
  email: string | null
  createdAt: Date
}

export type NewContactRow = Omit<ContactRow, 'id' | 'createdAt'> & { externalId: string | null }

export const contactColumns = ['id', ...contactTexts, 'phone', 'email', 'createdAt'] as const

/**
 * Inserts a contact; undefined when its phone number or external id already has one. When two inserts race, the second waits
 * for the first transaction to end, so the winner can be read afterwards.
 */
export async function insertUnlessKnown(
  db: Db,
  accountId: AccountId,
  contact: NewContactRow,
): Promise<ContactRow | undefined> {
  return db
    .insertInto('contacts')
    .values({ accountId, id: newId('con'), ...contact })
    .onConflict((c) => c.doNothing())
    .returning(contactColumns)
    .executeTakeFirst()
}

type IdentifiedContact = ContactRow & { externalId: string | null }

export async function findByPhone(db: Db, accountId: AccountId, phone: string): Promise<IdentifiedContact | undefined> {
  return withPhone(db, accountId, phone).executeTakeFirst()
}

/** Does what `findByPhone` does, and the contact cannot be erased until the transaction ends. */
export async function lockByPhone(tx: Db, accountId: AccountId, phone: string): Promise<IdentifiedContact | undefined> {
  return withPhone(tx, accountId, phone).forKeyShare().executeTakeFirst()
}

function withPhone(db: Db, accountId: AccountId, phone: string) {
  return contactsOf(db, accountId).select('externalId').where('phone', '=', phone)
}

function contactsOf(db: Db, accountId: AccountId) {
  return db.selectFrom('contacts').select(contactColumns).where('accountId', '=', accountId)
}

/**
 * Gives a contact its id on the external platform. False when there is no such contact, or it has one already: messages find
 * their contact by it, so it is never overwritten.
 */
export async function fillExternalId(db: Db, { accountId, contactId }: Ref, externalId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('contacts')
    .set({ externalId })
    .where('accountId', '=', accountId)
    .where('id', '=', contactId)
    .where('externalId', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function findById(db: Db, accountId: AccountId, contactId: ContactId): Promise<ContactRow | undefined> {
  return contactsOf(db, accountId).where('id', '=', contactId).executeTakeFirst()
}

/** Finds a contact by its id on the external platform. */
export async function findByExternalId(
  db: Db,
  accountId: AccountId,
  externalId: string,
): Promise<ContactRow | undefined> {
  return contactsOf(db, accountId).where('externalId', '=', externalId).executeTakeFirst()
}

/** Several contacts may share an e-mail address; returns the oldest. */
export async function findByEmail(db: Db, accountId: AccountId, email: string): Promise<ContactRow | undefined> {
  return contactsOf(db, accountId)
    .where('email', '=', email)
    .orderBy('createdAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

type Ref = { accountId: AccountId; contactId: ContactId }

export async function hasContact(db: Db, { accountId, contactId }: Ref): Promise<boolean> {
  const contact = await db
    .selectFrom('contacts')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', contactId)
    .executeTakeFirst()
  return contact !== undefined
}

/**
 * Sets the given fields; false when there is no such contact, or when it would be left without phone number, e-mail
 * address, external id and any built-in channel. An update that waited for another checks this again on what that one wrote.
 */
export async function updateContact(
  db: Db,
  { accountId, contactId }: Ref,
  change: Partial<Omit<NewContactRow, 'externalId'>>,
): Promise<boolean> {
  const stays = (['phone', 'email'] as const).filter((name) => change[name] === undefined)
  const isGiven = (['phone', 'email'] as const).some((name) => typeof change[name] === 'string')
  const { numUpdatedRows } = await db
    .updateTable('contacts')
    .set(change)
    .where('accountId', '=', accountId)
    .where('id', '=', contactId)
    .$if(!isGiven, (update) =>
      update.where(({ or, eb, exists, selectFrom }) =>
        or([
          ...[...stays, 'externalId' as const].map((name) => eb(name, 'is not', null)),
          exists(
            selectFrom('contactChannels as h')
              .select('h.channelId')
              .where('h.accountId', '=', accountId)
              .where('h.contactId', '=', contactId)
              // Where they were only written to, they are known by the phone number.
              .where((h) => h.or([h('h.addressKind', '<>', 'phone'), h('h.lastInboundAt', 'is not', null)])),
          ),
        ]),
      ),
    )
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export type ExportedContact = ContactRow & {
  externalId: string | null
  optedOutAt: Date | null
  /** How they are known on built-in channels: `The shop: @ana`. */
  addresses: string | null
}

export async function readExported(db: Db, accountId: AccountId, ids: ContactId[]): Promise<ExportedContact[]> {
  const addresses = sql<string | null>`(
    select string_agg(n.name || ': ' || ${sql.raw(shownAddress('h'))}, '; ' order by h.channel_id)
    from contact_channels h join channels n on n.account_id = h.account_id and n.id = h.channel_id
    where h.account_id = contacts.account_id and h.contact_id = contacts.id
  )`
  return contactsOf(db, accountId)
    .select(['externalId', 'optedOutAt', addresses.as('addresses')])
    .where('id', 'in', ids)
    .execute()
}
