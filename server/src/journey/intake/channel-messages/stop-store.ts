import { sql } from 'kysely'
import type { OnChannel } from '../../../people/contacts/addresses/address-store.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'

type On = OnChannel & { contactId: ContactId }

/** `scope`: `all`, or `team` where the team has closed the chat. `startedAt`: when they last said that they take it again. */
export type Stop = { stoppedAt: Date | null; scope: string | null; startedAt: Date | null }

/** Until the transaction ends, nothing more begins to leave for them over this channel. */
export async function lockStop(tx: Tx, { accountId, contactId, channelId }: On): Promise<Stop> {
  return tx
    .selectFrom('contactChannels')
    .select(['stoppedAt', 'stopScope as scope', 'startedAt'])
    .where('accountId', '=', accountId)
    .where('contactId', '=', contactId)
    .where('channelId', '=', channelId)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

/** Returns whether they were not stopped before. What the team has closed stays the team's. */
export async function writeStop(tx: Tx, { accountId, contactId, channelId }: On, at: number): Promise<boolean> {
  const { rows } = await sql<{ isNew: boolean }>`
    with before as (
      select stopped_at from contact_channels
      where account_id = ${accountId} and contact_id = ${contactId} and channel_id = ${channelId}
    )
    update contact_channels c
    set stopped_at = greatest(c.stopped_at, ${new Date(at)}), stop_scope = 'all', stop_source = 'contact'
    from before b
    where c.account_id = ${accountId} and c.contact_id = ${contactId} and c.channel_id = ${channelId}
      and c.stop_scope is distinct from 'team'
    returning b.stopped_at is null as is_new
  `.execute(tx)
  return rows[0]?.isNew ?? false
}

/** Returns whether they were stopped before. */
export async function writeStart(tx: Tx, { accountId, contactId, channelId }: On, at: number): Promise<boolean> {
  const { rows } = await sql<{ wasStopped: boolean }>`
    with before as (
      select stop_scope from contact_channels
      where account_id = ${accountId} and contact_id = ${contactId} and channel_id = ${channelId}
    )
    update contact_channels c
    set started_at = greatest(c.started_at, ${new Date(at)}),
      stopped_at = case when c.stop_scope = 'team' then c.stopped_at end,
      stop_scope = case when c.stop_scope = 'team' then c.stop_scope end,
      stop_source = case when c.stop_scope = 'team' then c.stop_source end
    from before b
    where c.account_id = ${accountId} and c.contact_id = ${contactId} and c.channel_id = ${channelId}
    returning coalesce(b.stop_scope = 'all', false) as was_stopped
  `.execute(tx)
  return rows[0]?.wasStopped ?? false
}
