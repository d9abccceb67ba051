import { CompiledQuery } from 'kysely'
import type { Pool } from 'pg'
import type { Tx } from '../../platform/database/db.ts'
import { prepared } from '../../platform/database/prepared.ts'
import type { AccountId, LedgerId } from '../../platform/ids.ts'

/** A grant to be written. Absent fields are undefined. */
export type GrantRow = {
  agencyId: AccountId
  /** The e-mail address of the sub-account, normalized as it is stored. */
  email: string
  entryId: LedgerId
  amount: bigint
  description: string | undefined
  actor: string
  /** The agency's idempotency key, and the hash of the request's body. */
  key: string | undefined
  bodyHash: Buffer | undefined
}

export type GrantEntry = { entryId: LedgerId; accountId: AccountId; amount: bigint; balanceAfter: bigint }

/** `unknown`: the agency has no such sub-account. `other body`: the key was used for another grant. */
export type GrantOutcome = GrantEntry | 'unknown' | 'other body'

/**
 * Writes any number of grants in one statement and returns each with the balance that it leaves, in the order given. A
 * key that was used before returns its grant. Undefined: another transaction is using the same key at this moment; a
 * retry finds its grant.
 */
export async function writeGrants(pool: Pool, grants: GrantRow[]): Promise<(GrantOutcome | undefined)[]> {
  const { rows } = await pool.query<OutcomeRow>(prepared(statements, 'write-grants', parameters(grants)))
  return outcomes(grants, rows)
}

/** Which of these grants are written already, in the order given. One with a key is found by writing it again. */
export async function findGrants(pool: Pool, grants: GrantRow[]): Promise<(GrantOutcome | undefined)[]> {
  const { rows } = await pool.query<OutcomeRow>(prepared(statements, 'find-grants', parameters(grants)))
  return outcomes(grants, rows)
}

const finding = `
select g.n, 'granted' as outcome, l.id as "entryId", l.account_id as "accountId", l.amount,
  l.balance_after as "balanceAfter"
from json_to_recordset($1) as g (n integer, "agencyId" text, email text, "entryId" text)
join users u on u.email = g.email and u.is_holder
join ledger l on l.account_id = u.account_id and l.id = g."entryId" and l.payer_id = g."agencyId"
`

/** `writeGrants` for one grant inside a transaction. */
export async function writeGrant(tx: Tx, grant: GrantRow): Promise<GrantOutcome | undefined> {
  const { rows } = await tx.executeQuery<OutcomeRow>(CompiledQuery.raw(writing, parameters([grant])))
  return outcomes([grant], rows)[0]
}

type OutcomeRow =
  | { n: number; outcome: 'unknown' | 'other body' }
  | { n: number; outcome: 'granted'; entryId: LedgerId; accountId: AccountId; amount: string; balanceAfter: string }

function outcomes(grants: GrantRow[], rows: OutcomeRow[]): (GrantOutcome | undefined)[] {
  const found = new Map(rows.map((row) => [row.n, outcomeOf(row)]))
  return grants.map((_, n) => found.get(n))
}

function outcomeOf(found: OutcomeRow): GrantOutcome {
  if (found.outcome !== 'granted') return found.outcome
  const { entryId, accountId, amount, balanceAfter } = found
  return { entryId, accountId, amount: BigInt(amount), balanceAfter: BigInt(balanceAfter) }
}

function parameters(grants: GrantRow[]): [grants: string] {
  const given = grants.map(({ amount, bodyHash, ...grant }, n) => {
    return { n, ...grant, amount: String(amount), bodyHash: bodyHash?.toString('hex') }
  })
  return [JSON.stringify(given)]
}

/**
 * The lock on the balance's row serializes grants to one sub-account. The statement locks keys first and then balances,
 * each in sorted order, so that there is no deadlock. `balance_after` of a grant includes the grants before it in this
 * statement and not those after it.
 */
const writing = `
with given as materialized (
  select * from json_to_recordset($1) as g (
    n integer, "agencyId" text, email text, "entryId" text, amount bigint, description text, actor text, key text,
    "bodyHash" text
  )
), seen as materialized (
  select g.n, k.sub_account_id, k.entry_id, k.body_hash = decode(g."bodyHash", 'hex') as is_same
  from given g join grant_keys k on k.account_id = g."agencyId" and k.key = g.key
), target as materialized (
  select g.*, a.id as account_id
  from given g
  join users u on u.email = g.email and u.is_holder
  join accounts a on a.id = u.account_id and a.agency_id = g."agencyId"
  where g.n not in (select n from seen)
), claimed as (
  insert into grant_keys (account_id, key, body_hash, sub_account_id, entry_id)
  select "agencyId", key, decode("bodyHash", 'hex'), account_id, "entryId" from target where key is not null
  order by "agencyId", key
  on conflict (account_id, key) do nothing
  returning entry_id
), fresh as materialized (
  select *, row_number() over by_account as nth, sum(amount) over by_account as running_sum,
    count(*) over (partition by account_id) as grants, sum(amount) over (partition by account_id) as total_sum
  from target
  where key is null or "entryId" in (select entry_id from claimed)
  window by_account as (partition by account_id order by n)
), moved as (
  insert into balances as b (account_id, balance, version)
  select account_id, sum(amount), count(*) from fresh group by account_id order by account_id
  on conflict (account_id) do update
  set balance = b.balance + excluded.balance, version = b.version + excluded.version,
    recharge_asked_version = case when b.balance + excluded.balance < b.recharge_threshold
      then b.recharge_asked_version end
  returning account_id, balance, version
), written as (
  insert into ledger
    (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after, description, actor)
  select f.account_id, f."entryId", m.version - f.grants + f.nth, 'grant', f."agencyId", 'issuance', f.account_id,
    'credits', f.amount, m.balance - f.total_sum + f.running_sum, f.description, f.actor
  from fresh f join moved m on m.account_id = f.account_id
  returning account_id, id, amount, balance_after
)
select f.n, 'granted' as outcome, w.id as "entryId", w.account_id as "accountId", w.amount,
  w.balance_after as "balanceAfter"
from written w join fresh f on f."entryId" = w.id
union all
select s.n, case when s.is_same then 'granted' else 'other body' end, l.id, l.account_id, l.amount, l.balance_after
from seen s join ledger l on l.account_id = s.sub_account_id and l.id = s.entry_id
union all
select n, 'unknown', null, null, null, null from given
where n not in (select n from seen) and n not in (select n from target)
`

export const statements = { 'write-grants': writing, 'find-grants': finding }
