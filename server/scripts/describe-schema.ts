import { haltedReasons, waitingReasons } from '@patchbay/contract/api/broadcasts.ts'
import { sql } from 'kysely'
import type { Db } from '../src/platform/database/db.ts'

type Column = {
  table: string
  name: string
  type: string
  notNull: boolean
  default: string | null
  isGenerated: boolean
  collation: string | null
}

/** The schema as read from pg_catalog: the same text whichever migrations led to it. */
export async function describeSchema(db: Db): Promise<{ schemaSql: string; tablesTs: string }> {
  const columns = await readColumns(db)
  const constraints = await readDefinitions(db, constraintsQuery)
  const indexes = await readDefinitions(db, indexesQuery)
  const triggers = await readDefinitions(db, triggersQuery)
  const tables = Map.groupBy(columns, ({ table }) => table)
  const schemaSql = [...tables]
    .map(([table, own]) => tableSql(table, own, { constraints, indexes, triggers }))
    .join('\n')
  const functionsSql = await describeFunctions(db)
  return {
    schemaSql: `-- Made by \`npm run generate\` from the migrations; compared by a test.\n\n${schemaSql}${functionsSql}`,
    tablesTs: tablesTs(tables),
  }
}

async function readColumns(db: Db): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull as not_null, pg_get_expr(d.adbin, d.adrelid) as "default", a.attgenerated <> '' as is_generated,
      case when a.attcollation <> t.typcollation then quote_ident(l.collname) end as collation
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    left join pg_collation l on l.oid = a.attcollation
    where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
    order by c.relname, a.attnum
  `.execute(db)
  return rows
}

type Definition = { table: string; definition: string }

/** Not-null constraints have rows of their own since PostgreSQL 18; here they are part of their column. */
const constraintsQuery = sql<Definition>`
  select conrelid::regclass::text as "table", pg_get_constraintdef(oid) as definition
  from pg_constraint
  where connamespace = 'public'::regnamespace and contype <> 'n'
  order by conrelid::regclass::text collate "C", contype desc, pg_get_constraintdef(oid) collate "C"
`

const indexesQuery = sql<Definition>`
  select tablename as "table", replace(indexdef, ' ON public.', ' ON ') as definition
  from pg_indexes i
  where schemaname = 'public'
    and not exists (select from pg_constraint where conname = i.indexname and connamespace = 'public'::regnamespace)
  order by tablename collate "C", indexname collate "C"
`

/** An `enable always` trigger cannot be switched off by a session. */
const triggersQuery = sql<Definition>`
  select tgrelid::regclass::text as "table",
    replace(pg_get_triggerdef(t.oid), ' ON public.', ' ON ') || case when tgenabled = 'A' then ' ENABLE ALWAYS' else '' end as definition
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where not tgisinternal and c.relnamespace = 'public'::regnamespace
  order by tgrelid::regclass::text collate "C", tgname collate "C"
`

async function describeFunctions(db: Db): Promise<string> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_functiondef(oid) as definition from pg_proc
    where pronamespace = 'public'::regnamespace order by proname collate "C"
  `.execute(db)
  return rows.map(({ definition }) => `\n${definition.trimEnd()};\n`).join('')
}

async function readDefinitions(db: Db, query: typeof constraintsQuery): Promise<Map<string, string[]>> {
  const { rows } = await query.execute(db)
  const grouped = Map.groupBy(rows, ({ table }) => table)
  return new Map([...grouped].map(([table, own]) => [table, own.map(({ definition }) => definition)]))
}

type Details = Record<'constraints' | 'indexes' | 'triggers', Map<string, string[]>>

function tableSql(table: string, columns: Column[], { constraints, indexes, triggers }: Details): string {
  const lines = columns.map(columnSql).concat(constraints.get(table) ?? [])
  const further = [indexes, triggers].flatMap((kind) => kind.get(table) ?? []).map((definition) => `${definition};\n`)
  return `create table ${table} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);\n${further.join('')}`
}

function columnSql(column: Column): string {
  const parts = [column.name, column.type]
  if (column.collation) parts.push(`collate ${column.collation}`)
  if (column.notNull) parts.push('not null')
  if (column.isGenerated) parts.push(`generated always as (${column.default}) stored`)
  else if (column.default) parts.push(`default ${column.default}`)
  return parts.join(' ')
}

function tablesTs(tables: Map<string, Column[]>): string {
  const entries = [...tables].map(([table, columns]) => {
    const fields = columns.map((column) => `    ${camel(column.name)}: ${columnType(column)}`)
    return `  ${camel(table)}: {\n${fields.join('\n')}\n  }`
  })
  const ids = [...new Set(entries.join().match(/\b[A-Z][A-Za-z]+Id\b/g))].sort()
  return [
    '// Made by `npm run generate` from the migrations; compared by a test.',
    "import type { Generated } from 'kysely'",
    `import type { ${ids.join(', ')} } from '../ids.ts'`,
    '',
    `export type Tables = {\n${entries.join('\n')}\n}\n`,
    '/** The column that names the account, of every table that has rows of many accounts. */',
    `export const tenantColumns = {\n${tenantColumns(tables).join('\n')}\n}\n`,
  ].join('\n')
}

function tenantColumns(tables: Map<string, Column[]>): string[] {
  return [...tables].flatMap(([table, columns]) => {
    if (table === 'accounts') return [`  ${table}: 'id',`]
    return columns.some(({ name }) => name === 'account_id') ? [`  ${table}: 'account_id',`] : []
  })
}

function columnType(column: Column): string {
  const type =
    idTypes[`${column.table}.${column.name}`] ??
    idTypes[column.name] ??
    unions[`${column.table}.${column.name}`] ??
    plainType(column.type)
  const full = column.notNull ? type : `${type} | null`
  return column.default ? `Generated<${full}>` : full
}

const idTypes: Record<string, string> = {
  'accounts.id': 'AccountId',
  'users.id': 'UserId',
  'contacts.id': 'ContactId',
  'lists.id': 'ListId',
  account_id: 'AccountId',
  agency_id: 'AccountId',
  owner_account_id: 'AccountId',
  contact_id: 'ContactId',
  user_id: 'UserId',
  handler_user_id: 'UserId',
  list_id: 'ListId',
  'imports.id': 'ImportId',
  import_id: 'ImportId',
  'channels.id': 'ChannelId',
  channel_id: 'ChannelId',
  paused_by: 'UserId',
  'messages.id': 'MessageId',
  message_id: 'MessageId',
  message_ids: 'MessageId[]',
  contact_ids: 'ContactId[]',
  'campaigns.id': 'CampaignId',
  'entries.campaign_id': 'CampaignId',
  'answers.campaign_id': 'CampaignId',
  'unanswered.campaign_id': 'CampaignId',
  'connections.id': 'ConnectionId',
  connection_id: 'ConnectionId',
  'connections.sealed_for': 'ConnectionId | CampaignId',
  'entries.id': 'EntryId',
  'entry_texts.entry_id': 'EntryId',
  'ledger.id': 'LedgerId',
  'ledger.payer_id': 'AccountId',
  'ledger.payee_id': 'AccountId',
  'ledger.reverses': 'LedgerId',
  'grant_keys.sub_account_id': 'AccountId',
  'grant_keys.entry_id': 'LedgerId',
  'broadcasts.id': 'BroadcastId',
  'broadcasts.campaign_id': 'CampaignId',
  broadcast_id: 'BroadcastId',
  'receivers.id': 'ReceiverId',
  receiver_id: 'ReceiverId',
}

/** Text columns that a check constraint limits to a few values. */
const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(' | ')

const unions: Record<string, string> = {
  'contacts.opted_out_by': "'contact' | 'operator' | 'returned'",
  'accounts.kind': "'standard' | 'agency' | 'subaccount'",
  'messages.direction': "'incoming' | 'outgoing'",
  'messages.author': "'contact' | 'bot' | 'person' | 'api'",
  'messages.kind': "'text' | 'reaction'",
  'attachments.state':
    "'stored' | 'not fetched yet' | 'unreachable' | 'not allowed' | 'wrong type' | 'too large' | 'removed'",
  'alert_settings.conditions': 'string[]',
  'imports.state': "'uploading' | 'reading' | 'checking' | 'ready' | 'running' | 'finished' | 'stopped' | 'refused'",
  'campaigns.status': "'draft' | 'live' | 'paused' | 'archived'",
  'connections.kind': "'openai-compatible' | 'openai' | 'anthropic'",
  'conversations.handler': "'bot' | 'person' | 'off'",
  'conversations.offered': 'EntryId[]',
  'simulators.behaviour': "'ok' | 'error 503' | 'gone 410' | 'silent' | 'hang up' | 'busy 429'",
  'simulator_events.kind': "'incoming' | 'incoming again' | 'reply'",
  'conversation_events.kind':
    "'taken over' | 'handed back' | 'switched off' | 'asked for a person' | 'opted out' | 'opted in'",
  'ledger.kind': "'grant' | 'usage' | 'reversal'",
  'ledger.payer_purse': "'credits' | 'issuance' | 'usage'",
  'ledger.payee_purse': "'credits' | 'issuance' | 'usage'",
  'broadcasts.state': "'scheduled' | 'preparing' | 'running' | 'paused' | 'stopped' | 'finished'",
  'broadcasts.id_from': "'phone' | 'email'",
  'broadcasts.waiting_reason': oneOf(waitingReasons),
  'broadcasts.halted_reason': oneOf(haltedReasons),
  'broadcast_recipients.state': "'waiting' | 'made' | 'sent' | 'failed' | 'left_out'",
  'broadcast_recipients.reason': "'opted_out' | 'no_id' | 'erased' | 'no_address' | 'id_taken' | 'blocked'",
}

function plainType(type: string): string {
  const known: Record<string, string> = {
    text: 'string',
    'text[]': 'string[]',
    uuid: 'string',
    integer: 'number',
    'integer[]': 'number[]',
    real: 'number',
    boolean: 'boolean',
    bytea: 'Buffer',
    jsonb: 'unknown',
    bigint: 'string',
    'bigint[]': 'string[]',
    date: 'Date',
    'timestamp with time zone': 'Date',
  }
  const plain = known[type]
  if (!plain) throw new Error(`describe-schema.ts has no TypeScript type for ${type}`)
  return plain
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
