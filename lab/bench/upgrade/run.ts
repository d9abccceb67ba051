import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { readMigrations } from '../../../server/src/platform/database-setup/read-migrations.ts'
import { embeddedPostgres } from '../../../server/src/platform/embedded-postgres/embedded-postgres.ts'
import { runCommand } from '../../common/run-command.ts'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { print } from '../app/world.ts'

/**
 * What an upgrade does to the database of another checkout, the version before, with a million messages: for how long its migrations
 * keep others from the tables, and which tables they write anew. Others look at the largest tables, and write to them, meanwhile.
 */
export async function benchUpgrade(args: string[]): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { before: text, messages: text } })
  if (values.before === undefined) throw new Error('--before is the folder of the version before')
  const messages = Number(values.messages ?? 1_000_000)
  await using started = new AsyncDisposableStack()
  const folder = await makeTemporaryFolder('patchbay-bench-upgrade-', started)
  const dataDir = join(folder, 'data')
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, DATA_DIR: dataDir }
  await runCommand(resolve(values.before), ['status'], env) // makes the database
  using embedded = embeddedPostgres(join(dataDir, 'postgres'))
  await embedded.ensureRunning()
  started.defer(() => embedded.stop('fast'))
  const open = async () => {
    const client = new Client(embedded.connection)
    await client.connect()
    started.defer(() => client.end())
    return client
  }
  const client = await open()
  print(`filling: ${messages} messages, half of them sent`)
  await fill(client, messages)
  const before = await readTables(client)
  const looks = watch(await open(), 'select from messages union all select from deliveries limit 1')
  const writes = watch(await open(), write)
  await sleep(1_000)
  const tookMs = await migrate(client)
  await sleep(500)
  print(`longest look at messages and deliveries meanwhile: ${(await looks()).toFixed(0)} ms`)
  print(`longest write of a message with its delivery meanwhile: ${(await writes()).toFixed(0)} ms`)
  print(`the transaction of the migrations: ${tookMs.toFixed(0)} ms`)
  const after = await readTables(client)
  for (const [name, { file, updated, mib }] of before) {
    const now = after.get(name)
    const isAnew = now?.file !== file
    const rows = Number(now?.updated) - Number(updated)
    print(
      `${name}, ${mib} MiB: ${isAnew ? 'written anew' : 'not written anew'}, ${rows} rows updated, now ${now?.mib} MiB`,
    )
  }
}

/** As if all had been sent and had come: half of the messages are replies that arrived. */
async function fill(client: Client, messages: number): Promise<void> {
  const each = 20
  for (const statement of [
    `insert into accounts (id, kind) values ('acc_upgrade', 'standard')`,
    `insert into receivers (account_id, id, url, secret) values ('acc_upgrade', 'reply', 'https://example.com', 'none')`,
    `insert into contacts (account_id, id, external_id)
     select 'acc_upgrade', 'con_' || lpad(n::text, 32, '0'), 'contact-' || n from generate_series(1, ${messages / each}) as n`,
    `insert into conversations (account_id, contact_id, channel, last_seq, last_outgoing_seq, incoming_seq)
     select 'acc_upgrade', id, 'bench', ${each}, ${each / 2}, ${each - 1} from contacts`,
    `insert into messages (account_id, id, contact_id, seq, outgoing_seq, direction, author, kind, status, body, channel, message_sid)
     select 'acc_upgrade', 'msg_' || lpad((c * ${each} + s)::text, 32, '0'), 'con_' || lpad(c::text, 32, '0'), s,
       case when s % 2 = 0 then s / 2 end, case s % 2 when 0 then 'outgoing' else 'incoming' end,
       case s % 2 when 0 then 'bot' else 'contact' end, 'text', case s % 2 when 1 then 'received' end, repeat('a', 180), 'bench',
       case s % 2 when 1 then 'SM' || md5(c || ' ' || s) end
     from generate_series(1, ${messages / each}) as c, generate_series(1, ${each}) as s`,
    `insert into deliveries (account_id, id, contact_id, outgoing_seq, receiver_id, author, payload, due_at, attempts, sent_at,
       first_attempt_at, last_attempt_at, last_url, last_duration_ms)
     select account_id, id, contact_id, outgoing_seq, 'reply', 'bot', repeat('a', 300), null, 1, now(), now(), now(),
       'https://example.com', 12
     from messages where direction = 'outgoing'`,
    `insert into conversation_events (account_id, contact_id, seq, kind)
     select account_id, contact_id, seq, 'taken over' from messages where seq = 2`,
  ]) {
    await client.query(statement)
  }
  await client.query('vacuum (analyze)')
  await client.query('checkpoint')
}

const write = `
  with m as (
    insert into messages (account_id, id, contact_id, seq, outgoing_seq, direction, author, kind, body)
    select 'acc_upgrade', 'msg_' || md5(random()::text), id, 100 + (random() * 1e9)::bigint, 100, 'outgoing', 'bot', 'text', 'a'
    from contacts limit 1 returning *
  )
  insert into deliveries (account_id, id, contact_id, outgoing_seq, receiver_id, author, payload)
  select account_id, id, contact_id, outgoing_seq, 'reply', 'bot', 'a' from m`

/** Runs a statement again and again. What is returned ends that, and says how many milliseconds the longest took. */
function watch(client: Client, statement: string): () => Promise<number> {
  let [longest, isOver] = [0, false]
  const running = (async () => {
    while (!isOver) {
      const beganAt = performance.now()
      await client.query(statement)
      longest = Math.max(longest, performance.now() - beganAt)
      await sleep(2)
    }
  })()
  return async () => {
    isOver = true
    await running
    return longest
  }
}

/** As a server does that starts: all that are pending, in one transaction. */
async function migrate(client: Client): Promise<number> {
  const { rows } = await client.query('select max(version) as version from schema_migrations')
  const pending = (await readMigrations()).filter(({ version }) => version > rows[0].version)
  const beganAt = performance.now()
  await client.query('begin')
  for (const { file, text } of pending) {
    const atMs = performance.now()
    await client.query(text)
    print(`${file}: ${(performance.now() - atMs).toFixed(0)} ms`)
  }
  await client.query('commit')
  return performance.now() - beganAt
}

type Table = { file: string; updated: string; mib: number }

/** Of the tables with many rows: in which file they are, and how many rows were ever changed. */
async function readTables(client: Client): Promise<Map<string, Table>> {
  await client.query('select pg_stat_force_next_flush()')
  const { rows } = await client.query<Table & { name: string }>(`
    select relname as name, pg_relation_filenode(relid) as file, n_tup_upd as updated,
      round(pg_total_relation_size(relid) / 1048576.0)::integer as mib
    from pg_stat_user_tables
    where relname in ('messages', 'deliveries', 'contacts', 'conversations', 'conversation_events') order by relname
  `)
  return new Map(rows.map(({ name, ...rest }) => [name, rest]))
}
