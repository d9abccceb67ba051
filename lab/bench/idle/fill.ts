import type { Client } from 'pg'

const contactId = `'con_' || lpad(to_hex(n), 32, '0')`

/** Adds accounts up to so many, and to the owner's so many conversations, each with a message of today. */
export async function fillAccounts(
  client: Client,
  { accounts, conversations }: { accounts: number; conversations: number },
): Promise<void> {
  const { rows } = await client.query<{ id: string }>('select owner_account_id as id from installation')
  const owner = `'${rows[0]?.id}'`
  const each = `from generate_series(1, ${conversations}) as n`
  // In one transaction: a worker that saw conversations without their messages would take them for searched.
  await client.query('begin')
  await client.query(
    `insert into accounts (id, kind) select 'acc_' || lpad(to_hex(n), 32, '0'), 'standard'
     from generate_series(2, ${accounts}) as n`,
  )
  await client.query(
    `insert into contacts (account_id, id, external_id) select ${owner}, ${contactId}, 's' || n ${each}`,
  )
  await client.query(
    `insert into conversations (account_id, contact_id, last_seq, incoming_seq, active_at, active_step)
     select ${owner}, ${contactId}, 1, 1, now(), activity_step(now()) ${each}`,
  )
  await client.query(
    `insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body)
     select ${owner}, 'msg_' || replace(uuidv7()::text, '-', ''), ${contactId}, 1, 'incoming', 'contact', 'text',
       'received', 'hello there ' || n ${each}`,
  )
  await client.query('commit')
  await client.query('vacuum (analyze)')
}
