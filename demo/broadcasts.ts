import type { Client } from 'pg'
import { business } from './business.ts'

const body = 'Hello {{firstName}}, the spring ride leaves on Sunday at ten from Kettle Lane. Shall we keep you a place?'
const service = 'Hello {{firstName}}, your bike is due for its yearly service. Write when you would like to bring it.'

/** Broadcasts that are over or paused, so that no worker changes them: finished, halted by a failing receiver, stopped. */
export async function fillBroadcasts(database: Client): Promise<void> {
  const { rows } = await database.query('select account_id from users where email = $1', [business.owner.email])
  const accountId = rows[0]?.account_id
  for (const { recipients, ...columns } of broadcasts) {
    const row = { account_id: accountId, rate_per_minute: 600, ...columns }
    const names = Object.keys(row)
    await database.query(
      `insert into broadcasts (${names.join()}, list_id, user_id, created_at, prepared_at, ended_at, halted_at, recipients)
       select ${names.map((_, n) => `$${n + 1}`).join()}, l.id, u.id, now() - interval '2 days', now() - interval '2 days',
         case when $${names.indexOf('state') + 1} in ('finished', 'stopped') then now() - interval '47 hours' end,
         case when $${names.indexOf('halted_reason') + 1}::text is not null then now() - interval '37 minutes' end, $${names.length + 1}
       from lists l, users u where l.name = $${names.indexOf('list_name') + 1} and u.email = $${names.length + 2}`,
      [...Object.values(row), recipients, business.owner.email],
    )
    await database.query(recipientsOf, [accountId, row.id])
  }
}

const id = (n: number) => `brc_${String(n).padStart(32, '0')}`

const broadcasts = [
  {
    id: id(1),
    name: 'Yearly service',
    list_name: 'Service due 2026',
    channel: 'WhatsApp',
    body: service,
    state: 'stopped',
    halted_reason: null,
    recipients: 1_204,
    sent: 611,
    failed: 0,
    opted_out: 9,
    no_id: 31,
    answered: 74,
    causes: '{}',
  },
  {
    id: id(2),
    name: 'Spring ride',
    list_name: 'Spring ride',
    channel: 'WhatsApp',
    body,
    state: 'finished',
    halted_reason: null,
    recipients: 4_851,
    sent: 4_806,
    failed: 6,
    opted_out: 27,
    no_id: 12,
    answered: 318,
    causes: '{"http_error 422": 4, "timeout": 2}',
  },
  {
    id: id(3),
    name: 'Recall of a brake lever',
    list_name: 'E-bike owners',
    channel: 'web chat',
    body: service,
    state: 'paused',
    halted_reason: 'endpoint_failing',
    recipients: 832,
    sent: 204,
    failed: 0,
    opted_out: 3,
    no_id: 0,
    answered: 11,
    causes: '{}',
  },
]

/** The first contacts: some whose message failed, some who answered. */
const recipientsOf = `
  insert into broadcast_recipients (account_id, broadcast_id, n, contact_id, state, error_category, error_http_status, made_at, settled_at,
    answered_at)
  select $1, $2, n, c.id, case when n <= b.failed then 'failed' else 'sent' end,
    case when n > b.failed then null when n <= 4 then 'http_error' else 'timeout' end, case when n <= least(4, b.failed) then 422 end,
    now() - interval '2 days', now() - interval '47 hours',
    case when n > b.failed then now() - interval '40 hours' - n * interval '7 minutes' end
  from (select *, row_number() over (order by id) as n from contacts where account_id = $1 and not is_simulated limit 12) as c
  join broadcasts b on b.account_id = $1 and b.id = $2`
