import { sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ChannelId } from '../../platform/ids.ts'
import type { Turn } from '../conversations/turn-store.ts'

type Day = { accountId: AccountId; channelId: ChannelId; day: string }

/** The engines that ask nobody. */
const own = sql.raw(`('builtin', 'rule')`)

/**
 * Takes a place among the answers that language models may give on this channel today. Undefined: there is none for this turn. It is
 * committed before the model is asked, so that however many processes answer, none asks one time too often.
 */
export async function takePlace(
  db: Db,
  { accountId, contactId, token }: Turn,
  { channelId, ofVisitor, ofDay }: { channelId: ChannelId; ofVisitor: number; ofDay: number },
): Promise<{ day: string; taken: number } | undefined> {
  const { rows } = await sql<{ day: string; taken: number }>`
    insert into chat_days as d (account_id, channel_id, day, model_answers)
    select t.account_id, ${channelId}, (now() at time zone 'UTC')::date, 1
    from turns t
    where t.account_id = ${accountId} and t.contact_id = ${contactId} and t.lease_token = ${token}
      and t.is_free_only is not true
      and not exists (
        select from (
          select created_at from answers
          where account_id = ${accountId} and contact_id = ${contactId} and created_at > now() - interval '1 day'
            and message_id is not null and engine not in ${own}
          order by from_seq desc
          offset ${ofVisitor - 1} limit 1
        ) as last
      )
    on conflict (account_id, channel_id, day) do update set model_answers = d.model_answers + 1
    where d.model_answers < ${ofDay}
    returning day::text, model_answers as taken
  `.execute(db)
  return rows[0]
}

/** No model was asked after all. */
export async function giveBackPlace(db: Db, { accountId, channelId, day }: Day): Promise<void> {
  await sql`
    update chat_days set model_answers = model_answers - 1
    where account_id = ${accountId} and channel_id = ${channelId} and day = ${day}::date and model_answers > 0
  `.execute(db)
}

/** What the owner has set of the channel. */
export async function readChannelSettings(
  db: Db,
  { accountId, channelId }: { accountId: AccountId; channelId: ChannelId },
): Promise<unknown> {
  const row = await db
    .selectFrom('channels')
    .select('settings')
    .where('accountId', '=', accountId)
    .where('id', '=', channelId)
    .executeTakeFirst()
  return row?.settings
}
