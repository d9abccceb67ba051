import type { CampaignSettings, CampaignStatus } from '@patchbay/contract/campaigns.ts'
import { sql } from 'kysely'
import { acrossAccounts, type Db, type Tx } from '../../platform/database/db.ts'
import type { AccountId, CampaignId, ConnectionId } from '../../platform/ids.ts'

export type CampaignRow = {
  accountId: AccountId
  id: CampaignId
  name: string
  status: CampaignStatus
  isDefault: boolean
  /** Only the settings that were given; see `allSettings`. */
  settings: Partial<CampaignSettings>
  connectionId: ConnectionId | null
  version: number
  /** The final error that keeps its engine from answering. */
  trouble: string | null
}

const columns = [
  ...(['accountId', 'id', 'name', 'status', 'isDefault', 'settings'] as const),
  ...(['connectionId', 'version', 'trouble'] as const),
] as const

export async function insertCampaign(tx: Tx, { settings, ...campaign }: CampaignRow): Promise<void> {
  if (campaign.isDefault) await giveUpDefault(tx, campaign.accountId)
  await tx
    .insertInto('campaigns')
    .values({ ...campaign, settings: JSON.stringify(settings) })
    .execute()
}

/** Raises the version and clears `trouble`, because the change may have ended it. */
export async function updateCampaign(tx: Tx, { accountId, id, settings, ...campaign }: CampaignRow): Promise<void> {
  if (campaign.isDefault) await giveUpDefault(tx, accountId)
  await tx
    .updateTable('campaigns')
    .set({ ...campaign, settings: JSON.stringify(settings), version: sql`version + 1`, trouble: null })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .execute()
}

async function giveUpDefault(tx: Tx, accountId: AccountId): Promise<void> {
  await tx
    .updateTable('campaigns')
    .set({ isDefault: false })
    .where('accountId', '=', accountId)
    .where('isDefault', '=', true)
    .execute()
}

/** `knowledgeVersion`: as `readVersion` reads it. */
export type ListedCampaign = CampaignRow & { knowledgeVersion: number }

export async function listCampaigns(db: Db, accountId: AccountId): Promise<ListedCampaign[]> {
  const rows = await db
    .selectFrom('campaigns')
    .select([...columns, 'knowledgeVersion'])
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return rows.map(readRow)
}

export async function findCampaignOf(db: Db, accountId: AccountId, id: CampaignId): Promise<CampaignRow | undefined> {
  const row = await db
    .selectFrom('campaigns')
    .select(columns)
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && readRow(row)
}

/** Finds a campaign for the operator's commands, which name it by its id alone. */
export async function findCampaign(db: Db, id: CampaignId): Promise<CampaignRow | undefined> {
  const row = await campaignOfAnyAccount(db, id).executeTakeFirst()
  return row && readRow(row)
}

/** Finds a campaign with a lock against other changes until the transaction ends. */
export async function lockCampaign(tx: Tx, id: CampaignId): Promise<CampaignRow | undefined> {
  const row = await campaignOfAnyAccount(tx, id).forNoKeyUpdate().executeTakeFirst()
  return row && readRow(row)
}

/** Locks campaigns before another one becomes the default, so that of two changes at once the second sees the first. */
export async function lockCampaigns(tx: Tx, accountId: AccountId): Promise<void> {
  await tx
    .selectFrom('campaigns')
    .select('id')
    .where('accountId', '=', accountId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** Reads across accounts: an operator may change the campaigns of all of them. */
function campaignOfAnyAccount(db: Db, id: CampaignId) {
  return acrossAccounts(db).selectFrom('campaigns').select(columns).where('id', '=', id)
}

export async function noteTrouble(db: Db, { accountId, id }: CampaignRow, trouble: string | null): Promise<void> {
  await db
    .updateTable('campaigns')
    .set({ trouble })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('trouble', 'is distinct from', trouble)
    .execute()
}

/** Live campaigns whose engine cannot answer, across accounts, for the operator. */
export async function listTroubled(db: Db): Promise<{ id: CampaignId; trouble: string | null }[]> {
  return acrossAccounts(db)
    .selectFrom('campaigns')
    .select(['id', 'trouble'])
    .where('trouble', 'is not', null)
    .where('status', '=', 'live')
    .orderBy('id')
    .limit(100)
    .execute()
}

function readRow<Row extends { settings: unknown }>(row: Row): Row & { settings: Partial<CampaignSettings> } {
  return { ...row, settings: row.settings as Partial<CampaignSettings> } // checked by `readCampaignFile`
}

/** Counts, by campaign, its entries and how often something was asked that it could not answer. */
export async function countKnowledge(
  db: Db,
  accountId: AccountId,
): Promise<(campaignId: string) => { entries: number; unanswered: number }> {
  const entries = await db
    .selectFrom('entries')
    .select(({ fn }) => ['campaignId', fn.countAll().as('count')])
    .where('accountId', '=', accountId)
    .groupBy('campaignId')
    .execute()
  const unanswered = await db
    .selectFrom('unanswered')
    .select(({ fn }) => ['campaignId', fn.sum('times').as('count')])
    .where('accountId', '=', accountId)
    .groupBy('campaignId')
    .execute()
  const of = (rows: { campaignId: string; count: unknown }[], id: string) =>
    Number(rows.find(({ campaignId }) => campaignId === id)?.count ?? 0)
  return (id) => ({ entries: of(entries, id), unanswered: of(unanswered, id) })
}
