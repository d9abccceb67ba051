import { CompiledQuery } from 'kysely'
import { acrossAccounts, type Db } from '../../platform/database/db.ts'
import type { AccountId, LedgerId } from '../../platform/ids.ts'

/** A grant to be written. Absent fields are undefined. */
export type GrantRow = {
  agencyId: AccountId
  /** Of the sub-account, normalized as it is stored. */
  email: string
  entryId: LedgerId
  amount: bigint
  description: string | undefined
  actor: string
  /** The agency's idempotency key, and the hash of the request's body. */
  key: string | undefined
  bodyHash: Buffer | undefined
}

export type Granted = { entryId: LedgerId; accountId: AccountId; amount: bigint; balanceAfter: bigint }

/** `unknown`: the agency has no such sub-account. `other body`: the key was used for another grant. */
export type GrantOutcome = Granted | 'unknown' | 'other body'

/**
 * Writes a grant and returns it with the balance that it leaves. A key that was used before returns its grant. Undefined:
 * another transaction was using the same key at this moment; a retry finds its grant.
 */
export async function writeGrant(db: Db, grant: GrantRow): Promise<GrantOutcome | undefined> {
  const { agencyId, email, entryId, amount, description, actor, key, bodyHash } = grant
  const parameters = [agencyId, email, entryId, String(amount), description, actor, key, bodyHash]
  const { rows } = await db.executeQuery<Found>(CompiledQuery.raw(writing, parameters))
  return rows[0] && outcomeOf(rows[0])
}

/** The grant with this entry's id, if it was written. Across accounts: the sub-account is known by its holder's address. */
export async function findGrant(db: Db, grant: GrantRow): Promise<Granted | undefined> {
  const row = await acrossAccounts(db)
    .selectFrom('users')
    .innerJoin('ledger', 'ledger.accountId', 'users.accountId')
    .select(['ledger.id as entryId', 'ledger.accountId', 'ledger.amount', 'ledger.balanceAfter'])
    .where('users.email', '=', grant.email)
    .where('users.isHolder', '=', true)
    .where('ledger.id', '=', grant.entryId)
    .where('ledger.payerId', '=', grant.agencyId)
    .executeTakeFirst()
  return row && { ...row, amount: BigInt(row.amount), balanceAfter: BigInt(row.balanceAfter) }
}

type Found =
  | { outcome: 'unknown' | 'other body' }
  | { outcome: 'granted'; entryId: LedgerId; accountId: AccountId; amount: string; balanceAfter: string }

function outcomeOf(found: Found): GrantOutcome {
  if (found.outcome !== 'granted') return found.outcome
  const { entryId, accountId, amount, balanceAfter } = found
  return { entryId, accountId, amount: BigInt(amount), balanceAfter: BigInt(balanceAfter) }
}

/** The lock on the row of the balance serializes grants to one sub-account. */
const writing = `
with seen as materialized (
  select k.sub_account_id, k.entry_id, k.body_hash = $8::bytea as is_same
  from grant_keys k where k.account_id = $1 and k.key = $7
), target as materialized (
  select a.id as account_id
  from users u join accounts a on a.id = u.account_id and a.agency_id = $1
  where u.email = $2 and u.is_holder and not exists (select from seen)
), claimed as (
  insert into grant_keys (account_id, key, body_hash, sub_account_id, entry_id)
  select $1, $7, $8, account_id, $3 from target where $7::text is not null
  on conflict (account_id, key) do nothing
  returning sub_account_id
), moved as (
  insert into balances as b (account_id, balance, version)
  select account_id, $4::bigint, 1 from target
  where $7::text is null or exists (select from claimed)
  on conflict (account_id) do update
  set balance = b.balance + excluded.balance, version = b.version + 1,
    recharge_asked_version = case when b.balance + excluded.balance < b.recharge_threshold
      then b.recharge_asked_version end
  returning account_id, balance, version
), written as (
  insert into ledger
    (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after, description, actor)
  select account_id, $3, version, 'grant', $1, 'issuance', account_id, 'credits', $4::bigint, balance, $5, $6
  from moved
  returning account_id, id, amount, balance_after
)
select 'granted' as outcome, id as "entryId", account_id as "accountId", amount, balance_after as "balanceAfter"
from written
union all
select case when s.is_same then 'granted' else 'other body' end, l.id, l.account_id, l.amount, l.balance_after
from seen s join ledger l on l.account_id = s.sub_account_id and l.id = s.entry_id
union all
select 'unknown', null, null, null, null where not exists (select from seen) and not exists (select from target)
`
