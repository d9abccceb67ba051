import { createHmac } from 'node:crypto'
import { Client } from 'pg'
import type { DatabaseAddress } from '../../src/platform/database/db.ts'
import type { AccountId } from '../../src/platform/ids.ts'
import { seal } from '../../src/platform/secrets/seal.ts'

/** The data of an installation of version 0.1.0 after some time in use. */
export const old = {
  schema: 6,
  accounts: 10,
  contactsEach: 500,
  messagesEach: 20,
  /** Of account 6: replies that wait for their first attempt, and for their third. */
  waiting: 20,
  waitingAgain: 5,
  /** Of account 7: replies that failed for good. */
  failed: 20,
  /** Of account 8: contacts whose last message is due to be answered. */
  unanswered: 3,
  /** Of account 9: contacts who opted out. */
  silenced: 10,
  /** Of account 9: contacts whose first question could not be answered. */
  questions: 100,
} as const

const oldAccount = (n: number): AccountId => `acc_${String(n).padStart(2, '0')}`
export const oldKey = (n: number): string => `pb_key_of_account_${n}`

type Fill = { secretKey: Buffer; receiverUrl: string }

/** Fills a database with the schema of that version; the data is consistent, as `ledger check` requires. */
export async function fillOldSchema(address: DatabaseAddress, { secretKey, receiverUrl }: Fill): Promise<void> {
  const client = new Client(address)
  await client.connect()
  for (const statement of [accounts, people, messages, deliveries, work, files, credits]) await client.query(statement)
  const check = createHmac('sha256', secretKey).update('patchbay secret key check').digest('hex')
  await client.query('insert into installation (secret_key_check, owner_account_id) values ($1, $2)', [
    check,
    oldAccount(1),
  ])
  for (const accountId of [oldAccount(6), oldAccount(8)]) {
    const secret = seal(secretKey, 'whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cyBzZWNyZXQ=', `endpoints ${accountId} reply`)
    await client.query(`insert into endpoints (account_id, kind, url, secret) values ($1, 'reply', $2, $3)`, [
      accountId,
      receiverUrl,
      secret,
    ])
  }
  await client.query('analyze')
  await client.end()
}

const account = (n: string) => `('acc_' || lpad(${n}::text, 2, '0'))`
const contact = (n: string, c: string) => `('con_' || lpad(to_hex(${n} * 1000000 + ${c}), 32, '0'))`
const message = (n: string, c: string, s: string) =>
  `('msg_' || lpad(to_hex(${n} * 1000000000::bigint + ${c} * 1000 + ${s}), 32, '0'))`
const everyone = `generate_series(1, ${old.accounts}) n, generate_series(1, ${old.contactsEach}) c`
const everyMessage = `${everyone}, generate_series(1, ${old.messagesEach}) s`

const accounts = `
  insert into accounts (id, kind, agency_id)
  select ${account('n')}, case when n = 1 then 'agency' when n <= 5 then 'subaccount' else 'standard' end,
    case when n between 2 and 5 then ${account('1')} end
  from generate_series(1, ${old.accounts}) n;
  insert into users (id, account_id, email, password_hash, is_owner)
  select 'usr_' || id, id, id || '@example.com', 'none', true from accounts;
  insert into api_keys (account_id, key_hash)
  select ${account('n')}, sha256(('pb_key_of_account_' || n)::bytea) from generate_series(1, ${old.accounts}) n;
  insert into campaigns (account_id, id, name, status, is_default, settings)
  select id, 'cmp_' || id, 'Default', 'live', true, jsonb_build_object('greetingText', 'Hello! How can I help you?')
  from accounts;
  insert into lists (account_id, id, name) select id, 'lst_' || id, 'Customers' from accounts`

const people = `
  insert into contacts (account_id, id, first_name, phone, email, external_id)
  select ${account('n')}, ${contact('n', 'c')}, 'Person ' || c, case when c % 3 = 0 then '+1555' || 1000000 + c end,
    case when c % 2 = 0 then 'person' || c || '@example.com' end, 'person-' || c
  from ${everyone};
  insert into list_members (account_id, list_id, contact_id)
  select account_id, 'lst_' || account_id, id from contacts where phone is not null;
  insert into conversations (account_id, contact_id, channel, last_seq, last_outgoing_seq, handler, handler_reason, epoch)
  select ${account('n')}, ${contact('n', 'c')}, 'custom', ${old.messagesEach}, ${old.messagesEach / 2},
    case when n = 9 and c <= ${old.silenced} then 'off' else 'bot' end,
    case when n = 9 and c <= ${old.silenced} then 'stop' end, c % 4
  from ${everyone}`

const messages = `
  insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, message_sid,
    to_id, outgoing_seq, created_at)
  select ${account('n')}, ${message('n', 'c', 's')}, ${contact('n', 'c')}, s,
    case when s % 2 = 1 then 'incoming' else 'outgoing' end,
    case when s % 2 = 1 then 'contact' when s % 10 = 0 then 'person' else 'bot' end,
    case when s = 5 then 'reaction' else 'text' end, case when s % 2 = 1 then 'received' end,
    'What ' || c || ' said as number ' || s || ' — ünïcode 你好', 'custom',
    case when s % 2 = 1 then 'sid-' || c || '-' || s end, 'shop', case when s % 2 = 0 then s / 2 end,
    now() - interval '30 days' + s * interval '1 day'
  from ${everyMessage};
  insert into messages (account_id, id, contact_id, seq, direction, author, kind, status, body, channel, message_sid, to_id)
  select ${account('8')}, ${message('8', 'c', '21')}, ${contact('8', 'c')}, 21, 'incoming', 'contact', 'text', 'received',
    'Hello', 'custom', 'sid-' || c || '-21', 'shop'
  from generate_series(1, ${old.unanswered}) c;
  update conversations set last_seq = 21
  where account_id = ${account('8')} and contact_id in (select contact_id from messages where seq = 21);
  insert into turns (account_id, contact_id, first_at, due_at, from_seq, last_seq)
  select account_id, contact_id, now() - interval '10 s', now() - interval '5 s', 21, 21 from messages where seq = 21`

const isWaiting = `m.account_id = ${account('6')} and m.seq = 20 and c.n <= ${old.waiting}`
const isWaitingAgain = `m.account_id = ${account('6')} and m.seq = 20
  and c.n between ${old.waiting + 1} and ${old.waiting + old.waitingAgain}`
const isFailed = `m.account_id = ${account('7')} and m.seq = 20 and c.n <= ${old.failed}`

const deliveries = `
  insert into deliveries (account_id, id, kind, contact_id, outgoing_seq, author, payload, due_at, attempts, sent_at,
    last_url, last_duration_ms, error_category, error_http_status, first_attempt_at, last_attempt_at)
  select m.account_id, m.id, 'reply', m.contact_id, m.outgoing_seq, m.author,
    json_build_object('event', 'message', 'messageId', m.id, 'body', m.body)::text,
    case when ${isWaiting} or ${isWaitingAgain} then now() end,
    case when ${isWaiting} then 0 when ${isWaitingAgain} then 2 when ${isFailed} then 11 else 1 end,
    case when not (${isWaiting} or ${isWaitingAgain} or ${isFailed}) then m.created_at end,
    case when not (${isWaiting}) then 'https://example.com/replies' end, case when not (${isWaiting}) then 12 end,
    case when ${isFailed} or ${isWaitingAgain} then 'http' end, case when ${isFailed} or ${isWaitingAgain} then 500 end,
    case when not (${isWaiting}) then m.created_at end, case when not (${isWaiting}) then m.created_at end
  from messages m
  join (select account_id, id, row_number() over (partition by account_id order by id) as n from contacts) c
    on c.account_id = m.account_id and c.id = m.contact_id
  where m.direction = 'outgoing';
  insert into delivery_attempts (account_id, delivery_id, n, url, duration_ms, error_category, error_http_status)
  select account_id, id, n, last_url, 12, 'http', 500
  from deliveries, generate_series(1, attempts - 1) n where error_category is not null`

const work = `
  insert into answers (account_id, contact_id, from_seq, to_seq, outcome, reason, campaign_id, campaign_version,
    message_id, engine, input_tokens, output_tokens, duration_ms)
  select ${account('n')}, ${contact('n', 'c')}, 1, 1,
    case when n = 9 and c <= ${old.questions} then 'fell back' else 'answered' end, 'an entry fits', 'cmp_' || ${account('n')}, 1,
    ${message('n', 'c', '2')}, 'builtin', 0, 0, 5
  from ${everyone};
  insert into unanswered (account_id, campaign_id, question, group_id, times)
  select ${account('9')}, 'cmp_' || ${account('9')}, lower(m.body), gen_random_uuid(), 1
  from messages m join generate_series(1, ${old.questions}) c on m.contact_id = ${contact('9', 'c')}
  where m.account_id = ${account('9')} and m.seq = 1;
  insert into entries (account_id, id, campaign_id, is_on, hands_over)
  select ${account('9')}, 'ent_' || n, 'cmp_' || ${account('9')}, true, false from generate_series(1, 3) n;
  insert into entry_texts (account_id, entry_id, n, text)
  select account_id, id, n, 'Text ' || n || ' of ' || id from entries, generate_series(0, 1) n;
  insert into idempotency_keys (account_id, endpoint, key, body_hash, status, answer, created_at)
  select ${account('6')}, '/contacts', 'key-' || n, sha256(n::text::bytea), 201, '{"id":"con_' || n || '"}',
    now() - n * interval '1 minute'
  from generate_series(1, 200) n`

const files = `
  insert into media (account_id, id, content_type, size_bytes)
  select ${account('10')}, 'med_' || n, 'text/plain', 1000 from generate_series(1, 50) n;
  insert into media_chunks (account_id, media_id, n, bytes)
  select account_id, id, 0, convert_to(repeat(right(id, 1), 1000), 'UTF8') from media;
  insert into attachments (account_id, message_id, content_type, state, media_id)
  select ${account('10')}, ${message('10', 'n', '1')}, 'text/plain', 'stored', 'med_' || n from generate_series(1, 50) n`

/** A grant for each sub-account, and a charge for every contact that was answered. */
const credits = `
  insert into ledger (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after, actor)
  select id, 'led_grant_' || id, 1, 'grant', agency_id, 'issuance', id, 'credits', 1000000, 1000000, 'api'
  from accounts where kind = 'subaccount';
  insert into ledger (account_id, id, n, kind, payer_id, payer_purse, payee_id, payee_purse, amount, balance_after, actor,
    contact_id, from_seq)
  select ${account('n')}, 'led_' || c, c + 1, 'usage', ${account('n')}, 'credits', ${account('n')}, 'usage', 10,
    1000000 - 10 * c, 'bot', ${contact('n', 'c')}, 1
  from generate_series(2, 5) n, generate_series(1, ${old.contactsEach}) c;
  insert into balances (account_id, balance, version, recharge_threshold, recharge_amount)
  select id, 1000000 - 10 * ${old.contactsEach}, ${old.contactsEach + 1}, 1000, 50000
  from accounts where kind = 'subaccount';
  insert into grant_keys (account_id, key, body_hash, sub_account_id, entry_id)
  select agency_id, 'grant of ' || id, sha256(id::bytea), id, 'led_grant_' || id from accounts where kind = 'subaccount'`
