import type { Pool } from 'pg'
import { leaseSeconds } from '../../../outbox/enqueue-events.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import type { AccountId } from '../../../platform/ids.ts'
import type { Turn } from '../../conversations/turn-store.ts'

/**
 * A claim leases up to `mostAtOnce` turns; of one account up to `perAccount` in all processes together; none of
 * accounts in `without`.
 */
export type ClaimLimits = { mostAtOnce: number; perAccount: number; without: AccountId[] }

/**
 * Leases due turns. Every account gets its first lease before any account gets a second one; among equals the oldest
 * turn goes first. A turn parked for credits is claimed as soon as the balance pays for it: whoever grants credits need
 * not know of parked turns.
 *
 * The cost is about the same however many turns there are. If fewer are due than one scan reads, it reads all.
 * Otherwise it reads the oldest, the newest, which are those of accounts without a backlog, and those of some accounts
 * in order, going on where the last claim ended: so nobody's backlog hides another account.
 */
export function openClaim(pool: Pool): (limits: ClaimLimits) => Promise<Claimed> {
  let from: Cursors = { account: '', parked: '' }
  return async ({ mostAtOnce, perAccount, without }) => {
    const began = from
    const values = [mostAtOnce, perAccount, without, began.account, began.parked]
    // Named, so that it is planned once a connection: it runs up to ten times a second, mostly without a result.
    const { rows } = await pool.query<Row>(prepared(statements, 'claim-turns', values))
    from = { account: rows[0]?.nextAccount ?? '', parked: rows[0]?.nextParked ?? '' }
    const turns = rows
      .filter(isTurn)
      .map(({ nextAccount: _, nextParked: __, nextInMs: ___, isMoreDue: ____, ...row }) => {
        return { ...row, fromSeq: BigInt(row.fromSeq), claimedSeq: BigInt(row.claimedSeq) }
      })
    return {
      turns,
      nextInMs: rows[0]?.nextInMs ?? undefined,
      isMoreDue: rows[0]?.isMoreDue ?? false,
      mayFindMore: turns.length === mostAtOnce || [began, from].some(({ account, parked }) => account + parked !== ''),
    }
  }
}

/**
 * `nextInMs`: when the next turn becomes due that is not yet. `isMoreDue`: turns are due that were not claimed, because their
 * account has as many leases as it may have, more was not asked for, or they were locked. `mayFindMore`: another claim at once may find some,
 * because this one did not reach all accounts.
 */
export type Claimed = { turns: Turn[]; nextInMs: number | undefined; isMoreDue: boolean; mayFindMore: boolean }

type Cursors = { account: string; parked: string }

type Row = { nextAccount: string | null; nextParked: string | null; nextInMs: number | null; isMoreDue: boolean } & (
  | ClaimedTurn
  | { token: null }
)
type ClaimedTurn = Omit<Turn, 'fromSeq' | 'claimedSeq'> & { fromSeq: string; claimedSeq: string }

/** When nothing was claimed, one row without a turn still returns the cursors. */
function isTurn(row: Row): row is Row & ClaimedTurn {
  return row.token !== null
}

/** Rows that one claim reads: turns from each end, accounts in order with turns of each, accounts with parked turns. */
const scanned = 100
const accountsScanned = 64
const scannedPerAccount = 2
const parkedAccountsScanned = 64

/**
 * The part of a statement that skips through an index from one account to the next, up to `most` of them: the body of the
 * recursive CTE `account_list`, which it reads.
 */
function accountsAfter(cursor: string, { which, most }: { which: string; most: number }): string {
  const next = (after: string) =>
    `select account_id from turns where ${which} and account_id > ${after} order by account_id limit 1`
  return `
  select (${next(cursor)}) as account_id, 1 as n
  union all
  select (${next('o.account_id')}), o.n + 1
  from account_list o
  where o.account_id is not null and o.n <= ${most}`
}

/** Where the next claim goes on, by the CTE `accounts`; at the beginning again when this one reached the end. */
const lastOf = (accounts: string) =>
  `(select case when bool_or(account_id is null) then '' else max(account_id) end from ${accounts})`

const isFree = 'lease_token is null'
const isParked = `parked_units is not null and ${isFree}`

const claimStatement = `
with recursive leased as materialized (
  select account_id, contact_id, due_at, leased_until from turns where lease_token is not null
), live as materialized (
  select account_id, count(*) as leases from leased where leased_until >= now() group by account_id
), oldest as materialized (
  select account_id, contact_id, due_at from turns where ${isFree} and due_at <= now() order by due_at limit ${scanned}
), overflow as materialized (
  select true as is_more from oldest having count(*) = ${scanned}
), newest as materialized (
  select account_id, contact_id, due_at from turns
  where ${isFree} and due_at <= now() and (select is_more from overflow)
  order by due_at desc
  limit ${scanned}
), owing_account as materialized (
  with recursive account_list as (${accountsAfter('$4', { which: `${isFree} and (select is_more from overflow)`, most: accountsScanned })}
  )
  select * from account_list
), by_account as materialized (
  select t.*
  from owing_account o cross join lateral (
    select account_id, contact_id, due_at from turns
    where ${isFree} and account_id = o.account_id and due_at <= now()
    order by account_id, due_at -- by the index that begins with the account, and no other
    limit ${scannedPerAccount}
  ) as t
  where o.account_id is not null and o.account_id <> all ($3::text[])
), parked_account as materialized (
  with recursive account_list as (${accountsAfter('$5', { which: isParked, most: parkedAccountsScanned })}
  )
  select * from account_list
), affordable as materialized (
  select t.*
  from parked_account p join balances b on b.account_id = p.account_id cross join lateral (
    select account_id, contact_id, first_at from turns
    where ${isParked} and account_id = p.account_id and parked_units <= b.balance - b.held
    order by account_id, parked_units, first_at
    limit $2
  ) as t
), candidate as materialized (
  select account_id, contact_id, min(due_at) as since
  from (
    select * from oldest
    union all select * from newest
    union all select * from by_account
    union all select * from affordable
    union all select account_id, contact_id, due_at from leased where leased_until < now()
  ) as every
  where account_id <> all ($3::text[])
  group by account_id, contact_id
), ranked as materialized (
  select c.*, coalesce((select leases from live l where l.account_id = c.account_id), 0)
    + row_number() over (partition by c.account_id order by c.since) as position_in_account
  from candidate c
), chosen as materialized (
  select account_id, contact_id from ranked where position_in_account <= $2 order by position_in_account, since limit $1
), locked as materialized (
  select t.account_id, t.contact_id
  from chosen c join turns t on t.account_id = c.account_id and t.contact_id = c.contact_id
  where (t.lease_token is null or t.leased_until < now()) and (t.due_at <= now() or t.parked_units is not null)
  for update of t skip locked
), claimed as (
  update turns t
  set lease_token = gen_random_uuid(), leased_until = now() + interval '${leaseSeconds} s', claimed_seq = t.last_seq,
    attempts = t.attempts + 1
  from locked f
  where t.account_id = f.account_id and t.contact_id = f.contact_id
  returning t.*
)
select t.account_id as "accountId", t.contact_id as "contactId", t.from_seq as "fromSeq",
  t.claimed_seq as "claimedSeq", t.lease_token as token, t.attempts, t.superseded, t.trace, t.parked_units is not null as "isParked",
  ${lastOf('owing_account')} as "nextAccount", ${lastOf('parked_account')} as "nextParked",
  (select ceil(extract(epoch from min(due_at) - now()) * 1000)::float8 from turns where ${isFree} and due_at > now()) as "nextInMs",
  (select count(*) from candidate) > (select count(*) from claimed) as "isMoreDue"
from (values (true)) as always left join claimed t on true
`

export const statements = { 'claim-turns': claimStatement }
