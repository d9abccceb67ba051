import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { deleteInBatches } from '../../platform/database/prune.ts'
import type { ChannelRef } from '../channels/store.ts'

/** Of one channel and day; further ones are counted. */
const mostKept = 1_000
const mostBytes = 64 * 1_024
const keptFor = '14 days'

/** Keeps what could not be read as it came, so that somebody can look at it, or that there was more of it. */
export async function keepRaw(db: Db, ref: ChannelRef, { why, raw }: { why: string; raw: unknown }): Promise<void> {
  const { accountId, id } = ref
  const body = textOf(raw)
  const { numAffectedRows = 0n } = await sql`
    insert into provider_events (account_id, channel_id, why, body)
    select ${accountId}, ${id}, ${why}, ${body}
    where ${mostKept} > (
      select count(*) from provider_events
      where account_id = ${accountId} and channel_id = ${id} and body is not null and due_at is null and at >= current_date
    )
  `.execute(db)
  if (numAffectedRows === 0n) await countEvent(db, ref, 'more that could not be read')
}

/** What a provider sent may be anything. */
function textOf(raw: unknown): string {
  const text = JSON.stringify(raw) ?? 'undefined'
  const clean = text.toWellFormed().replaceAll('\\u0000', '\ufffd').replaceAll('\0', '\ufffd')
  return Buffer.byteLength(clean) <= mostBytes ? clean : `${clean.slice(0, mostBytes / 4).toWellFormed()}…`
}

/** Counts what is known and of no concern here, by day. */
export async function countEvent(db: Db, { accountId, id }: ChannelRef, why: string, times = 1): Promise<void> {
  if (times === 0) return
  await sql`
    insert into provider_events as e (account_id, channel_id, why, times) values (${accountId}, ${id}, ${why}, ${times})
    on conflict (account_id, channel_id, day, why) where body is null do update set times = e.times + ${times}, at = now()
  `.execute(db)
}

export async function pruneProviderEvents(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    (limit) => sql`
      delete from provider_events where ctid = any (array(
        select ctid from provider_events where at < now() - ${keptFor}::interval limit ${limit}
      ))
    `,
  )
}
