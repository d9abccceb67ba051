import type { ChannelKind } from '@patchbay/contract/channels.ts'
import { sql } from 'kysely'
import { isChannelId } from '../../outbox/receivers.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'

/** A channel as the app shows it: `colour` is 1 to 8. A built-in one has a kind and a name of its own; its label is its id. */
export type ShownChannel = { label: string; colour: number; name: string; kind: ChannelKind | null }

const colours = 8

/**
 * The channels with these labels. One that is read for the first time gets the colour that the fewest channels of the
 * account have, and keeps it.
 */
export async function findChannels(
  db: Db,
  accountId: AccountId,
  labels: Iterable<string>,
): Promise<(label: string) => ShownChannel> {
  const wanted = [...new Set(labels)]
  const known = await readColours(db, accountId, wanted)
  const missing = wanted.filter((label) => !known.has(label))
  if (missing.length > 0) {
    await db.transaction().execute((tx) => insertChannels(tx, accountId, missing))
    for (const [label, colour] of await readColours(db, accountId, missing)) known.set(label, colour)
  }
  const named = await readNames(db, accountId, wanted)
  // A colour may be deleted at this moment, with the last contact that used it.
  return (label) => ({ label, colour: known.get(label) ?? 1, ...nameOf(label, named) })
}

type Named = Pick<ShownChannel, 'name' | 'kind'>

function nameOf(label: string, named: Map<string, Named>): Named {
  return named.get(label) ?? { name: label, kind: null }
}

/** Of those that are built-in channels, removed ones too. */
async function readNames(db: Db, accountId: AccountId, labels: string[]): Promise<Map<string, Named>> {
  const ids = labels.filter(isChannelId)
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('channels')
    .select(['id', 'name', 'kind'])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name, kind }) => [id, { name, kind: kind as ChannelKind }])) // as the migration has it
}

/** The kind of the built-in channel that this names: by its id, or by its name where no custom channel is called the same. */
export async function findKindNamed(db: Db, accountId: AccountId, text: string): Promise<ChannelKind | undefined> {
  const { rows } = await sql<{ kind: ChannelKind }>`
    select n.kind from channels n
    where n.account_id = ${accountId} and n.state <> 'removed' and (n.id = ${text} or lower(n.name) = lower(${text}) and not exists (
      select from channel_labels l where l.account_id = ${accountId} and lower(l.label) = lower(${text})
    ))
    limit 1
  `.execute(db)
  return rows[0]?.kind
}

/** What is set of these built-in channels. */
export async function readSettings(db: Db, accountId: AccountId, labels: string[]): Promise<Map<string, unknown>> {
  const ids = labels.filter(isChannelId)
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('channels')
    .select(['id', 'settings'])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, settings }) => [id, settings]))
}

/** How many a menu can show. */
const mostListed = 100

/** The channels of an account, in the order of their first use. */
export async function listChannels(db: Db, accountId: AccountId): Promise<ShownChannel[]> {
  const rows = await db
    .selectFrom('channelLabels')
    .select(['label', 'colour'])
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('label')
    .limit(mostListed)
    .execute()
  const named = await readNames(
    db,
    accountId,
    rows.map(({ label }) => label),
  )
  return rows.map((row) => ({ ...row, ...nameOf(row.label, named) }))
}

/**
 * The same, and built-in channels over which nothing has come yet. A built-in one that was removed is not to be chosen any more; where
 * it is chosen already, it is shown by its name.
 */
export async function listChannelsToChoose(db: Db, accountId: AccountId, chosen: string[]): Promise<ShownChannel[]> {
  const rows = await db
    .selectFrom('channels')
    .select(['id', 'state'])
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  const builtIn = rows.filter(({ id, state }) => state !== 'removed' || chosen.includes(id)).map(({ id }) => id)
  const used = (await listChannels(db, accountId)).filter(({ kind }) => kind === null)
  return [...used, ...builtIn.map(await findChannels(db, accountId, builtIn))]
}

async function readColours(db: Db, accountId: AccountId, labels: string[]): Promise<Map<string, number>> {
  if (labels.length === 0) return new Map()
  const rows = await db
    .selectFrom('channelLabels')
    .select(['label', 'colour'])
    .where('accountId', '=', accountId)
    .where('label', 'in', labels)
    .execute()
  return new Map(rows.map(({ label, colour }) => [label, colour]))
}

/** Inserts channels, locked against other requests that do the same, which could choose the same colours. */
async function insertChannels(tx: Tx, accountId: AccountId, labels: string[]): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`channels ${accountId}`}, 0))`.execute(tx)
  await sql`
    with missing as (
      select label, row_number() over (order by n) as n from unnest(${labels}::text[]) with ordinality as l (label, n)
      where not exists (select from channel_labels h where h.account_id = ${accountId} and h.label = l.label)
    ),
    used as (select colour, count(*) as times from channel_labels where account_id = ${accountId} group by colour),
    palette as (
      select colour, row_number() over (order by coalesce(times, 0), colour) as place
      from generate_series(1, ${colours}) as colour left join used using (colour)
    )
    insert into channel_labels (account_id, label, colour)
    select ${accountId}, label, colour from missing join palette on place = (n - 1) % ${colours} + 1
    on conflict (account_id, label) do nothing
  `.execute(tx)
}
