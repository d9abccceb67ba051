import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { OnChat } from '../visitors/visitor-store.ts'

/** What a channel has had this day, in UTC. */
export type DayCounts = {
  messages: number
  fileBytes: number
  /** All together; why, where that is of use to an owner. */
  refused: number
  refusedPage: number
  refusedPace: number
  refusedFull: number
  forged: number
}

export const noCounts: DayCounts = {
  ...{ messages: 0, fileBytes: 0, refused: 0 },
  ...{ refusedPage: 0, refusedPace: 0, refusedFull: 0, forged: 0 },
}

const today = sql`(now() at time zone 'UTC')::date`

/** Takes the place of one new contact, of all processes together. False: there is none left today. */
export async function takeContact(tx: Tx, { accountId, channelId }: OnChat, most: number): Promise<boolean> {
  const { rows } = await sql`
    insert into chat_days as d (account_id, channel_id, day, contacts) values (${accountId}, ${channelId}, ${today}, 1)
    on conflict (account_id, channel_id, day) do update set contacts = d.contacts + 1 where d.contacts < ${most}
    returning true
  `.execute(tx)
  return rows.length > 0
}

/** Adds what came since the last time, and returns what it comes to over all processes. */
export async function addToDay(db: Db, { accountId, channelId }: OnChat, more: DayCounts): Promise<DayCounts> {
  const { messages, fileBytes, refused, refusedPage, refusedPace, refusedFull, forged } = more
  const { rows } = await sql<DayCounts>`
    insert into chat_days as d (account_id, channel_id, day, messages, file_bytes, refused, refused_page, refused_pace,
      refused_full, forged)
    select account_id, id, ${today}, ${messages}::integer, ${fileBytes}::bigint, ${refused}::integer,
      ${refusedPage}::integer, ${refusedPace}::integer, ${refusedFull}::integer, ${forged}::integer
    from channels
    where account_id = ${accountId} and id = ${channelId}
    on conflict (account_id, channel_id, day) do update
    set messages = d.messages + excluded.messages, file_bytes = d.file_bytes + excluded.file_bytes,
      refused = d.refused + excluded.refused, refused_page = d.refused_page + excluded.refused_page,
      refused_pace = d.refused_pace + excluded.refused_pace, refused_full = d.refused_full + excluded.refused_full,
      forged = d.forged + excluded.forged
    returning messages, file_bytes::float8 as file_bytes, refused, refused_page, refused_pace, refused_full, forged
  `.execute(db)
  return rows[0] ?? noCounts
}
