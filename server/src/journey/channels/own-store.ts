import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { deleteInBatches } from '../../platform/database/prune.ts'
import type { AccountId, ChannelId } from '../../platform/ids.ts'
import type { ChannelRef } from './store.ts'

/** Where a channel of our own was met, and what this day has come to. */
export type OwnUse = {
  seenHost: string | null
  seenAt: Date | null
  refusedOrigin: string | null
  refusedAt: Date | null
  contacts: number
  messages: number
  fileBytes: number
  modelAnswers: number
  refused: number
}

/** Of these channels, all of which are there. */
export async function readOwnUse(db: Db, accountId: AccountId, ids: ChannelId[]): Promise<Map<ChannelId, OwnUse>> {
  const { rows } = await sql<OwnUse & { id: ChannelId }>`
    select n.id, p.seen_host, p.seen_at, p.refused_origin, p.refused_at, coalesce(d.contacts, 0) as contacts,
      coalesce(d.messages, 0) as messages, coalesce(d.file_bytes, 0)::float8 as file_bytes,
      coalesce(d.model_answers, 0) as model_answers, coalesce(d.refused, 0) as refused
    from channels n
    left join chat_pages p on p.account_id = n.account_id and p.channel_id = n.id
    left join chat_days d on d.account_id = n.account_id and d.channel_id = n.id
      and d.day = (now() at time zone 'utc')::date
    where n.account_id = ${accountId} and n.id = any (${ids})
  `.execute(db)
  return new Map(rows.map(({ id, ...use }) => [id, use]))
}

/** Where it was seen, and whether a customer has written whom their shop had signed. */
export async function readOwnFacts(
  db: Db,
  { accountId, id }: ChannelRef,
): Promise<Pick<OwnUse, 'seenHost' | 'seenAt'> & { hasMember: boolean }> {
  const { rows } = await sql<Pick<OwnUse, 'seenHost' | 'seenAt'> & { hasMember: boolean }>`
    select p.seen_host, p.seen_at, exists (
      select from contact_addresses a
      where a.account_id = n.account_id and a.channel_id = n.id and a.kind = 'member'
    ) as has_member
    from channels n left join chat_pages p on p.account_id = n.account_id and p.channel_id = n.id
    where n.account_id = ${accountId} and n.id = ${id}
  `.execute(db)
  return rows[0] ?? { seenHost: null, seenAt: null, hasMember: false }
}

const keptFor = '90 days'

export async function pruneChatDays(db: Db): Promise<number> {
  return deleteInBatches(
    db,
    (limit) => sql`
      delete from chat_days where ctid = any (array(
        select ctid from chat_days where day < current_date - ${keptFor}::interval limit ${limit}
      ))
    `,
  )
}
