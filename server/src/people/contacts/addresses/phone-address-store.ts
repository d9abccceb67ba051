import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import { phoneVariants } from '../../../platform/text/phone-variants.ts'
import { attachAddresses, type ContactAddress, findByAddress, type OnChannel } from './address-store.ts'

/** Whose phone number this is, in any variant; the number itself first. */
export async function findByAnyPhone(db: Db, accountId: AccountId, phone: string): Promise<ContactId | undefined> {
  const variants = phoneVariants(phone)
  const { rows } = await sql<{ id: ContactId }>`
    select id from contacts where account_id = ${accountId} and phone = any (${variants}::text[])
    order by array_position(${variants}::text[], phone::text) limit 1
  `.execute(db)
  return rows[0]?.id
}

/**
 * Makes the contact known on a channel by their phone number, so that they can be written to before they write. Returns the address
 * to write to: that of before, where they are known there. `takenBy`: the number is another contact's there. Lock order: the contact,
 * before its conversation.
 */
export async function attachPhone(
  tx: Tx,
  { accountId, contactId, channelId }: OnChannel & { contactId: ContactId },
): Promise<ContactAddress | 'no phone' | { takenBy: ContactId }> {
  const known = await readAddress(tx, { accountId, contactId, channelId })
  if (known?.address) return known.address
  const phone = known?.phone ?? null
  if (phone === null) return 'no phone'
  const on = { accountId, channelId }
  const given = { kind: 'phone', address: phone }
  const isOthers = (holder: ContactId | undefined): holder is ContactId => holder !== undefined && holder !== contactId
  const before = await findByAddress(tx, on, [given])
  if (isOthers(before)) return { takenBy: before }
  // Somebody else may have got it since they were looked for: then that is seen now, and nothing was attached.
  const holder = (await attachAddresses(tx, { ...on, contactId }, [given]))
    ? contactId
    : await findByAddress(tx, on, [given])
  if (isOthers(holder)) return { takenBy: holder }
  await sql`
    insert into contact_channels (account_id, contact_id, channel_id, address_kind, address)
    values (${accountId}, ${contactId}, ${channelId}, 'phone', ${phone})
    on conflict (account_id, contact_id, channel_id) do nothing
  `.execute(tx)
  return given
}

type Known = { phone: string | null; address: ContactAddress | null }

/** The contact's phone number is not changed until the transaction ends. A simulated contact has none: whoever has it is somebody else. */
async function readAddress(
  tx: Tx,
  { accountId, contactId, channelId }: OnChannel & { contactId: ContactId },
): Promise<Known | undefined> {
  const { rows } = await sql<Known>`
    select case when not p.is_simulated then p.phone end as phone, (
      select json_build_object('kind', h.address_kind, 'address', h.address) from contact_channels h
      where h.account_id = p.account_id and h.contact_id = p.id and h.channel_id = ${channelId}
    ) as address
    from contacts p where p.account_id = ${accountId} and p.id = ${contactId} for no key update
  `.execute(tx)
  return rows[0]
}

/**
 * Contacts whose phone number has changed are written to at the new one, on every channel where they have never written: what was
 * known of the old number there, such as that its provider refuses it, goes with it. Who has written stays where they wrote from.
 */
export async function moveUnusedPhones(tx: Tx, accountId: AccountId, contactIds: ContactId[]): Promise<void> {
  if (contactIds.length === 0) return
  const { rows } = await sql<OnChannel & { contactId: ContactId }>`
    with gone as (
      delete from contact_channels h using contacts p
      where h.account_id = ${accountId} and h.contact_id = any (${contactIds}::text[]) and h.address_kind = 'phone'
        and h.last_inbound_at is null
        and p.account_id = h.account_id and p.id = h.contact_id and p.phone is distinct from h.address
      returning h.account_id, h.contact_id, h.channel_id, h.address
    ), freed as (
      delete from contact_addresses d using gone g
      where d.account_id = g.account_id and d.channel_id = g.channel_id and d.kind = 'phone' and d.address = g.address
        and d.contact_id = g.contact_id
    )
    select account_id, contact_id, channel_id from gone order by contact_id, channel_id
  `.execute(tx)
  // Of a number that another contact has there nothing is attached: who writes to them is told.
  for (const ref of rows) await attachPhone(tx, ref)
}
