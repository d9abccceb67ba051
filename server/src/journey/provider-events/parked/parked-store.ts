import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { AccountId, ChannelId } from '../../../platform/ids.ts'
import type { Receipt } from '../../channels/kinds/kind.ts'
import type { ChannelRef } from '../../channels/store.ts'

/** Of one channel; further ones are counted. */
const mostParked = 10_000

/** How long after it came a receipt is tried again; after the last time it is over. */
const triedAfterSeconds = [1, 5, 30, 120, 600]

/** Keeps receipts that name nothing of the channel, or not yet: the answer to what they are about may not be stored. Returns of how many. */
export async function parkReceipts(
  db: Db,
  { accountId, id }: ChannelRef,
  receipts: readonly Receipt[],
): Promise<number> {
  const given = receipts.map((receipt) => ({ providerId: receipt.providerId, body: JSON.stringify(receipt) }))
  const { numAffectedRows = 0n } = await sql`
    insert into provider_events (account_id, channel_id, why, body, provider_id, due_at)
    select ${accountId}, ${id}, 'it says what became of a message that is not here', g.body, g."providerId", now() + interval '1 s'
    from json_to_recordset(${JSON.stringify(given)}) as g ("providerId" text, body text)
    limit greatest(0, ${mostParked} - (
      select count(*) from provider_events where account_id = ${accountId} and channel_id = ${id} and due_at is not null
    ))
  `.execute(db)
  return Number(numAffectedRows)
}

/** `tried`: how often it was looked at, this time included. */
export type Parked = { accountId: AccountId; channelId: ChannelId; id: string; body: string; tried: number }

/** Whether one may be due. */
export const mayTryParked = 'exists (select from provider_events where due_at <= now())'

/** Leases parked receipts of all channels: whoever has them writes when they are due again, or that they are over. */
export async function claimParked(db: Db, limit: number): Promise<Parked[]> {
  const { rows } = await sql<Parked>`
    update provider_events set due_at = now() + interval '30 s', attempts = attempts + 1
    where ctid = any (array(
      select ctid from provider_events where due_at <= now() order by due_at limit ${limit} for update skip locked
    ))
    returning account_id, channel_id, id, body, attempts as tried
  `.execute(db)
  return rows
}

/** Those that found their message are gone, and so are those that were tried for long enough; returns how many these are. */
export async function settleParked(
  tx: Tx,
  accountId: AccountId,
  { found, left }: { found: Parked[]; left: Parked[] },
): Promise<number> {
  const over = left.filter(({ tried }) => tried >= triedAfterSeconds.length)
  const again = left.filter(({ tried }) => tried < triedAfterSeconds.length)
  const ids = (parked: Parked[]) => parked.map(({ id }) => id)
  await sql`
    update provider_events e set due_at = e.at + g.seconds * interval '1 s'
    from unnest(${ids(again)}::uuid[], ${again.map(({ tried }) => triedAfterSeconds[tried] ?? 0)}::integer[]) as g (id, seconds)
    where e.account_id = ${accountId} and e.id = g.id
  `.execute(tx)
  await sql`
    delete from provider_events where account_id = ${accountId} and id = any (${ids([...found, ...over])}::uuid[])
  `.execute(tx)
  return over.length
}
