import type { Client } from 'pg'
import { customers } from './business.ts'

/** Between two messages of a conversation. */
const gap = '3 minutes'

/**
 * Moves the conversations back in time, each to when its customer wrote last: all of them were played within a minute.
 */
export async function age(database: Client): Promise<void> {
  await database.query(`update users set unread_since = unread_since - interval '40 days'`)
  await database.query(usage)
  for (const { fromId, minutesAgo } of customers) {
    const { rows } = await database.query('select id from contacts where external_id = $1', [fromId])
    await ageConversation(database, rows[0]?.id, minutesAgo)
  }
}

/** So that its contact wrote last so many minutes ago. */
export async function ageConversation(database: Client, contactId: string, minutesAgo: number): Promise<void> {
  for (const statement of statements) await database.query(statement, [contactId, minutesAgo])
}

/** Entries were used over the last 20 days, the newest ones the most often. */
const usage = `
  insert into entry_uses (account_id, entry_id, day, times)
  select e.account_id, e.id, (now() at time zone 'UTC')::date - d.days, 1 + 12 / e.place
  from (select *, row_number() over (partition by account_id order by id desc) as place from entries) as e
  cross join generate_series(1, 20) as d (days)
  where e.is_on and d.days % e.place = 0`

const lastAt = `(now() - $2 * interval '1 minute')`
const wrote = (column: string) => `${column} = $1`

const statements = [
  `with aged as (
    update messages m
    set created_at = ${lastAt} - interval '${gap}' * ((select max(seq) from messages where ${wrote('contact_id')}) - m.seq)
    where ${wrote('contact_id')}
    returning id, created_at
  )
  update deliveries d
  set first_attempt_at = a.created_at, last_attempt_at = a.created_at, sent_at = case when sent_at is not null then a.created_at end
  from aged a where d.id = a.id`,
  `update conversation_events e set at = coalesce((
    select m.created_at - interval '1 minute' from messages m
    where m.contact_id = e.contact_id and m.seq > e.seq order by m.seq limit 1
  ), ${lastAt}) where ${wrote('contact_id')}`,
  `update conversation_notes set at = ${lastAt} where ${wrote('contact_id')}`,
  `update conversations
  set active_at = ${lastAt}, active_step = activity_step(${lastAt}),
    waiting_since = case when waiting_since is not null then ${lastAt} end,
    handler_since = case when handler_since is not null then coalesce((
      select max(at) from conversation_events where ${wrote('contact_id')}
    ), ${lastAt}) end
  where ${wrote('contact_id')}`,
  `update contacts set created_at = ${lastAt} - interval '40 days' where id = $1`,
]
