import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { type Db, openDb } from '../../src/platform/database/db.ts'
import { makeDatabase } from '../helpers/databases.ts'

/** Tables that are queried before the account is known, and those without accounts. */
const directory = [
  ...['accounts', 'users', 'api_keys', 'rate_windows', 'sessions', 'account_links', 'installation'],
  'channel_directory',
  ...['schema_migrations', 'running_servers'],
]

/** Indexes for queries over all accounts, such as for due rows; all other queries name one account. */
const queues = [
  'attachments_due',
  'audit_events_by_age',
  'broadcasts_scheduled',
  'channel_polls_due',
  'channels_check_due',
  'chat_days_by_day',
  'conversations_snoozed',
  'delivery_attempts_by_age',
  'entry_texts_by_model',
  'entry_uses_by_age',
  'idempotency_keys_by_age',
  'imports_due',
  'provider_events_due',
  'outgoing_files_by_age',
  'provider_events_by_age',
  'unanswered_by_age',
  'turns_due',
]

/** The account is part of each hash in the first, and is the payer in the second. */
const namedOtherwise = ['message_search_by_term', 'ledger_granted_by_key']

/** Every key of a tenant's table, an index or a foreign key, that does not begin with the account. */
async function keysWithoutAccount(db: Db): Promise<string[]> {
  const { rows } = await sql<{ table: string; key: string; leads: string | null }>`
    select k.relid::regclass::text as "table", k.key, a.attname as leads
    from (
      select indrelid as relid, indexrelid::regclass::text as key, indkey[0] as first from pg_index
      union all
      select conrelid, conname::text, conkey[1] from pg_constraint where contype = 'f'
      union all
      select oid, 'a primary key', null from pg_class c
      where relkind in ('r', 'p') and not exists (select from pg_index where indrelid = c.oid and indisprimary)
    ) k
    join pg_class c on c.oid = k.relid and c.relnamespace = 'public'::regnamespace
    left join pg_attribute a on a.attrelid = k.relid and a.attnum = k.first
    order by 1, 2
  `.execute(db)
  assert.ok(rows.length > 10)
  return rows
    .filter(
      ({ table, key, leads }) =>
        !directory.includes(table) && ![...queues, ...namedOtherwise].includes(key) && leads !== 'account_id',
    )
    .map(({ table, key }) => `${table}: ${key}`)
}

test("every key of a tenant's table begins with the account", async () => {
  await using database = await makeDatabase()
  const db = openDb(database.address, pino({ enabled: false }), 1)
  try {
    assert.deepEqual(await keysWithoutAccount(db), [])
    await sql`create index contacts_by_first_name on contacts (first_name, account_id)`.execute(db)
    await sql`create index contacts_by_expression on contacts (lower(first_name))`.execute(db)
    await sql`create table notes (account_id text, owner text references accounts (id))`.execute(db)
    assert.deepEqual(await keysWithoutAccount(db), [
      'contacts: contacts_by_expression',
      'contacts: contacts_by_first_name',
      'notes: a primary key',
      'notes: notes_owner_fkey',
    ])
  } finally {
    await db.destroy()
  }
})
