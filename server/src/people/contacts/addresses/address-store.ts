import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ChannelId, ContactId } from '../../../platform/ids.ts'
import { phoneVariants } from '../../../platform/text/phone-variants.ts'

export type OnChannel = { accountId: AccountId; channelId: ChannelId }

/** How somebody is known on a channel. */
export type ContactAddress = { kind: string; address: string }

export type AddressNames = { firstName: string | null; lastName: string | null; username: string | null }

/** Whose one of these addresses is; of several, that of the first one. A phone number is also found by its variants, after all that is exact. */
export async function findByAddress(
  db: Db,
  { accountId, channelId }: OnChannel,
  addresses: ContactAddress[],
): Promise<ContactId | undefined> {
  const { rows } = await sql<{ contactId: ContactId }>`
    select d.contact_id
    from json_to_recordset(${JSON.stringify(withVariants(addresses).map((one, n) => ({ ...one, n })))})
      as g (n integer, kind text, address text)
    join contact_addresses d on d.account_id = ${accountId} and d.channel_id = ${channelId}
      and d.kind = g.kind and d.address = g.address
    order by g.n
    limit 1
  `.execute(db)
  return rows[0]?.contactId
}

function withVariants(addresses: ContactAddress[]): ContactAddress[] {
  const phones = addresses.filter(({ kind }) => kind === 'phone')
  const others = phones.flatMap(({ kind, address }) =>
    phoneVariants(address)
      .slice(1)
      .map((variant) => ({ kind, address: variant })),
  )
  return [...addresses, ...others]
}

/**
 * Gives a contact addresses that nobody has. False: one of them is another contact's, who got it since it was looked for. Whoever
 * does the same at this moment is waited for.
 */
export async function attachAddresses(
  tx: Tx,
  { accountId, channelId, contactId }: OnChannel & { contactId: ContactId },
  addresses: ContactAddress[],
): Promise<boolean> {
  const { rows } = await sql`
    insert into contact_addresses (account_id, channel_id, kind, address, contact_id)
    select ${accountId}, ${channelId}, kind, address, ${contactId}
    from json_to_recordset(${JSON.stringify(addresses)}) as g (kind text, address text)
    order by kind, address
    on conflict (account_id, channel_id, kind, address) do nothing
    returning true
  `.execute(tx)
  return rows.length === addresses.length
}

/** The contact cannot be erased until the transaction ends. False: it was. Lock order: before its conversation. */
export async function keepFromErasure(tx: Tx, { accountId, contactId }: Ref): Promise<boolean> {
  const { rows } = await sql`
    select from contacts where account_id = ${accountId} and id = ${contactId} for key share
  `.execute(tx)
  return rows.length > 0
}

type Ref = { accountId: AccountId; contactId: ContactId }

/**
 * Makes a contact that is known by its addresses, and by a phone number where that is one of them. False: somebody has got the number
 * since it was looked for; whoever does so at this moment is waited for.
 */
export async function insertAddressed(
  tx: Tx,
  { accountId, contactId }: Ref,
  { firstName, lastName, phone }: Omit<AddressNames, 'username'> & { phone: string | null },
): Promise<boolean> {
  const made = await tx
    .insertInto('contacts')
    .values({ accountId, id: contactId, firstName, lastName, phone })
    .onConflict((c) => c.columns(['accountId', 'phone']).where('phone', 'is not', null).doNothing())
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}

/** Names fill what is empty, and overwrite nothing. */
export async function fillNames(
  tx: Tx,
  { accountId, contactId }: Ref,
  { firstName, lastName }: AddressNames,
): Promise<void> {
  await sql`
    update contacts set first_name = coalesce(first_name, ${firstName}), last_name = coalesce(last_name, ${lastName})
    where account_id = ${accountId} and id = ${contactId}
      and (first_name is null and ${firstName}::text is not null or last_name is null and ${lastName}::text is not null)
  `.execute(tx)
}
