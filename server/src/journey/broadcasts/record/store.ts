import type { haltedReasons, waitingReasons } from '@patchbay/contract/api/broadcasts.ts'
import { type RawBuilder, sql } from 'kysely'
import { acrossAccounts, type Db, type Tx } from '../../../platform/database/db.ts'
import type { AccountId, BroadcastId, CampaignId, ContactId, ListId, UserId } from '../../../platform/ids.ts'

export type BroadcastRef = { accountId: AccountId; broadcastId: BroadcastId }

export type IdFrom = 'phone' | 'email'

export type BroadcastState = 'scheduled' | 'preparing' | 'running' | 'paused' | 'stopped' | 'finished'

/** Why nothing can be sent at the moment. */
export type WaitingReason = (typeof waitingReasons)[number]

/** Why it was paused by itself. */
type HaltedReason = (typeof haltedReasons)[number]

/** `recipients` = those without a message yet + all the others but `answered`. */
type Counters = {
  recipients: number
  open: number
  sent: number
  failed: number
  optedOut: number
  noId: number
  erased: number
  noAddress: number
  idTaken: number
  blocked: number
  answered: number
}

/** How many failed, by category, or by category and HTTP status with a space between. */
export type Causes = Record<string, number>

export type Broadcast = Counters & {
  accountId: AccountId
  id: BroadcastId
  name: string
  listId: ListId
  listName: string
  /** The label of a custom channel, or the id of a built-in one. */
  channel: string
  campaignId: CampaignId | null
  body: string
  ratePerMinute: number
  /** What becomes the id of those who have none. */
  idFrom: IdFrom | null
  state: BroadcastState
  userId: UserId | null
  createdAt: Date
  /** When it is or was to start; null: it started when it was made. */
  startsAt: Date | null
  preparedAfter: string
  preparedAt: Date | null
  resumedAt: Date | null
  endedAt: Date | null
  waitingSince: Date | null
  waitingReason: WaitingReason | null
  haltedAt: Date | null
  haltedReason: HaltedReason | null
  causes: Causes
}

const columns = [
  ...(['accountId', 'id', 'name', 'listId', 'listName', 'channel', 'campaignId', 'body', 'ratePerMinute'] as const),
  ...(['idFrom', 'noAddress', 'idTaken', 'blocked', 'startsAt'] as const),
  ...(['state', 'userId', 'createdAt', 'preparedAfter', 'preparedAt', 'resumedAt', 'endedAt'] as const),
  ...(['waitingSince', 'waitingReason', 'haltedAt', 'haltedReason', 'causes'] as const),
  ...(['recipients', 'open', 'sent', 'failed', 'optedOut', 'noId', 'erased', 'answered'] as const),
] as const

/** How many have neither a message nor a reason to get none. */
export function waitingForTheirTurn(counters: Counters): number {
  const { recipients, open, sent, failed, optedOut, noId, erased, noAddress, idTaken, blocked } = counters
  return recipients - open - sent - failed - optedOut - noId - erased - noAddress - idTaken - blocked
}

type NewBroadcast = Pick<
  Broadcast,
  | ('accountId' | 'id' | 'name' | 'listId' | 'listName' | 'channel' | 'campaignId' | 'body')
  | ('ratePerMinute' | 'userId' | 'idFrom' | 'startsAt')
>

export async function insertBroadcast(tx: Tx, broadcast: NewBroadcast): Promise<void> {
  await tx
    .insertInto('broadcasts')
    .values({ ...broadcast, ...(broadcast.startsAt && { state: 'scheduled' }) })
    .execute()
}

/**
 * Broadcasts of the account that are under way, of which a paused one is, or that wait for their time. Waits for others that start at
 * this moment.
 */
export async function countOf(tx: Tx, accountId: AccountId, which: 'under way' | 'scheduled'): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`broadcast start ${accountId}`}, 0))`.execute(tx)
  const { n } = await tx
    .selectFrom('broadcasts')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('accountId', '=', accountId)
    .where('state', 'in', which === 'scheduled' ? ['scheduled'] : ['preparing', 'running', 'paused'])
    .executeTakeFirstOrThrow()
  return Number(n)
}

export async function findBroadcast(db: Db, { accountId, broadcastId }: BroadcastRef): Promise<Broadcast | undefined> {
  const found = await oneOf(db, { accountId, broadcastId }).executeTakeFirst()
  return found && readRow(found)
}

/** Until the transaction ends nothing else of it changes, its recipients neither. Lock order: before contacts. */
export async function lockBroadcast(tx: Tx, { accountId, broadcastId }: BroadcastRef): Promise<Broadcast | undefined> {
  const found = await oneOf(tx, { accountId, broadcastId }).forNoKeyUpdate().executeTakeFirst()
  return found && readRow(found)
}

function oneOf(db: Db, { accountId, broadcastId }: BroadcastRef) {
  return db.selectFrom('broadcasts').select(columns).where('accountId', '=', accountId).where('id', '=', broadcastId)
}

type Row = Omit<Broadcast, 'causes'> & { causes: unknown }

const readRow = (row: Row): Broadcast => ({ ...row, causes: row.causes as Causes }) // only `saveBroadcast` writes them

/** Broadcasts, the newest first: ids sort by age. */
export async function listBroadcasts(
  db: Db,
  accountId: AccountId,
  { before, limit }: { before: BroadcastId | undefined; limit: number },
): Promise<Broadcast[]> {
  const all = db
    .selectFrom('broadcasts')
    .select(columns)
    .where('accountId', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
  const rows = await (before === undefined ? all : all.where('id', '<', before)).execute()
  return rows.map(readRow)
}

type Change<Value> = Value | RawBuilder<Value>

/** What somebody gives, and may change until it starts. */
type Given =
  | 'name'
  | 'listId'
  | 'listName'
  | 'channel'
  | 'campaignId'
  | 'body'
  | 'ratePerMinute'
  | 'idFrom'
  | 'startsAt'

export type BroadcastChange = Partial<
  Counters & {
    state: BroadcastState
    causes: Causes
    preparedAfter: string
    preparedAt: Change<Date>
    resumedAt: Change<Date>
    endedAt: Change<Date>
    waitingSince: Change<Date> | null
    waitingReason: WaitingReason | null
    haltedAt: Change<Date> | null
    haltedReason: HaltedReason | null
    pacedAt: Change<Date>
  } & Pick<Broadcast, Given>
>

/** Saves a change to a broadcast that the transaction has locked. */
export async function saveBroadcast(
  tx: Tx,
  { accountId, broadcastId }: BroadcastRef,
  { causes, ...change }: BroadcastChange,
): Promise<void> {
  await tx
    .updateTable('broadcasts')
    .set({ ...change, ...(causes && { causes: JSON.stringify(causes) }) })
    .where('accountId', '=', accountId)
    .where('id', '=', broadcastId)
    .execute()
}

const isActive = `(state in ('preparing', 'running') or open > 0)`

const isToStart = `(state = 'scheduled' and starts_at <= now())`

/** Whether there may be a broadcast with something to do. */
export const mayAdvance = `(exists (select from broadcasts where ${isActive}) or exists (select from broadcasts where ${isToStart}))`

/** Broadcasts with something to do, each with its account: for a worker, across accounts. Each condition has an index of its own. */
export async function listActive(db: Db, limit: number): Promise<BroadcastRef[]> {
  const found = [isActive, isToStart].map((condition) =>
    acrossAccounts(db)
      .selectFrom('broadcasts')
      .select(['accountId', 'id as broadcastId'])
      .where(sql.raw<boolean>(condition))
      .limit(limit)
      .execute(),
  )
  return (await Promise.all(found)).flat()
}

/** For how long it has been time to start; below 0: it is not time yet. */
export async function readLateness(tx: Tx, { accountId, broadcastId }: BroadcastRef): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from now() - starts_at)::float8 as seconds from broadcasts
    where account_id = ${accountId} and id = ${broadcastId}
  `.execute(tx)
  return rows[0]?.seconds ?? 0
}

/** What contact `c` would get as its id. */
export function idToGive(idFrom: IdFrom | null): RawBuilder<string | null> {
  return idFrom === null ? sql`null::text` : idFrom === 'phone' ? sql`c.phone` : sql`c.email`
}

/** Whether another contact has that id already. */
export function idTakenBy(accountId: AccountId, idFrom: IdFrom | null): RawBuilder<boolean> {
  return sql`exists (select from contacts o where o.account_id = ${accountId} and o.external_id = ${idToGive(idFrom)})`
}

/**
 * Gives a locked contact an id, if it has none and no other contact has it. When somebody is just giving it to another, this
 * waits for that, and then fails as a conflict: the transaction is run again, and finds it taken.
 */
export async function giveId(
  tx: Tx,
  { accountId, contactId }: { accountId: AccountId; contactId: ContactId },
  externalId: string,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update contacts c set external_id = ${externalId}
    where c.account_id = ${accountId} and c.id = ${contactId} and c.external_id is null and not exists (
      select from contacts o where o.account_id = ${accountId} and o.external_id = ${externalId}
    )
  `.execute(tx)
  return numAffectedRows > 0n
}
