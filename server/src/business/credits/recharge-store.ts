import { CompiledQuery, sql } from 'kysely'
import { enqueueEvents } from '../../outbox/enqueue-events.ts'
import { rechargeWebhook } from '../../outbox/receivers.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, EventId } from '../../platform/ids.ts'

/** Another threshold allows a new request; the same one does not, so that setting it twice requests nothing twice. */
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
 * Whether to request a recharge because the balance does not cover a parked answer, or a message of so many `units` that somebody
 * wants to send, which no charge would detect: the balance may be at the threshold or above, or never have been there. True once for each version of the balance; below
 * the threshold once until the balance reaches it again. The balance is locked before it is read, as a charge locks it,
 * so that of a park and a charge at the same moment the second sees the result of the first.
 */
export async function noteShortage(tx: Tx, accountId: AccountId, units = 0n): Promise<boolean> {
  const { rows } = await sql`
    with short as materialized (
      select account_id, balance, version from balances
      where account_id = ${accountId} and recharge_threshold is not null and (recharge_asked_version is null
        or recharge_asked_version <> version and balance >= recharge_threshold)
      for no key update
    )
    update balances b set recharge_asked_version = s.version
    from short s
    where b.account_id = s.account_id and (${units}::bigint > s.balance or exists (
      select from turns t
      where t.account_id = s.account_id and t.parked_units > s.balance and t.lease_token is null
    ))
    returning b.account_id
  `.execute(tx)
  return rows.length > 0
}

/** Writes the event that requests a recharge from a sub-account's agency. */
export async function enqueueRechargeRequest(tx: Tx, accountId: AccountId, eventId: EventId): Promise<void> {
  const { rows } = await tx.executeQuery(CompiledQuery.raw(statement, [accountId, eventId]))
  if (rows.length === 0) throw new Error(`${accountId} has no agency to request a recharge from`)
}

/** An amount for JSON: in credits, without trailing zeros. */
const inJson = (units: string) => `trim_scale(${units}::numeric / 10000)`

const payload = `'{"event":"subaccount.auto_recharge","idempotency_key":' || to_json($2::text) ||
  ',"sub_account_id":' || to_json(b.account_id) || ',"email":' || to_json(u.email) ||
  ',"balance":' || ${inJson('b.balance')} || ',"threshold":' || ${inJson('b.recharge_threshold')} ||
  ',"amount":' || ${inJson('b.recharge_amount')} || ',"created_at":' ||
  to_json(to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) || '}'`

const statement = `
with event as materialized (
  select a.agency_id as account_id, $2::text as id, '${rechargeWebhook}'::text as receiver_id, null::text as contact_id,
    null::bigint as outgoing_seq, null::text as author, null::uuid as token, null::text as trace, ${payload} as payload
  from balances b
  join accounts a on a.id = b.account_id
  join users u on u.account_id = a.id and u.is_holder
  where b.account_id = $1
), ${enqueueEvents}
select account_id as "agencyId" from enqueued
`
