import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'

/** No channel is known. In sums of days: all channels together. */
export const noChannel = 0

/** What is only counted, in a quarter of an hour as in a day. */
const counted = ['messagesIn', 'messagesOut', 'byBot', 'byPerson', 'byApi', 'sent', 'failed', 'unanswered'] as const

type Counts = Record<(typeof counted)[number], number>

export function makeCounts(countOf: (name: keyof Counts) => number): Counts {
  return Object.fromEntries(counted.map((name) => [name, countOf(name)])) as Counts // it has all these names
}

/** What is added to the sums of a quarter of an hour and a channel. */
export type QuarterSums = Counts & {
  /** When it begins, in milliseconds. */
  quarter: number
  channel: number
  /** What was spent, in units of a ten-thousandth of a credit. */
  spent: number
  /** First responses, in tenths of a second. */
  responses: number[]
  deliveryMs: number[]
  /** Keys of conversations. */
  botKeys: string[]
  personKeys: string[]
  wishKeys: string[]
  /** Conversations that the bot answered, and for each a mark of its last answer: odd, where that was a miss. */
  answerKeys: string[]
  answerMarks: number[]
}

/** A conversation is in the keys of a quarter once. */
const withKeys = (column: string) =>
  sql.raw(`${column} = case when excluded.${column} <@ q.${column} then q.${column} else q.${column} || array(
        select unnest(excluded.${column}) except select unnest(q.${column})
      ) end`)

/** Of two answers in a conversation the later one stays. */
const withMarks = (column: string, value: string) =>
  sql.raw(`${column} = case when excluded.answer_keys = '{}' then q.${column} else array(
        select ${value}
        from unnest(q.answer_keys || excluded.answer_keys, q.answer_marks || excluded.answer_marks) as u (key, mark)
        group by key order by key
      ) end`)

/** Adds to the sums, and notes which days are to be made anew. The caller has locked the account. */
export async function addSums(tx: Tx, accountId: AccountId, sums: QuarterSums[]): Promise<void> {
  if (sums.length === 0) return
  const given = JSON.stringify(sums)
  await sql`
    insert into report_quarters as q (account_id, quarter, channel, messages_in, messages_out, by_bot, by_person, by_api,
      sent, failed, unanswered, spent, responses, delivery_ms, bot_keys, person_keys, wish_keys, answer_keys, answer_marks)
    select ${accountId}, to_timestamp(g.quarter / 1000), g.channel, g."messagesIn", g."messagesOut", g."byBot",
      g."byPerson", g."byApi", g.sent, g.failed, g.unanswered, g.spent, g.responses, g."deliveryMs", g."botKeys",
      g."personKeys", g."wishKeys", g."answerKeys", g."answerMarks"
    from json_to_recordset(${given}) as g (
      quarter float8, channel integer, "messagesIn" integer, "messagesOut" integer, "byBot" integer, "byPerson" integer,
      "byApi" integer, sent integer, failed integer, unanswered integer, spent bigint, responses integer[],
      "deliveryMs" integer[], "botKeys" bigint[], "personKeys" bigint[], "wishKeys" bigint[],
      "answerKeys" bigint[], "answerMarks" bigint[]
    )
    order by 2, 3
    on conflict (account_id, quarter, channel) do update set
      messages_in = q.messages_in + excluded.messages_in, messages_out = q.messages_out + excluded.messages_out,
      by_bot = q.by_bot + excluded.by_bot, by_person = q.by_person + excluded.by_person,
      by_api = q.by_api + excluded.by_api, sent = q.sent + excluded.sent, failed = q.failed + excluded.failed,
      unanswered = q.unanswered + excluded.unanswered, spent = q.spent + excluded.spent,
      responses = q.responses || excluded.responses, delivery_ms = q.delivery_ms || excluded.delivery_ms,
      ${withKeys('bot_keys')}, ${withKeys('person_keys')}, ${withKeys('wish_keys')},
      ${withMarks('answer_keys', 'key')}, ${withMarks('answer_marks', 'max(mark)')}
  `.execute(tx)
  await sql`
    insert into report_dirty_days (account_id, day)
    select distinct ${accountId}, (to_timestamp(g.quarter / 1000) at time zone r.zone)::date
    from json_to_recordset(${given}) as g (quarter float8)
    join report_accounts r on r.account_id = ${accountId}
    on conflict do nothing
  `.execute(tx)
}
