import { contactTexts } from '@patchbay/contract/contact-texts.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../platform/database/db.ts'
import type { AccountId, ContactId, ListId } from '../platform/ids.ts'
import { findChannels, type ShownChannel } from './channel-store.ts'
import type { ContactRow } from './store.ts'

/** A contact as the app shows it, with its lists and the state of its conversation. */
export type ShownContact = ContactRow & {
  externalId: string | null
  isSimulated: boolean
  optedOutAt: Date | null
  lists: { id: ListId; name: string }[]
  channel: ShownChannel | null
  lastAt: Date | null
  /** On the list that was asked for. */
  addedAt: Date | null
}

/** Which contacts: of a list, and those with `q` in the name, or at the beginning of phone number, e-mail or external id. */
export type Which = { listId: ListId | undefined; q: string | undefined }

/** Where a page begins: after this contact, which was added to the list at this time, in microseconds. */
export type PageCursor = { contactId: ContactId; addedMicros: string | null }

type Page = { limit: number; before: PageCursor | undefined }
type PageRow = ShownContact & { addedMicros: string | null }

/**
 * Contacts of an account, newest first: ids sort by age, so the primary key is the order. Contacts of a list, those
 * added last first.
 */
export async function readContactPage(db: Db, accountId: AccountId, which: Which, page: Page): Promise<PageRow[]> {
  const { listId, q } = which
  if (listId !== undefined) return readShown(db, accountId, ofList(accountId, { listId, q }, page))
  const older = page.before ? sql`and id < ${page.before.contactId}` : sql``
  return readShown(
    db,
    accountId,
    sql`
      select id, null::timestamptz as added_at from contacts
      where account_id = ${accountId} ${matching(q)} ${older} order by id desc limit ${page.limit}`,
  )
}

function ofList(accountId: AccountId, { listId, q }: { listId: ListId; q: string | undefined }, page: Page) {
  const { contactId, addedMicros } = page.before ?? {}
  const at = sql`timestamptz 'epoch' + ${addedMicros}::bigint * interval '1 microsecond'`
  const before = contactId === undefined ? sql`` : sql`and (added_at, contact_id) < (${at}, ${contactId})`
  return sql`
    select contact_id as id, added_at from list_members
    where account_id = ${accountId} and list_id = ${listId} ${matchingMember(accountId, q)} ${before}
    order by added_at desc, contact_id desc limit ${page.limit}`
}

export async function findShownContact(
  db: Db,
  accountId: AccountId,
  contactId: ContactId,
): Promise<ShownContact | undefined> {
  const [contact] = await readShown(db, accountId, sql`select ${contactId}::text as id, null::timestamptz as added_at`)
  return contact
}

/**
 * How many there are, up to `most`: a count of all would cost as much as there are. The order keeps it on the index.
 */
export async function countContacts(
  db: Db,
  accountId: AccountId,
  { listId, q, most }: Which & { most: number },
): Promise<number> {
  const ids =
    listId === undefined
      ? sql`select id from contacts where account_id = ${accountId} ${matching(q)} order by id desc`
      : sql`
          select contact_id from list_members
          where account_id = ${accountId} and list_id = ${listId} ${matchingMember(accountId, q)}
          order by contact_id desc`
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from (${ids} limit ${most}) as k`.execute(db)
  return rows[0]?.n ?? 0
}

export async function hasList(db: Db, accountId: AccountId, listId: ListId): Promise<boolean> {
  const list = await db
    .selectFrom('lists')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', listId)
    .executeTakeFirst()
  return list !== undefined
}

function matchingMember(accountId: AccountId, q: string | undefined) {
  if (q === undefined) return sql``
  // A scalar subquery can only be planned row by row, in the order of the list, so a page ends early.
  return sql`and (select true from contacts where account_id = ${accountId} and id = contact_id ${matching(q)})`
}

/** A condition on `search_text`: see the migration that makes it. */
export function matching(q: string | undefined) {
  if (q === undefined) return sql``
  const text = sql`searchable(${q.replace(/\s+/g, ' ')})`
  const phone = /^[\d\s+()./-]*\d[\d\s+()./-]*$/.test(q) ? `\n+${q.replace(/\D/g, '')}` : undefined
  // One comparison is enough for most of the contacts that do not match.
  return sql`and (
    strpos(search_text, ${text}) > 0 and (
      strpos(search_text, ${'\n'} || ${text}) > 0 or strpos(search_text, ${text}) < strpos(search_text, ${'\n'})
    )
    ${phone === undefined ? sql`` : sql`or strpos(search_text, ${phone}) > 0`}
  )`
}

/** The newest contacts with this text in their name, up to `limit`. */
export async function findByName(db: Db, accountId: AccountId, q: string, limit: number): Promise<ContactId[]> {
  const text = sql`searchable(${q.replace(/\s+/g, ' ')})`
  const { rows } = await sql<{ id: ContactId }>`
    select id from contacts
    where account_id = ${accountId} and strpos(search_text, ${text}) between 1 and strpos(search_text, ${'\n'}) - 1
    order by id desc limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

const texts = sql.join(contactTexts.map((name) => sql.ref(`p.${name}`)))

/** The contacts with these ids. Lists are read one contact at a time: a page has few. */
async function readShown(db: Db, accountId: AccountId, ids: RawBuilder<unknown>): Promise<PageRow[]> {
  const { rows } = await sql<Omit<PageRow, 'channel'> & { label: string | null }>`
    select p.id, ${texts}, p.phone, p.email, p.external_id, p.is_simulated, p.created_at,
      p.opted_out_at, c.active_at as last_at, k.added_at,
      (extract(epoch from k.added_at) * 1000000)::bigint::text as added_micros,
      case when c.contact_id is not null then coalesce(c.channel, 'custom') end as label,
      coalesce((
        select json_agg(json_build_object('id', l.id, 'name', l.name) order by l.created_at, l.id)
        from list_members m join lists l on l.account_id = m.account_id and l.id = m.list_id
        where m.account_id = p.account_id and m.contact_id = p.id
      ), '[]') as lists
    from (${ids}) as k
    join contacts p on p.account_id = ${accountId} and p.id = k.id
    left join conversations c on c.account_id = p.account_id and c.contact_id = p.id
    order by k.added_at desc, p.id desc
  `.execute(db)
  const labels = rows.flatMap(({ label }) => label ?? [])
  const channelOf = await findChannels(db, accountId, labels)
  return rows.map(({ label, ...row }) => ({ ...row, channel: label === null ? null : channelOf(label) }))
}
