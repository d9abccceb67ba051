import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { ChannelRef } from '../channels/store.ts'

/** `at` to the microsecond, so that a page goes on where the one before ended. */
export type StoredEvent = { id: string; at: string; why: string; body: string; characters: number }

export type Position = { at: string; id: string }

/** As much of each as a screen can show. */
const shownCharacters = 8_000

/** What was kept as it came, newest first. */
export async function listRaw(
  db: Db,
  { accountId, id }: ChannelRef,
  { before, limit }: { before: Position | undefined; limit: number },
): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select id, at::text as at, why, left(body, ${shownCharacters}) as body, length(body)::integer as characters
    from provider_events
    where account_id = ${accountId} and channel_id = ${id} and body is not null and due_at is null
      and (at, id) < (${before?.at ?? 'infinity'}::timestamptz, ${before?.id ?? lastId}::uuid)
    order by at desc, id desc limit ${limit}
  `.execute(db)
  return rows
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** What was only counted, by why. */
export async function sumCounted(
  db: Db,
  { accountId, id }: ChannelRef,
): Promise<{ why: string; times: number; lastAt: Date }[]> {
  const { rows } = await sql<{ why: string; times: number; lastAt: Date }>`
    select why, sum(times)::integer as times, max(at) as last_at from provider_events
    where account_id = ${accountId} and channel_id = ${id} and body is null
    group by why order by max(at) desc
  `.execute(db)
  return rows
}
