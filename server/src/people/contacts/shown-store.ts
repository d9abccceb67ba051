import { contactTexts } from '@patchbay/contract/contact-texts.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ContactId, ListId } from '../../platform/ids.ts'
import type { SortedPlace } from '../../platform/sorted-place.ts'
import { findChannels, type ShownChannel } from './channel-store.ts'
import { shownAddress, shownName } from './shown-name-store.ts'
import type { ContactRow } from './store.ts'

/** A contact as the app shows it, with its lists and the state of its conversation. */
export type ShownContact = ContactRow & {
  /** What they are called; null: nothing is known. */
  name: string | null
  externalId: string | null
  isSimulated: boolean
  optedOutAt: Date | null
  lists: { id: ListId; name: string }[]
  channel: ShownChannel | null
  addresses: ContactAddress[]
  lastAt: Date | null
  /** When it was added to the list that was asked for. */
  addedAt: Date | null
}

/** How a contact is known on a built-in channel; the one by which they wrote last is the first. */
type ContactAddress = {
  channel: ShownChannel
  address: string
  whyNot: 'stopped' | 'closed' | 'channel_removed' | null
}
type AddressRow = Omit<ContactAddress, 'channel'> & { label: string }

/** Where a page begins: after this contact, which was added to the list at this time, in microseconds. */
export type PageCursor = { contactId: ContactId; addedMicros: string | null }

export type Page = { limit: number; before: PageCursor | undefined }
type PageRow = ShownContact & { addedMicros: string | null }

/**
 * Contacts of an account, newest first: ids sort by age, so the primary key is the order. Contacts of a list, those
 * added last first.
 */
export async function readContactPage(
  db: Db,
  accountId: AccountId,
  listId: ListId | undefined,
  { before, limit }: Page,
): Promise<PageRow[]> {
  return readShown(db, accountId, idsOfPage(accountId, listId, { before, limit }))
}

/** The ids of the contacts that `readContactPage` reads. */
export async function readIdPage(
  db: Db,
  accountId: AccountId,
  listId: ListId | undefined,
  page: Page,
): Promise<ContactId[]> {
  const { rows } = await sql<{ id: ContactId }>`${idsOfPage(accountId, listId, page)}`.execute(db)
  return rows.map(({ id }) => id)
}

function idsOfPage(accountId: AccountId, listId: ListId | undefined, { before, limit }: Page) {
  if (listId === undefined) {
    return sql`
      select id, null::timestamptz as added_at from contacts
      where account_id = ${accountId} ${before ? sql`and id < ${before.contactId}` : sql``}
      order by id desc limit ${limit}`
  }
  return sql`
    select contact_id as id, added_at from list_members
    where account_id = ${accountId} and list_id = ${listId} ${beforeMember(before)}
    order by added_at desc, contact_id desc limit ${limit}`
}

/** Where a page of a list goes on after this member. */
export async function readMemberCursor(
  db: Db,
  { accountId, listId }: { accountId: AccountId; listId: ListId },
  contactId: ContactId,
): Promise<PageCursor | undefined> {
  const { rows } = await sql<{ addedMicros: string }>`
    select (extract(epoch from added_at) * 1000000)::bigint::text as added_micros from list_members
    where account_id = ${accountId} and list_id = ${listId} and contact_id = ${contactId}
  `.execute(db)
  return rows[0] && { contactId, addedMicros: rows[0].addedMicros }
}

export function beforeMember(before: PageCursor | undefined) {
  if (!before) return sql``
  const at = sql`timestamptz 'epoch' + ${before.addedMicros}::bigint * interval '1 microsecond'`
  return sql`and (added_at, contact_id) < (${at}, ${before.contactId})`
}

/** These contacts, in the order of a page; of a list, those who are still on it. */
export async function readContacts(
  db: Db,
  accountId: AccountId,
  listId: ListId | undefined,
  ids: ContactId[],
): Promise<PageRow[]> {
  const which =
    listId === undefined
      ? sql`select id, null::timestamptz as added_at from unnest(${ids}::text[]) as id`
      : sql`
          select contact_id as id, added_at from list_members
          where account_id = ${accountId} and list_id = ${listId} and contact_id = any (${ids}::text[])`
  return readShown(db, accountId, which)
}

export async function findShownContact(
  db: Db,
  accountId: AccountId,
  contactId: ContactId,
): Promise<ShownContact | undefined> {
  const [contact] = await readShown(db, accountId, sql`select ${contactId}::text as id, null::timestamptz as added_at`)
  return contact
}

/** How many there are, up to `most`: a count of all costs as much as there are. The order keeps it on the index. */
export async function countContacts(
  db: Db,
  accountId: AccountId,
  listId: ListId | undefined,
  most: number,
): Promise<number> {
  const ids =
    listId === undefined
      ? sql`select id from contacts where account_id = ${accountId} order by id desc`
      : sql`
          select contact_id from list_members where account_id = ${accountId} and list_id = ${listId}
          order by contact_id desc`
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from (${ids} limit ${most}) as k`.execute(db)
  return rows[0]?.n ?? 0
}

type ShownList = { name: string; size: number }

/** The name of a list and how many contacts are on it; undefined when there is no such list. */
export async function findListShown(db: Db, accountId: AccountId, listId: ListId): Promise<ShownList | undefined> {
  const { rows } = await sql<ShownList>`
    select name, (
      select coalesce(sum(k.contacts), 0)::integer from list_counts k
      where k.account_id = ${accountId} and k.list_id = ${listId}
    ) as size
    from lists where account_id = ${accountId} and id = ${listId}
  `.execute(db)
  return rows[0]
}

const texts = sql.join(contactTexts.map((name) => sql.ref(`p.${name}`)))

/** The contacts with these ids. Lists are read one contact at a time: a page has few. */
async function readShown(db: Db, accountId: AccountId, ids: RawBuilder<unknown>): Promise<PageRow[]> {
  const { rows } = await sql<
    Omit<PageRow, 'channel' | 'addresses'> & { label: string | null; addresses: AddressRow[] }
  >`
    select p.id, ${texts}, ${sql.raw(shownName('p'))} as name, p.phone, p.email, p.external_id, p.is_simulated, p.created_at,
      p.opted_out_at, case when c.state <> 'empty' then c.active_at end as last_at, k.added_at,
      (extract(epoch from k.added_at) * 1000000)::bigint::text as added_micros,
      case when c.contact_id is not null and c.state <> 'empty' then coalesce(c.channel, 'custom') end as label,
      coalesce((
        select json_agg(json_build_object('id', l.id, 'name', l.name) order by l.created_at, l.id)
        from list_members m join lists l on l.account_id = m.account_id and l.id = m.list_id
        where m.account_id = p.account_id and m.contact_id = p.id
      ), '[]') as lists,
      coalesce((
        select json_agg(json_build_object(
          'label', h.channel_id, 'address', ${sql.raw(shownAddress('h'))},
          'whyNot', case when n.state = 'removed' then 'channel_removed' when h.stop_scope = 'all' then 'stopped'
            when h.stop_scope = 'team' then 'closed' end
        ) order by h.last_inbound_at desc nulls last, h.channel_id)
        from contact_channels h join channels n on n.account_id = h.account_id and n.id = h.channel_id
        where h.account_id = p.account_id and h.contact_id = p.id
      ), '[]') as addresses
    from (${ids}) as k
    join contacts p on p.account_id = ${accountId} and p.id = k.id
    left join conversations c on c.account_id = p.account_id and c.contact_id = p.id
    order by k.added_at desc, p.id desc
  `.execute(db)
  const labels = rows.flatMap(({ label, addresses }) => [label ?? [], addresses.map((each) => each.label)].flat())
  const channelOf = await findChannels(db, accountId, labels)
  return rows.map(({ label, addresses, ...row }) => ({
    ...row,
    channel: label === null ? null : channelOf(label),
    addresses: addresses.map(({ label: of, ...address }) => ({ ...address, channel: channelOf(of) })),
  }))
}

/** The words of the index `contacts_by_name`, which PostgreSQL takes only for the same. */
const nameKey = sql`coalesce(nullif(left(btrim(split_part(search_text, chr(10), 1)), 40), ''), chr(1114111))`

/** Contacts of an account by name, those without one last; of the same name, oldest first. */
export async function readPlacesByName(
  db: Db,
  accountId: AccountId,
  { after, limit }: { after: SortedPlace<ContactId> | undefined; limit: number },
): Promise<SortedPlace<ContactId>[]> {
  const { rows } = await sql<SortedPlace<ContactId>>`
    select ${nameKey} as key, id from contacts
    where account_id = ${accountId} ${after ? sql`and (${nameKey}, id) > (${after.key}, ${after.id})` : sql``}
    order by ${nameKey}, id limit ${limit}
  `.execute(db)
  return rows
}
