import type { Client } from 'pg'

export type ReportSize = { conversations: number; messages: number; days: number }

const channels = 6

/**
 * Fills the account of the server's owner with messages of many days, as after a campaign has run for half a year: of four
 * messages of a conversation two come in, the bot answers one of them within seconds, and a person or the bot the other one, some
 * time later. Deliveries take up to two seconds, a few of them never arrive.
 */
export async function fillReports(client: Client, { conversations, messages, days }: ReportSize): Promise<void> {
  const { rows } = await client.query(`select owner_account_id as id from installation`)
  const owner = `'${rows[0].id}'`
  const each = Math.floor(messages / conversations)
  const contactId = `'con_r' || lpad(to_hex(n), 31, '0')`
  await client.query('begin')
  await client.query(
    `insert into contacts (account_id, id, external_id)
     select ${owner}, ${contactId}, 'report-' || n from generate_series(1, ${conversations}) as n`,
  )
  await client.query(
    `insert into conversations (account_id, contact_id, channel, last_seq, last_outgoing_seq, incoming_seq, active_at, active_step)
     select ${owner}, ${contactId}, 'report channel ' || n % ${channels}, ${each}, ${each / 2}, ${each}, now(),
       activity_step(now())
     from generate_series(1, ${conversations}) as n`,
  )
  // Pairs of a question and its reply; each conversation goes on through all days.
  await client.query(
    `insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, outgoing_seq, created_at)
     select ${owner}, 'msg_' || replace(uuidv7()::text, '-', ''), ${contactId}, seq,
       case when seq % 2 = 1 then 'incoming' else 'outgoing' end,
       case when seq % 2 = 1 then 'contact' when (seq / 2 + n) % 4 = 0 then 'person' else 'bot' end, 'text',
       case when seq % 2 = 1 then 'received' end, 'text', 'report channel ' || n % ${channels},
       case when seq % 2 = 0 then seq / 2 end,
       now() - interval '1 hour' - (1 - ((seq - 1) / 2)::float8 / ${each / 2}) * ${days} * interval '1 day'
         - (abs(hashint4(n * 31 + (seq + 1) / 2)) % 40000) * interval '1 second'
         + case when seq % 2 = 1 then interval '0' when (seq / 2 + n) % 4 = 0
           then (30 + abs(hashint4(n + seq)) % 5000) * interval '1 second'
           else (2000 + abs(hashint4(n * 7 + seq)) % 6000) * interval '1 millisecond' end
     from generate_series(1, ${conversations}) as n cross join generate_series(1, ${each}) as seq
     order by seq, n`,
  )
  await client.query(
    `insert into deliveries (account_id, id, contact_id, outgoing_seq, payload, due_at, attempts, receiver_id, author, sent_at, error_category)
     select account_id, id, contact_id, outgoing_seq, body, null, 1, 'reply', author,
       case when hashtext(id) % 500 <> 0 then created_at + (20 + abs(hashtext(id)) % 2000) * interval '1 millisecond' end,
       case when hashtext(id) % 500 = 0 then 'timeout' end
     from messages where account_id = ${owner} and direction = 'outgoing' and contact_id like 'con_r%'`,
  )
  await client.query('commit')
  await client.query('vacuum analyze')
}
