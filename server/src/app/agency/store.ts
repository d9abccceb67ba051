import { type RawBuilder, sql } from 'kysely'
import { shownName } from '../../people/contacts/shown-name-store.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ContactId, LedgerId, UserId } from '../../platform/ids.ts'
import type { SortedPlace } from '../../platform/sorted-place.ts'

export type SubaccountRow = {
  id: AccountId
  name: string
  email: string
  rateLimitPerMinute: number | null
  createdAt: Date
  isEmpty: boolean
  isLow: boolean
}

export type SubaccountOrder = 'newest' | 'name' | 'balance'
type ListQuery = {
  q: string | undefined
  onlyLow: boolean
  sort: SubaccountOrder
  after: SortedPlace<AccountId> | undefined
  limit: number
  usualPrice: number
}
type KeyedRow = SubaccountRow & { key: string }

/** An agency has few sub-accounts, whose states are all worked out anyway: no index is needed for an order. */
const orders = {
  newest: { key: sql`''`, order: sql`s.id desc`, after: ({ id }: SortedPlace) => sql`s.id < ${id}` },
  name: orderBy(sql`(searchable(s.name) collate "C")`, 'text'),
  balance: orderBy(sql`s.units`, 'numeric'),
}

function orderBy(key: RawBuilder<unknown>, type: 'text' | 'numeric') {
  return {
    key: sql`${key}::text`,
    order: sql`${key}, s.id`,
    after: (place: SortedPlace) => sql`(${key}, s.id) > (${place.key}::${sql.raw(type)}, ${place.id})`,
  }
}

/** In this order, the lowest balance first. `q`, in lower case, is a part of the name or the e-mail address. */
export async function listSubaccounts(db: Db, agencyId: AccountId, wanted: ListQuery): Promise<KeyedRow[]> {
  const { q, onlyLow, sort, after, limit, usualPrice } = wanted
  const by = orders[sort]
  const { rows } = await sql<KeyedRow>`
    select s.*, ${by.key} as key from (${subaccounts(agencyId, usualPrice)}) as s
    where true
      ${after === undefined ? sql`` : sql`and ${by.after(after)}`}
      ${q === undefined ? sql`` : sql`and strpos(lower(s.name || ' ' || s.email), ${q}) > 0`}
      ${onlyLow ? sql`and (s.is_low or s.is_empty)` : sql``}
    order by ${by.order} limit ${limit}
  `.execute(db)
  return rows
}

/** Returns undefined when the agency has no such sub-account. */
export async function findSubaccount(
  db: Db,
  { agencyId, accountId, usualPrice }: { agencyId: AccountId; accountId: AccountId; usualPrice: number },
): Promise<SubaccountRow | undefined> {
  const { rows } = await sql<SubaccountRow>`
    select s.* from (${subaccounts(agencyId, usualPrice)}) as s where s.id = ${accountId}
  `.execute(db)
  return rows[0]
}

type SubaccountCounts = { total: number; low: number }

export async function countSubaccounts(db: Db, agencyId: AccountId, usualPrice: number): Promise<SubaccountCounts> {
  const { rows } = await sql<SubaccountCounts>`
    select count(*)::integer as total, (count(*) filter (where s.is_low or s.is_empty))::integer as low
    from (${subaccounts(agencyId, usualPrice)}) as s
  `.execute(db)
  return rows[0] ?? { total: 0, low: 0 }
}

/** A sub-account is empty when its balance does not cover an answer of its dearest live campaign over its dearest channel. */
const subaccounts = (agencyId: AccountId, usualPrice: number) => sql`
  select a.id, coalesce(a.name, u.email) as name, u.email, a.rate_limit_per_minute, a.created_at,
    coalesce(b.balance, 0) as units, coalesce(b.balance < b.recharge_threshold, false) as is_low,
    coalesce(b.balance, 0) < 10000 * coalesce((
      select max(coalesce((c.settings ->> 'creditsPerReply')::numeric, ${usualPrice})) from campaigns c
      where c.account_id = a.id and c.status = 'live'
    ), 0) + coalesce((
      select max(n.credits_per_message) from channels n where n.account_id = a.id and n.state <> 'removed'
    ), 0) as is_empty
  from accounts a
  join users u on u.account_id = a.id and u.is_holder
  left join balances b on b.account_id = a.id
  where a.agency_id = ${agencyId}
`

/**
 * The balance in units at the end of each of the last days, in UTC, oldest first: one look into the index for each day,
 * however many movements there were. Ids begin with the time at which they were made, so a movement that was committed
 * while another one was may count as the day before; it is drawn, and not told as a number.
 */
export async function readSparks(
  db: Db,
  accountIds: AccountId[],
  days: number,
): Promise<(accountId: AccountId) => bigint[]> {
  const { rows } = await sql<{ accountId: AccountId; units: string[] }>`
    select a.id as account_id, array_agg(coalesce((
      select l.balance_after from ledger l where l.account_id = a.id and l.id < d.first_after
      order by l.id desc limit 1
    ), 0)::text order by d.n) as units
    from unnest(${accountIds}::text[]) as a (id) cross join (
      select n, 'led_' || lpad(to_hex((extract(epoch from (
        date_trunc('day', now() at time zone 'UTC') - (${days} - n) * interval '1 day' + interval '1 day'
      ) at time zone 'UTC') * 1000)::bigint), 12, '0') as first_after
      from generate_series(1, ${days}::integer) as n
    ) as d
    group by a.id
  `.execute(db)
  const found = new Map(rows.map(({ accountId, units }) => [accountId, units.map(BigInt)]))
  return (accountId) => found.get(accountId) ?? []
}

/** Fails with 23505 when somebody signs in with this address already. */
export async function setHolderEmail(tx: Tx, accountId: AccountId, email: string): Promise<void> {
  await tx.updateTable('users').set({ email }).where('accountId', '=', accountId).where('isHolder', '=', true).execute()
}

type NamesById = Map<string, string | null>

/** Names of users, also of those who were removed. */
export async function findUserNames(db: Db, accountId: AccountId, ids: UserId[]): Promise<NamesById> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('users')
    .select('id')
    .select(sql<string | null>`coalesce(name, split_part(email, '@', 1))`.as('name'))
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function findContactNames(db: Db, accountId: AccountId, ids: ContactId[]): Promise<NamesById> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('contacts')
    .select('id')
    .select(sql<string | null>`${sql.raw(shownName('contacts'))}`.as('name'))
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Which of these movements were taken back. */
export async function findReversed(db: Db, accountId: AccountId, ids: LedgerId[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('ledger')
    .select('reverses')
    .where('accountId', '=', accountId)
    .where('reverses', 'in', ids)
    .execute()
  return new Set(rows.map(({ reverses }) => reverses as string))
}

export async function findAgency(db: Db, accountId: AccountId): Promise<AccountId> {
  const { agencyId } = await db
    .selectFrom('accounts')
    .select('agencyId')
    .where('id', '=', accountId)
    .where('agencyId', 'is not', null)
    .$narrowType<{ agencyId: AccountId }>()
    .executeTakeFirstOrThrow()
  return agencyId
}
