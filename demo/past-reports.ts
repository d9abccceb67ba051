import type { Client } from 'pg'
import { business } from './business.ts'

/** What came in over half a year of days like these, by channel. */
const channels: Record<string, number> = {
  'Web chat': 1022,
  'Telegram bridge': 511,
  Marketplace: 402,
  'Instagram bridge': 231,
  'SMS gateway': 98,
  'Workshop kiosk': 54,
}
const days = 62

/**
 * The reports of the last two months: the sums of messages that are removed since. What there is now was counted before it
 * was moved back in time, and is counted anew.
 */
export async function fillPastReports(database: Client): Promise<void> {
  const labels = Object.keys(channels)
  await database.query('begin')
  await database.query('select from report_accounts for update')
  for (const table of ['marks', 'channels', 'quarters', 'days', 'dirty_days', 'accounts']) {
    await database.query(`delete from report_${table}`)
  }
  const values = [business.owner.email, JSON.stringify(labels)]
  await database.query(
    `insert into report_channels (account_id, id, label)
     select ${shop}, n, label from json_array_elements_text($2) with ordinality as l (label, n)`,
    values,
  )
  await database.query(insertQuarters, [business.owner.email, JSON.stringify(quarters())])
  await database.query(
    `insert into report_dirty_days (account_id, day)
     select distinct account_id, (quarter at time zone 'UTC')::date from report_quarters`,
  )
  await database.query('commit')
}

const shop = `(select account_id from users where email = $1)`

const insertQuarters = `
  insert into report_quarters (account_id, quarter, channel, messages_in, messages_out, by_bot, by_person, by_api, sent, failed,
    unanswered, spent, responses, delivery_ms, bot_keys, person_keys, wish_keys)
  select ${shop}, to_timestamp(quarter), channel, messages_in, messages_out, by_bot, by_person, by_api, sent, failed,
    unanswered, 0, responses, delivery_ms, bot_keys, person_keys, '{}'
  from json_to_recordset($2) as q (
    quarter float8, channel integer, messages_in integer, messages_out integer, by_bot integer, by_person integer,
    by_api integer, sent integer, failed integer, unanswered integer, responses integer[], delivery_ms integer[],
    bot_keys bigint[], person_keys bigint[]
  )`

/** Between 0 and 1, the same each time. */
function makeRandom(): () => number {
  let seed = 20_261_116
  return () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 2_147_483_647
  }
}

/** A shop that is busy on weekdays, and whose bot has learned: it answers more of them every week. */
function quarters() {
  const random = makeRandom()
  const all = Object.values(channels).reduce((sum, one) => sum + one, 0)
  const today = Math.floor(Date.now() / 86_400_000)
  let key = 0
  return [...Array(days).keys()].flatMap((n) => {
    const day = today - days + n
    const weekday = new Date(day * 86_400_000).getUTCDay()
    const messages = (weekday === 0 ? 32 : weekday === 6 ? 58 : 96) * (0.92 + 0.2 * random())
    const botShare = 0.64 + (0.2 * n) / days
    return Object.values(channels).flatMap((weight, channel) =>
      [8.25, 10.5, 13, 15.75, 19].map((hour) => {
        const count = Math.round((messages * weight) / all / 5 + random() - 0.5)
        const asked = Array.from({ length: Math.max(0, count) }, () => ({
          by: random() / (1 + 0.02 * channel),
          key: ++key,
        }))
        return quarterOf(asked, { quarter: day * 86_400 + hour * 3_600, channel: channel + 1, botShare, random })
      }),
    )
  })
}

type Around = { quarter: number; channel: number; botShare: number; random: () => number }

function quarterOf(asked: { by: number; key: number }[], { quarter, channel, botShare, random }: Around) {
  const bot = asked.filter(({ by }) => by < botShare)
  const person = asked.filter(({ by }) => by >= botShare && by < 0.95)
  const sent = bot.length + person.length
  const failed = random() < 0.006 * sent ? 1 : 0
  return {
    quarter,
    channel,
    messages_in: asked.length,
    messages_out: sent,
    by_bot: bot.length,
    by_person: person.length,
    by_api: 0,
    sent: sent - failed,
    failed,
    unanswered: asked.filter(({ by }) => by > 0.9).length,
    responses: [
      ...bot.map(() => Math.round(22 + 40 * random() ** 2)),
      ...person.map(() => Math.round(600 + 14_000 * random() ** 3)),
    ],
    delivery_ms: Array.from({ length: sent - failed }, () => Math.round(90 + 180 * random() + 900 * random() ** 12)),
    bot_keys: [...bot, ...person.filter((_, n) => n % 2 === 0)].map(({ key }) => key),
    person_keys: person.map(({ key }) => key),
  }
}
