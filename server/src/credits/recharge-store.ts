import { CompiledQuery, sql } from 'kysely'
import { oweEvents } from '../outbox/owe-events.ts'
import type { Db, Tx } from '../platform/database/db.ts'
import type { AccountId, EventId } from '../platform/ids.ts'

/** Another threshold is watched anew; the same one stays as it is, so that saying it twice asks for nothing twice. */
export async function saveRecharge(
  db: Db,
  accountId: AccountId,
  recharge: { threshold: bigint; amount: bigint } | undefined,
): Promise<void> {
  const [threshold, amount] = [recharge?.threshold ?? null, recharge?.amount ?? null]
  await sql`
    insert into balances as b (account_id, recharge_threshold, recharge_amount)
    values (${accountId}, ${threshold}, ${amount})
    on conflict (account_id) do update
    set recharge_threshold = excluded.recharge_threshold, recharge_amount = excluded.recharge_amount,
      recharge_asked_version = case when b.recharge_threshold = excluded.recharge_threshold
        then b.recharge_asked_version end
  `.execute(db)
}

/**
 * Whether a recharge must be asked for because an answer is parked that the balance does not pay for, which no charge
 * would ever tell: it may be at the threshold or above, or never have been there. Says so once for each version of the
 * balance; below the threshold once until it is there again. The balance is locked before it is judged, as a charge
 * locks it, so of one that parks and one that charges at the same moment the second sees what the first has done.
 */
export async function noteShortage(tx: Tx, accountId: AccountId): Promise<boolean> {
  const { rows } = await sql`
    with short as materialized (
      select account_id, balance, version from balances
      where account_id = ${accountId} and recharge_threshold is not null and (recharge_asked_version is null
        or recharge_asked_version <> version and balance >= recharge_threshold)
      for no key update
    )
    update balances b set recharge_asked_version = s.version
    from short s
    where b.account_id = s.account_id and exists (
      select from turns t
      where t.account_id = s.account_id and t.parked_units > s.balance and t.lease_token is null
    )
    returning b.account_id
  `.execute(tx)
  return rows.length > 0
}

/** Writes down the event that asks a sub-account's agency for a recharge; returns the agency. */
export async function oweRechargeRequest(tx: Tx, accountId: AccountId, eventId: EventId): Promise<AccountId> {
  const query = CompiledQuery.raw(recharge, [accountId, eventId])
  const { rows } = await tx.executeQuery<{ agencyId: AccountId }>(query)
  const [owed] = rows
  if (!owed) throw new Error(`${accountId} has no agency to ask for a recharge`)
  return owed.agencyId
}

/** An amount as it stands in JSON: credits, without zeros at the end. */
const inJson = (units: string) => `trim_scale(${units}::numeric / 10000)`

const payload = `'{"event":"subaccount.auto_recharge","idempotency_key":' || to_json($2::text) ||
  ',"sub_account_id":' || to_json(b.account_id) || ',"email":' || to_json(u.email) ||
  ',"balance":' || ${inJson('b.balance')} || ',"threshold":' || ${inJson('b.recharge_threshold')} ||
  ',"amount":' || ${inJson('b.recharge_amount')} || ',"created_at":' ||
  to_json(to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || '}'`

const recharge = `
with event as materialized (
  select a.agency_id as account_id, $2::text as id, 'recharge'::text as kind, null::text as contact_id,
    null::bigint as outgoing_seq, null::text as author, null::uuid as token, ${payload} as payload
  from balances b
  join accounts a on a.id = b.account_id
  join users u on u.account_id = a.id and u.is_owner
  where b.account_id = $1
), ${oweEvents}
select account_id as "agencyId" from owed
`
