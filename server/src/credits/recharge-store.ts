import { CompiledQuery, sql } from 'kysely'
import { oweEvents } from '../outbox/owe-events.ts'
import type { Db, Tx } from '../platform/db.ts'
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

/** Writes down the event that asks a sub-account's agency for a recharge; returns the agency. */
export async function oweRecharge(tx: Tx, accountId: AccountId, eventId: EventId): Promise<AccountId> {
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
