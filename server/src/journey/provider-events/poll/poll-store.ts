import type { ChannelKind } from '@patchbay/contract/channels.ts'
import { sql } from 'kysely'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ChannelId } from '../../../platform/ids.ts'
import { isHeld } from '../../channels/store.ts'

/** A channel that this process alone may fetch from until its lease runs out. */
export type Poll = { accountId: AccountId; channelId: ChannelId; kind: ChannelKind; cursor: bigint; token: string }

/** Longer than a request may take with what follows it, so that there are never two at once. */
const lease = sql`interval '60 s'`

/** Whether there may be a channel to fetch from. */
export const mayPoll = 'exists (select from channel_polls where due_at <= now())'

const isWaiting = sql`q.due_at <= now() and (q.leased_until is null or q.leased_until < now()) and not ${sql.raw(isHeld('c'))}`

/** Whether somebody has to give a slot up, that a channel gets its turn. */
export async function isAnyWaiting(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from channel_polls q join channels c on c.account_id = q.account_id and c.id = q.channel_id where ${isWaiting} limit 1
  `.execute(db)
  return rows.length > 0
}

/** Leases channels to fetch from; none that is held, because another copy of this installation may be at it. */
export async function claimPolls(db: Db, limit: number): Promise<Poll[]> {
  const { rows } = await sql<Omit<Poll, 'cursor'> & { cursor: string }>`
    update channel_polls p set lease_token = gen_random_uuid(), leased_until = now() + ${lease}
    where p.ctid = any (array(
      select q.ctid from channel_polls q
      join channels c on c.account_id = q.account_id and c.id = q.channel_id
      where ${isWaiting}
      order by q.due_at
      limit ${limit}
      for update of q skip locked
    ))
    returning p.account_id, p.channel_id, p.cursor, p.lease_token as token, (
      select c.kind from channels c where c.account_id = p.account_id and c.id = p.channel_id
    ) as kind
  `.execute(db)
  return rows.map((row) => ({ ...row, cursor: BigInt(row.cursor) }))
}

/** What may not have reached us while this process was not there is asked for now. Where we are called, fetching is that alone. */
export async function askSoon(db: Db): Promise<void> {
  await sql`
    update channel_polls p set due_at = now()
    from channels c
    where c.account_id = p.account_id and c.id = p.channel_id and c.hook_url is not null
      and p.due_at > now() and p.lease_token is null
  `.execute(db)
}

/** Everything up to `cursor` is kept: the next request confirms it. False: the lease is another's. */
export async function moveCursor(db: Db, { accountId, channelId, token }: Poll, cursor: bigint): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update channel_polls set cursor = greatest(cursor, ${String(cursor)}::bigint), leased_until = now() + ${lease}
    where account_id = ${accountId} and channel_id = ${channelId} and lease_token = ${token} and leased_until > now()
  `.execute(db)
  return numAffectedRows > 0n
}

/** The lease goes on for the next request. False: it is another's, or we are to fetch no more. */
export async function renewPoll(db: Db, poll: Poll): Promise<boolean> {
  return moveCursor(db, poll, 0n)
}

/** Others may fetch after so many seconds. */
export async function releasePoll(db: Db, { accountId, channelId, token }: Poll, seconds: number): Promise<void> {
  await sql`
    update channel_polls set lease_token = null, leased_until = null, due_at = now() + ${seconds} * interval '1 s'
    where account_id = ${accountId} and channel_id = ${channelId} and lease_token = ${token}
  `.execute(db)
}
