import { type RawBuilder, sql } from 'kysely'
import { breaksAfter, isQueued } from '../../../outbox/enqueue-events.ts'
import { isChannelId, messageWebhook } from '../../../outbox/receivers.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId, ContactId, MessageId } from '../../../platform/ids.ts'
import { isHeld } from '../../channels/store.ts'
import type { Broadcast, BroadcastRef, WaitingReason } from '../record/store.ts'

/**
 * Of all processes, only one at a time makes messages for the broadcasts of an account: their deliveries are counted
 * together. False: another one is at it.
 */
export async function lockQueue(tx: Tx, accountId: AccountId): Promise<boolean> {
  const { rows } = await sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`broadcast turns ${accountId}`}, 0)) as is_ours
  `.execute(tx)
  return rows[0]?.isOurs ?? false
}

export type Pace = {
  /** The seconds since the time that the messages made so far would have been made by. */
  seconds: number
  /** The messages of this broadcast. */
  madeInLastMinute: number
  /**
   * Deliveries that are due or in flight, of all broadcasts of the account over the custom channels, or over this built-in one; and
   * those of this broadcast among them.
   */
  inFlight: number
  ownInFlight: number
  trouble: WaitingReason | null
  /** Nothing could be sent for this long. */
  waitedSeconds: number
  /** A built-in channel has no place for so long: replies have taken them, or its provider has asked to wait. */
  busySeconds: number
  /** What a message costs there, in units, and for how many the credits are enough at this moment; null: it is free. */
  unitsPerMessage: string
  affordable: number | null
}

export async function readPace(tx: Tx, broadcast: Broadcast): Promise<Pace> {
  const { accountId, id, channel } = broadcast
  const { inFlightThere, trouble, from, ...there } = isChannelId(channel) ? overChannel(broadcast) : custom(broadcast)
  const { rows } = await sql<Pace>`
    with flying as materialized (
      select r.broadcast_id
      from broadcast_recipients r join deliveries d on d.account_id = ${accountId} and d.id = r.message_id
      where r.account_id = ${accountId} and r.state = 'made' and ${sql.raw(isQueued('d'))} and ${inFlightThere}
    )
    select extract(epoch from now() - b.paced_at)::float8 as seconds,
      coalesce(extract(epoch from now() - b.waiting_since), 0)::float8 as waited_seconds,
      (select count(*)::integer from flying) as in_flight,
      (select count(*)::integer from flying where broadcast_id = ${id}) as own_in_flight,
      (select count(*)::integer from broadcast_recipients m
        where m.account_id = ${accountId} and m.broadcast_id = ${id} and m.made_at > now() - interval '1 minute'
      ) as made_in_last_minute,
      ${trouble} as trouble, ${there.busySeconds} as busy_seconds, ${there.unitsPerMessage} as units_per_message,
      ${there.affordable} as affordable
    from broadcasts b ${from}
    where b.account_id = ${accountId} and b.id = ${id}
  `.execute(tx)
  const [pace] = rows
  if (!pace) throw new Error(`the broadcast ${id} is locked and not there`)
  return pace
}

type Receiving = Record<
  'inFlightThere' | 'trouble' | 'busySeconds' | 'unitsPerMessage' | 'affordable' | 'from',
  RawBuilder<unknown>
>

function custom({ accountId, resumedAt }: Broadcast): Receiving {
  return {
    inFlightThere: sql`d.receiver_id not like 'chn\\_%'`,
    trouble: sql`case when e.url is null then 'no_endpoint' when e.paused_at is not null then 'endpoint_paused'
        when e.gone_at > coalesce(${resumedAt}::timestamptz, '-infinity') then 'endpoint_gone'
        when e.failures_in_row >= ${breaksAfter} then 'endpoint_failing' end`,
    ...{ busySeconds: sql`0`, unitsPerMessage: sql`'0'`, affordable: sql`null::integer` },
    from: sql`left join receivers e on e.account_id = ${accountId} and e.id = ${sql.lit(messageWebhook)}`,
  }
}

/** What is left of the credits beside what is held for answers. */
const available = sql`greatest(0, coalesce(l.balance - l.held, 0))`

/** Those that wait for a place come before what is made now, so that a reply never waits behind a broadcast. */
function overChannel({ accountId, channel }: Broadcast): Receiving {
  return {
    inFlightThere: sql`d.receiver_id = ${channel}`,
    trouble: sql`case when n.id is null or n.state = 'removed' then 'channel_removed'
        when ${sql.raw(isHeld('n'))} then 'restored_copy' when n.state = 'attention' then 'channel_attention'
        when n.paused_at is not null then 'channel_paused'
        when ${available} < n.credits_per_message then 'no_credits'
        when e.failures_in_row >= ${breaksAfter} then 'endpoint_failing' end`,
    unitsPerMessage: sql`coalesce(n.credits_per_message, 0)::text`,
    affordable: sql`case when n.credits_per_message > 0 then least(1000, ${available} / n.credits_per_message)::integer end`,
    busySeconds: sql`greatest(0, extract(epoch from greatest(t.next_at, t.queued_at, t.paused_until) - clock_timestamp()))::float8`,
    from: sql`left join channels n on n.account_id = ${accountId} and n.id = ${channel}
      left join channel_rates t on t.account_id = ${accountId} and t.channel_id = ${channel}
      left join receivers e on e.account_id = ${accountId} and e.id = ${channel}
      left join balances l on l.account_id = ${accountId}`,
  }
}

export type QueuedRecipient = { n: number; contactId: ContactId }

export async function readNextRecipients(
  tx: Tx,
  { accountId, broadcastId }: BroadcastRef,
  limit: number,
): Promise<QueuedRecipient[]> {
  const rows = await tx
    .selectFrom('broadcastRecipients')
    .select(['n', 'contactId'])
    .where('accountId', '=', accountId)
    .where('broadcastId', '=', broadcastId)
    .where('state', '=', 'waiting')
    .orderBy('n')
    .limit(limit)
    .execute()
  return rows.map(({ n, contactId }) => ({ n, contactId: contactId as ContactId })) // it is null only where one is erased
}

export type Recipient = {
  id: ContactId
  externalId: string | null
  phone: string | null
  email: string | null
  firstName: string | null
  optedOutAt: Date | null
  isSimulated: boolean
}

/**
 * Locks the contacts until the transaction ends, in the order in which messages lock them, by their ids on an external platform or by
 * our own: none of them opts out or is erased between this look and their message.
 */
export async function lockRecipients(
  tx: Tx,
  accountId: AccountId,
  { ids, order }: { ids: ContactId[]; order: 'externalId' | 'id' },
): Promise<Recipient[]> {
  return tx
    .selectFrom('contacts')
    .select(['id', 'externalId', 'phone', 'email', 'firstName', 'optedOutAt', 'isSimulated'])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy(order)
    .forNoKeyUpdate()
    .execute()
}

export async function markMade(
  tx: Tx,
  { accountId, broadcastId }: BroadcastRef,
  made: { n: number; messageId: MessageId | undefined }[],
): Promise<void> {
  await sql`
    update broadcast_recipients r set state = 'made', message_id = m.id, seq = m.seq, made_at = now()
    from json_to_recordset(${JSON.stringify(made)}) as g (n integer, "messageId" text)
    join messages m on m.account_id = ${accountId} and m.id = g."messageId"
    where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.n = g.n
  `.execute(tx)
}

/**
 * A conversation that has nothing but the message just made is closed: thousands of them would be above all that somebody
 * works on. An answer opens it, as it opens any.
 */
export async function closeNew(tx: Tx, accountId: AccountId, contactIds: ContactId[]): Promise<void> {
  await sql`
    update conversations c set state = 'closed'
    where c.account_id = ${accountId} and c.contact_id = any (${contactIds}::text[]) and c.state = 'open'
      and not exists (
        select from messages m
        where m.account_id = ${accountId} and m.contact_id = c.contact_id and m.seq < c.last_seq
      )
  `.execute(tx)
}

export type OmittedRecipient = {
  n: number
  reason: 'opted_out' | 'no_id' | 'erased' | 'no_address' | 'id_taken' | 'blocked'
}

export async function markLeftOut(
  tx: Tx,
  { accountId, broadcastId }: BroadcastRef,
  left: OmittedRecipient[],
): Promise<void> {
  await sql`
    update broadcast_recipients r set state = 'left_out', reason = g.reason, settled_at = now(),
      contact_id = case when g.reason <> 'erased' then r.contact_id end
    from json_to_recordset(${JSON.stringify(left)}) as g (n integer, reason text)
    where r.account_id = ${accountId} and r.broadcast_id = ${broadcastId} and r.n = g.n
  `.execute(tx)
}

/** Answers to what was made now are counted until then. */
export async function watchAnswers(tx: Tx, accountId: AccountId, days: number): Promise<void> {
  await sql`
    insert into broadcast_marks as m (account_id, watched_until) values (${accountId}, now() + ${days} * interval '1 day')
    on conflict (account_id) do update set watched_until = excluded.watched_until,
      counted_until = case when m.watched_until < now() then now() else m.counted_until end
    where m.watched_until < excluded.watched_until - interval '1 minute'
  `.execute(tx)
}
