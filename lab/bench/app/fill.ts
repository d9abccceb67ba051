import type { Client } from 'pg'
import { makeTexts } from './texts.ts'

/** How much there is in the one account. */
export type Size = { conversations: number; messages: number }

/** One conversation has this part of all messages, the others equally many. */
const longShare = 0.02

/** Other accounts in the same database, each with as many conversations: a plan that suits one account must not read all. */
const neighbours = 4
const messagesOfNeighbours = 5

/**
 * Fills the account of the server's owner as after a month of work: one conversation in ten is unread, some wait for a
 * person, some have replies that failed, and every second message is ours and was delivered.
 */
export async function fillInbox(client: Client, { conversations, messages }: Size): Promise<void> {
  const long = Math.round(messages * longShare)
  const each = Math.floor((messages - long) / (conversations - 1))
  const { rows } = await client.query(`select owner_account_id as id from installation`)
  const body = await makeTexts(client)
  await fillAccount(client, rows[0].id, { conversations, each, long, body })
  for (let n = 1; n <= neighbours; n += 1) {
    const accountId = `acc_${'0'.repeat(31)}${n}`
    await client.query(`insert into accounts (id, kind) values ('${accountId}', 'standard')`)
    await client.query(
      `insert into users (id, account_id, email, password_hash, is_owner, is_holder)
       values ('usr_${'0'.repeat(31)}${n}', '${accountId}', 'neighbour${n}@example.com', 'none', true, true)`,
    )
    await fillAccount(client, accountId, {
      conversations,
      each: messagesOfNeighbours,
      long: messagesOfNeighbours,
      body,
    })
  }
  await client.query(`update accounts set bot_active = false`)
  await client.query(`update users set unread_since = now() - interval '60 days'`)
  await client.query('vacuum analyze')
}

/** In one transaction: a worker that saw conversations without their messages would take them for searched. */
async function fillAccount(client: Client, accountId: string, numbers: Numbers): Promise<void> {
  await client.query('begin')
  for (const statement of statementsFor(accountId, numbers)) await client.query(statement)
  await client.query('commit')
}

type Numbers = { conversations: number; each: number; long: number; body: string }

/** The contact with number `n`, whose last message is `n` of all conversations ago. */
const contactId = (n: string) => `'con_' || lpad(to_hex(${n}), 32, '0')`

function statementsFor(accountId: string, { conversations, each, long, body }: Numbers): string[] {
  const owner = `'${accountId}'`
  const messagesOf = `case when n = 1 then ${long} else ${each} end`
  const activeAt = `now() - n * interval '30 days' / ${conversations}`
  return [
    `insert into contacts (account_id, id, external_id, first_name, last_name, phone, email)
     select ${owner}, ${contactId('n')}, 'external-' || n, 'First' || n % 500, 'Last' || n, '+1555' || lpad(n::text, 7, '0'),
       'person' || n || '@example.com'
     from generate_series(1, ${conversations}) as n`,
    `insert into conversations (account_id, contact_id, channel, last_seq, last_outgoing_seq, incoming_seq, active_at,
       active_step, waiting_since, waiting_reason)
     select ${owner}, ${contactId('n')}, 'channel ' || n % 5, ${messagesOf}, ${messagesOf} / 2, ${messagesOf}, ${activeAt},
       activity_step(${activeAt}), case when n % 33 = 0 then ${activeAt} end, case when n % 33 = 0 then 'person' end
     from generate_series(1, ${conversations}) as n`,
    // In the order in which they would have come, so that a conversation is spread over the table.
    `insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, message_sid,
       outgoing_seq, created_at)
     select ${owner}, 'msg_' || replace(uuidv7()::text, '-', ''), ${contactId('n')}, seq,
       case when seq % 2 = 0 then 'incoming' else 'outgoing' end, case when seq % 2 = 0 then 'contact' else 'api' end, 'text',
       case when seq % 2 = 0 then 'received' end, ${body}, 'channel ' || n % 5,
       case when seq % 2 = 0 then 'SM' || n || '-' || seq end, case when seq % 2 = 1 then (seq + 1) / 2 end,
       ${activeAt} - (${messagesOf} - seq) * interval '1 minute'
     from generate_series(1, ${conversations}) as n cross join lateral generate_series(1, ${messagesOf}) as seq
     order by seq, n`,
    `insert into deliveries (account_id, id, contact_id, outgoing_seq, payload, due_at, attempts, receiver_id, author, sent_at)
     select account_id, id, contact_id, outgoing_seq, body, null, 1, 'reply', 'api', created_at
     from messages where account_id = ${owner} and direction = 'outgoing'`,
    `insert into attachments (account_id, message_id, content_type, state)
     select account_id, id, 'image/png', 'unreachable' from messages
     where account_id = ${owner} and direction = 'incoming' and hashtext(id) % 50 = 0`,
    `insert into turns (account_id, contact_id, due_at, from_seq, last_seq)
     select account_id, contact_id, now() + interval '1 day', last_seq, last_seq from conversations
     where account_id = ${owner} and hashtext(contact_id) % 20 = 0`,
    `insert into conversation_reads (account_id, contact_id, user_id, seq)
     select c.account_id, c.contact_id, u.id, case when hashtext(c.contact_id) % 10 = 0 then c.incoming_seq - 3 else c.incoming_seq end
     from conversations c join users u on u.account_id = c.account_id where c.account_id = ${owner}`,
    failing(`account_id = ${owner} and hashtext(contact_id) % 50 = 0`),
    ...listsOf(owner),
    // As after an upgrade from a version without a search: a backfill adds the messages to it.
    `insert into search_marks (account_id, contact_id, seq, backfill_seq)
     select account_id, contact_id, last_seq, last_seq from conversations where account_id = ${owner}`,
    `insert into search_backfills (account_id, before_id) values (${owner}, 'msg_g')`,
  ]
}

/** One list with everybody, and nine with a tenth of them each. */
function listsOf(owner: string): string[] {
  const listId = (n: string) => `'lst_' || lpad(to_hex(${n}), 32, '0')`
  return [
    `insert into lists (account_id, id, name) select ${owner}, ${listId('n')}, 'List ' || n from generate_series(0, 9) as n`,
    `insert into list_members (account_id, list_id, contact_id, added_at)
     select account_id, ${listId('n')}, id, created_at - random() * interval '30 days'
     from contacts cross join generate_series(0, 9) as n
     where account_id = ${owner} and (n = 0 or hashtext(id) % 10 = n)`,
  ]
}

/** After an outage: many conversations have a failed reply. */
export async function failMany(client: Client): Promise<void> {
  await client.query(failing(`hashtext(contact_id) % 2 = 0`))
  await client.query('vacuum analyze deliveries')
}

function failing(which: string): string {
  return `update deliveries set sent_at = null, error_category = 'timeout', last_attempt_at = now()
    where ${which} and outgoing_seq % 10 = 1 and error_category is null`
}
