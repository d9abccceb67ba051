import type { ChannelCheck } from '@patchbay/contract/app/channels.ts'
import {
  type AttentionReason,
  type ChannelKind,
  type ChannelState,
  providerKinds,
} from '@patchbay/contract/channels.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, ChannelId, UserId } from '../../platform/ids.ts'

export type ChannelRef = { accountId: AccountId; id: ChannelId }

export type ChannelRow = ChannelRef & {
  kind: ChannelKind
  /** The sender at its provider. */
  providerKey: string
  name: string
  address: string
  state: ChannelState
  attentionReason: AttentionReason | null
  attentionSince: Date | null
  pausedAt: Date | null
  pausedBy: UserId | null
  settings: unknown
  /** Sealed; null where the channel was removed, and where it calls nobody. */
  credentials: string | null
  version: number
  receivesBy: 'auto' | 'poll' | 'hook'
  whenInDoubt: 'resend' | 'person'
  perSecond: number | null
  /** What a message costs, in units; the agency of a sub-account says it. */
  creditsPerMessage: string
  hookUrl: string | null
  /** The version of the channel when that was set: with its credentials the secret may have changed that it is called with. */
  hookVersion: number | null
  /** What another tool had set there before us. */
  hookBefore: unknown
  checks: ChannelCheck[]
  checkedAt: Date | null
  lastEventAt: Date | null
  createdAt: Date
  /** This is a copy of a backup, and nobody has said yet that the channel goes on here. */
  isHeld: boolean
}

/** The condition in SQL that the kind of the channel `c` has a provider. */
export const isProvided = (c: string) => `${c}.kind in (${providerKinds.map((kind) => `'${kind}'`).join(', ')})`

/** Whether the channel `c` is held. One of our own never is: nothing leaves by it, and people meet the copy only where it is served. */
export const isHeld = (c: string) => `(${isProvided(c)} and coalesce((
    select i.restored_at > greatest(${c}.created_at, ${c}.resumed_at) from installation i
  ), false))`

const names = [
  ...(['accountId', 'id', 'kind', 'providerKey', 'name', 'address', 'state', 'attentionReason'] as const),
  ...(['attentionSince', 'pausedAt', 'pausedBy', 'settings', 'credentials', 'version', 'receivesBy'] as const),
  ...([
    'whenInDoubt',
    'perSecond',
    'creditsPerMessage',
    'hookUrl',
    'hookVersion',
    'hookBefore',
    'checks',
    'checkedAt',
    'lastEventAt',
    'createdAt',
  ] as const),
] as const

function channelsOf(db: Db, accountId: AccountId) {
  return db
    .selectFrom('channels as c')
    .select(names.map((name) => `c.${name}` as const))
    .select(sql<boolean>`${sql.raw(isHeld('c'))}`.as('isHeld'))
    .where('c.accountId', '=', accountId)
    .$castTo<ChannelRow>()
}

/** In the order in which they were connected; those that were removed come with `all`. */
export async function listChannels(db: Db, accountId: AccountId, { all = false } = {}): Promise<ChannelRow[]> {
  const rows = channelsOf(db, accountId).orderBy('c.createdAt').orderBy('c.id')
  return (all ? rows : rows.where('c.state', '<>', 'removed')).execute()
}

export async function findChannel(db: Db, { accountId, id }: ChannelRef): Promise<ChannelRow | undefined> {
  return channelsOf(db, accountId).where('c.id', '=', id).executeTakeFirst()
}

/** Until the transaction ends, nobody else changes the channel. */
export async function lockChannel(tx: Tx, { accountId, id }: ChannelRef): Promise<ChannelRow | undefined> {
  return channelsOf(tx, accountId).where('c.id', '=', id).forUpdate('c').executeTakeFirst()
}

type Sender = { accountId: AccountId; kind: ChannelKind; providerKey: string }

export async function lockBySender(
  tx: Tx,
  { accountId, kind, providerKey }: Sender,
): Promise<Pick<ChannelRow, 'id' | 'state' | 'name'> | undefined> {
  return tx
    .selectFrom('channels')
    .select(['id', 'state', 'name'])
    .where('accountId', '=', accountId)
    .where('kind', '=', kind)
    .where('providerKey', '=', providerKey)
    .forUpdate()
    .$castTo<Pick<ChannelRow, 'id' | 'state' | 'name'>>()
    .executeTakeFirst()
}

/** How many the account has that were not removed. Nobody else connects one until the transaction ends. */
export async function countChannels(tx: Tx, accountId: AccountId): Promise<number> {
  await sql`select from accounts where id = ${accountId} for update`.execute(tx)
  const { n } = await tx
    .selectFrom('channels')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('accountId', '=', accountId)
    .where('state', '<>', 'removed')
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Whose the sender is from now on; false: another account has connected it. */
export async function claimSender(tx: Tx, { id, accountId, kind, providerKey }: Sender & ChannelRef): Promise<boolean> {
  const { rows } = await sql`
    insert into channel_directory (channel_id, account_id, kind, provider_key)
    values (${id}, ${accountId}, ${kind}, ${providerKey})
    on conflict (kind, provider_key) do nothing
    returning true
  `.execute(tx)
  return rows.length > 0
}

export async function releaseSender(tx: Tx, { accountId, id }: ChannelRef): Promise<void> {
  await tx.deleteFrom('channelDirectory').where('accountId', '=', accountId).where('channelId', '=', id).execute()
}

export type NewChannel = Pick<
  ChannelRow,
  'accountId' | 'id' | 'kind' | 'providerKey' | 'name' | 'address' | 'settings' | 'credentials'
>

/** A channel that was removed before is there again, with its history, and is held no more. */
export async function upsertChannel(tx: Tx, { settings, ...row }: NewChannel): Promise<void> {
  const { accountId: _, id: __, ...values } = { ...row, settings: JSON.stringify(settings) }
  await tx
    .insertInto('channels')
    .values({ accountId: row.accountId, id: row.id, ...values })
    .onConflict((c) =>
      c.columns(['accountId', 'id']).doUpdateSet({
        ...values,
        ...{ state: 'connecting', attentionReason: null, attentionSince: null, removedAt: null, pausedAt: null },
        ...{ pausedBy: null, checks: '[]', checkedAt: null, resumedAt: sql`now()`, version: sql`channels.version + 1` },
      }),
    )
    .execute()
  await sql`
    insert into channel_rates (account_id, channel_id) values (${row.accountId}, ${row.id}) on conflict do nothing
  `.execute(tx)
}

export type ChannelChange = Partial<
  Pick<ChannelRow, 'name' | 'address' | 'settings' | 'credentials' | 'receivesBy' | 'whenInDoubt' | 'perSecond'>
>

/** Goes up a version with each change, so that what was judged by older credentials is known to be. */
export async function updateChannel(tx: Tx, { accountId, id }: ChannelRef, change: ChannelChange): Promise<void> {
  const { settings, ...rest } = change
  await tx
    .updateTable('channels')
    .set({ ...rest, ...(settings !== undefined && { settings: JSON.stringify(settings) }) })
    .set({ version: sql`version + 1`, checkDueAt: sql`now()` })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Its version stays: the owner has changed nothing. */
export async function writePrice(tx: Tx, { accountId, id }: ChannelRef, units: bigint): Promise<void> {
  await tx
    .updateTable('channels')
    .set({ creditsPerMessage: String(units) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

export async function writePause(tx: Tx, { accountId, id }: ChannelRef, by: UserId | null | 'none'): Promise<void> {
  const isPaused = by !== 'none'
  await tx
    .updateTable('channels')
    .set({ pausedAt: isPaused ? sql`coalesce(paused_at, now())` : null, pausedBy: isPaused ? by : null })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Keeps the row, its name and its history. */
export async function writeRemoved(tx: Tx, { accountId, id }: ChannelRef): Promise<void> {
  await tx
    .updateTable('channels')
    .set({
      state: 'removed',
      removedAt: sql`now()`,
      credentials: null,
      checkDueAt: null,
      hookUrl: null,
      hookBefore: null,
    })
    .set({ attentionReason: null, attentionSince: null, pausedAt: null, pausedBy: null, version: sql`version + 1` })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

export type Finding = {
  state: ChannelState
  attentionReason: AttentionReason | null
  checks: ChannelCheck[]
  nextInSeconds: number
  hookUrl: string | null
  /** It needs somebody once more than before, and not just still. */
  isAnew?: boolean
}

/** What was found when the channel was looked at. */
export async function writeFinding(tx: Tx, { accountId, id }: ChannelRef, finding: Finding): Promise<void> {
  const { state, attentionReason, checks, nextInSeconds, hookUrl, isAnew = false } = finding
  const since = isAnew ? sql<Date>`now()` : sql<Date>`coalesce(attention_since, now())`
  await tx
    .updateTable('channels')
    .set({ state, attentionReason, checks: JSON.stringify(checks), checkedAt: sql`now()`, hookUrl })
    .set({ hookVersion: hookUrl === null ? null : sql`version` })
    .set({ attentionSince: attentionReason === null ? null : since })
    .set({ checkDueAt: sql`now() + ${nextInSeconds} * interval '1 s'` })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('state', '<>', 'removed')
    .execute()
}

/** What another tool has set at the provider, which we are about to replace. */
export async function writeHookBefore(db: Db, { accountId, id }: ChannelRef, found: unknown): Promise<void> {
  await db
    .updateTable('channels')
    .set({ hookBefore: JSON.stringify(found) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** The same ones, sealed anew: its version stays. */
export async function writeCredentials(tx: Tx, { accountId, id }: ChannelRef, credentials: string): Promise<void> {
  await tx
    .updateTable('channels')
    .set({ credentials })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Leases channels that are to be looked at: whoever looks writes when the next time is. */
export async function claimChecks(db: Db, limit: number): Promise<ChannelRef[]> {
  const { rows } = await sql<ChannelRef>`
    update channels set check_due_at = now() + interval '2 minutes'
    where ctid = any (array(
      select ctid from channels where check_due_at <= now() order by check_due_at limit ${limit} for update skip locked
    ))
    returning account_id, id
  `.execute(db)
  return rows
}

/** What is known of the channel has changed so that somebody may have to be told. */
export async function lookSoon(db: Db, { accountId, id }: ChannelRef): Promise<void> {
  await db
    .updateTable('channels')
    .set({ checkDueAt: sql`now()` })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('state', '<>', 'removed')
    .execute()
}

/** In a statement without a table: whether any channel is to be looked at, and whether there is any at all. */
export const mayCheck = 'exists (select from channels where check_due_at <= now())'
export const hasChannels = 'exists (select from channel_directory)'

/** Something came over the channel. Written once a minute. */
export async function noteChannelEvent(db: Db, { accountId, id }: ChannelRef): Promise<void> {
  await sql`
    update channels set last_event_at = now(), check_due_at = case when last_event_at is null then now() else check_due_at end
    where account_id = ${accountId} and id = ${id} and state <> 'removed'
      and (last_event_at is null or last_event_at < now() - interval '1 minute')
  `.execute(db)
}

/** Whether the provider has asked that nothing is sent for a while. */
export async function isSlowed(db: Db, { accountId, id }: ChannelRef): Promise<boolean> {
  const { rows } = await sql`
    select from channel_rates where account_id = ${accountId} and channel_id = ${id} and paused_until > now()
  `.execute(db)
  return rows.length > 0
}

/** From now on no channel that is there sends, fetches or sets anything, until somebody says that it goes on. */
export async function holdAll(db: Db): Promise<void> {
  const { rows } = await sql<{ has: boolean }>`select to_regclass('channels') is not null as has`.execute(db)
  if (!rows[0]?.has) return // a copy of a version that had none
  await sql`update installation set restored_at = now()`.execute(db)
}

/** Somebody has said that it goes on in this copy. */
export async function writeResumed(tx: Tx, { accountId, id }: ChannelRef): Promise<void> {
  await tx
    .updateTable('channels')
    .set({ resumedAt: sql`now()`, checkDueAt: sql`now()` })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

/** Where a channel is, and of which kind. */
export type ChannelHome = ChannelRef & { kind: ChannelKind }

/** Before anybody is known: the accounts of these channels, by their ids. */
export async function findHomes(db: Db, ids: string[]): Promise<Map<string, ChannelHome>> {
  const { rows } = await sql<ChannelHome>`
    select account_id, channel_id as id, kind from channel_directory where channel_id = any (${ids})
  `.execute(db)
  return new Map(rows.map((home) => [home.id, home]))
}

/** Of all accounts, for the operator: a channel that needs somebody, is not connected yet, or is held. */
export type TroubledChannel = ChannelRef & Pick<ChannelRow, 'address' | 'state' | 'attentionReason' | 'isHeld'>

export async function listTroubledChannels(db: Db, limit: number): Promise<TroubledChannel[]> {
  const { rows } = await sql<TroubledChannel>`
    select c.account_id, c.id, c.address, c.state, c.attention_reason, ${sql.raw(isHeld('c'))} as is_held from channels c
    where c.state in ('connecting', 'attention') or c.state <> 'removed' and ${sql.raw(isHeld('c'))}
    order by c.created_at limit ${limit}
  `.execute(db)
  return rows
}

/** Channels of all accounts that are held, for the operator. */
export async function listHeld(db: Db): Promise<ChannelRef[]> {
  const { rows } = await sql<ChannelRef>`
    select c.account_id, c.id from channels c where c.state <> 'removed' and ${sql.raw(isHeld('c'))} order by c.created_at
  `.execute(db)
  return rows
}
