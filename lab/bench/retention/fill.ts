import type { Client } from 'pg'
import { activeContacts, contactsPerActive } from '../load/traffic.ts'

const contacts = activeContacts * contactsPerActive
const atOnce = 100_000

/** From the oldest to the newest: the first `old` of them came 100 to 91 days ago, the others since 80 days. */
export async function fillByAge(client: Client, { messages, old }: { messages: number; old: number }): Promise<void> {
  await client.query(`set synchronous_commit = off`)
  await client.query(`
    insert into contacts (account_id, id, external_id)
    select (select owner_account_id from installation), 'con_' || lpad(to_hex(n), 32, '0'), 'contact-' || n
    from generate_series(0, ${contacts - 1}) as n on conflict do nothing
  `)
  for (let from = 0; from < messages; from += atOnce) {
    const to = Math.min(from + atOnce, messages)
    await addMessages(client, `generate_series(${from}, ${to - 1})`, { messages, old })
  }
  await client.query(`
    insert into conversations (account_id, contact_id, channel, last_seq, incoming_seq, created_at)
    select account_id, contact_id, 'bench', max(seq), max(seq), min(created_at) from messages group by 1, 2
    on conflict (account_id, contact_id) do update
    set last_seq = excluded.last_seq, incoming_seq = excluded.incoming_seq, created_at = excluded.created_at
  `)
  // The search would add them all while we measure.
  await client.query(`
    insert into search_marks (account_id, contact_id, seq) select account_id, contact_id, last_seq from conversations
    on conflict (account_id, contact_id) do update set seq = excluded.seq
  `)
  await client.query('reset synchronous_commit')
  await client.query('vacuum (analyze)')
  await client.query('checkpoint')
}

/** As many messages as were removed, as if they had come one after another. */
export async function addAgain(
  client: Client,
  { messages, count }: { messages: number; count: number },
): Promise<void> {
  for (let from = 0; from < count; from += atOnce) {
    const to = Math.min(from + atOnce, count)
    await addMessages(client, `generate_series(${messages + from}, ${messages + to - 1})`, { messages, old: 0 })
  }
}

/** Message n is of contact n modulo the contacts. Its number in the conversation leaves room for what the load has sent. */
async function addMessages(client: Client, numbers: string, { messages, old }: { messages: number; old: number }) {
  const day = 86_400_000
  await client.query(`
    insert into messages
      (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, message_sid, to_id, created_at)
    select (select owner_account_id from installation),
      'msg_' || lpad(to_hex((extract(epoch from m.at) * 1000)::bigint), 12, '0') || lpad(to_hex(n), 20, '0'),
      'con_' || lpad(to_hex(n % ${contacts}), 32, '0'), n / ${contacts} + 1 + case when n >= ${messages} then 1000000 else 0 end,
      'incoming', 'contact', 'text', 'received', repeat('a', 180), 'bench', 'SM' || md5(n::text), 'filled', m.at
    from ${numbers} as n cross join lateral (
      select now() - interval '1 ms' * case
        when n < ${old} then ${100 * day} - ${9 * day}::float * n / ${Math.max(old, 1)}
        else greatest(0, ${80 * day} - ${79 * day}::float * (n - ${old}) / ${messages - old}) end as at
    ) as m
    order by n
  `)
}
