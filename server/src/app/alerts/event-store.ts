import { CompiledQuery } from 'kysely'
import { enqueueEvents } from '../../outbox/enqueue-events.ts'
import { alertWebhook } from '../../outbox/receivers.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { AccountId, EventId } from '../../platform/ids.ts'

/** Writes the events, in the transaction that notes what they tell. */
export async function enqueueAlerts(
  tx: Tx,
  alerts: { accountId: AccountId; id: EventId; payload: string }[],
): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(statement, [JSON.stringify(alerts)]))
}

const statement = `
with event as materialized (
  select g."accountId" as account_id, g.id, '${alertWebhook}'::text as receiver_id, null::text as contact_id, null::bigint as outgoing_seq,
    null::text as author, null::uuid as token, null::text as trace, g.payload
  from json_to_recordset($1) as g ("accountId" text, id text, payload text)
), ${enqueueEvents}
select account_id from enqueued
`
