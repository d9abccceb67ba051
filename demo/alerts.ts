import type { Client } from 'pg'
import { business } from './business.ts'

/** What the shop was told in the last days, the latest first. */
const told = [
  { minutesAgo: 47, event: 'conversation.waiting', text: '2 conversations wait for a person.' },
  { minutesAgo: 180, event: 'receiver.recovered', text: 'The server that takes replies works again.' },
  {
    minutesAgo: 214,
    event: 'receiver.failing',
    text: 'The server that takes replies has been failing since 2026-11-16 08:12 UTC. Nothing is lost: what waits is kept.',
  },
  { minutesAgo: 1_500, event: 'conversation.waiting', text: 'Somebody waits for a person.', isRefused: true },
  { minutesAgo: 2_900, event: 'bot.recovered', text: 'The bot Kettle Lane Cycles answers again.' },
  {
    minutesAgo: 2_960,
    event: 'bot.trouble',
    text: 'The bot Kettle Lane Cycles cannot answer: The provider refused the key.',
  },
]

/** Writes them as the worker and the delivery would have. Ids begin with the time they were made. */
export async function fillAlerts(database: Client): Promise<void> {
  for (const { minutesAgo, event, text, isRefused = false } of told) {
    const at = new Date(Date.now() - minutesAgo * 60_000)
    const id = `evt_${at.getTime().toString(16).padStart(12, '0')}${'7'.padEnd(20, '0')}`
    await database.query(statement, [
      ...[business.owner.email, id, JSON.stringify({ text, content: text, event, id, at }), at],
      ...(isRefused ? [null, 'http_error', 404, 'no_service'] : [at, null, null, null]),
    ])
  }
}

const statement = `
  insert into deliveries (account_id, id, receiver_id, payload, due_at, attempts, first_attempt_at, last_attempt_at, last_url,
    last_duration_ms, sent_at, error_category, error_http_status, error_detail)
  select account_id, $2, 'alert', $3, null, case when $5::timestamptz is null then 11 else 1 end, $4::timestamptz,
    $4::timestamptz, 'https://hooks.slack.com/services/T0/B0/x', 184, $5::timestamptz, $6, $7, $8
  from users where email = $1`
