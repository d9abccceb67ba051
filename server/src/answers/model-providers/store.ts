import type { TryResult } from '@patchbay/contract/app/connections.ts'
import type { ConnectionKind } from '@patchbay/contract/model-connections.ts'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { AccountId, CampaignId, ConnectionId } from '../../platform/ids.ts'

/** How the model of a provider is called. */
export type ConnectionRow = {
  accountId: AccountId
  id: ConnectionId
  name: string
  kind: ConnectionKind
  /** The base URL; null: the vendor's own. */
  url: string | null
  /** The sealed key. */
  key: string | null
  /** What the key was sealed for: the connection, or the campaign that had it before there were connections. */
  sealedFor: ConnectionId | CampaignId
  /** The model for campaigns that name none themselves. */
  model: string | null
  /** The tokens for one prompt; null: as usual for its kind. */
  promptTokens: number | null
  version: number
  lastTry: TryResult | null
}

const columns = [
  ...(['accountId', 'id', 'name', 'kind', 'url', 'key', 'sealedFor', 'model', 'promptTokens'] as const),
  ...(['version', 'lastTry'] as const),
] as const

export async function insertConnection(tx: Tx, { lastTry: _, ...row }: ConnectionRow): Promise<void> {
  await tx.insertInto('connections').values(row).execute()
}

export async function listConnections(db: Db, accountId: AccountId): Promise<ConnectionRow[]> {
  const rows = await db
    .selectFrom('connections')
    .select(columns)
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(readRow)
}

type ConnectionRef = { accountId: AccountId; id: ConnectionId }

export async function findConnection(db: Db, named: ConnectionRef): Promise<ConnectionRow | undefined> {
  const row = await one(db, named).executeTakeFirst()
  return row && readRow(row)
}

/** Finds a connection with a lock against other changes, and against campaigns that begin to use it. */
export async function lockConnection(tx: Tx, named: ConnectionRef): Promise<ConnectionRow | undefined> {
  const row = await one(tx, named).forUpdate().executeTakeFirst()
  return row && readRow(row)
}

function one(db: Db, { accountId, id }: ConnectionRef) {
  return db.selectFrom('connections').select(columns).where('accountId', '=', accountId).where('id', '=', id)
}

/** Raises the version, and forgets the last try, which was made with what it was before. */
export async function updateConnection(tx: Tx, { accountId, id, ...row }: ConnectionRow): Promise<void> {
  const { version: _, lastTry: __, ...changes } = row
  await tx
    .updateTable('connections')
    .set({ ...changes, version: sql`version + 1`, lastTry: null })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

export async function deleteConnection(tx: Tx, { accountId, id }: ConnectionRef): Promise<void> {
  await tx.deleteFrom('connections').where('accountId', '=', accountId).where('id', '=', id).execute()
}

/** Notes a try, only of the version that was tried. */
export async function noteTry(db: Db, { accountId, id, version }: ConnectionRow, result: TryResult): Promise<void> {
  await db
    .updateTable('connections')
    .set({ lastTry: JSON.stringify(result) })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('version', '=', version)
    .execute()
}

export type Use = { connectionId: ConnectionId; id: CampaignId; name: string; model: string | null }

/** The campaigns of an account that use a connection; `model` is the one that the campaign names itself. */
export async function listUses(db: Db, accountId: AccountId): Promise<Use[]> {
  const { rows } = await sql<Use>`
    select connection_id, id, name, settings ->> 'model' as model from campaigns
    where account_id = ${accountId} and connection_id is not null order by created_at, id
  `.execute(db)
  return rows
}

/** A change may have ended the trouble of the campaigns that use it. Campaigns are locked before connections. */
export async function clearTrouble(tx: Tx, { accountId, id }: ConnectionRef): Promise<void> {
  await tx
    .updateTable('campaigns')
    .set({ trouble: null })
    .where('accountId', '=', accountId)
    .where('connectionId', '=', id)
    .where('trouble', 'is not', null)
    .execute()
}

function readRow<Row extends { lastTry: unknown }>(row: Row): Row & { lastTry: TryResult | null } {
  return { ...row, lastTry: row.lastTry as TryResult | null } // written by `noteTry`
}
