import type { Db, Tx } from '../../platform/database/db.ts'
import { type AccountId, type CampaignId, isId, newId, sayUnknown } from '../../platform/ids.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { Refusal } from '../../platform/refusal.ts'
import { whyNotCalled } from '../model-providers/check-address.ts'
import type { ConnectionRow } from '../model-providers/store.ts'
import { chooseConnection } from './choose-connection.ts'
import { allSettings, checkSettings, type ReadFile, readCampaignFile } from './settings.ts'
import {
  type CampaignRow,
  findCampaign,
  insertCampaign,
  listCampaigns,
  lockCampaign,
  lockCampaigns,
  updateCampaign,
} from './store.ts'

export type CampaignCtx = { db: Db; secretKey: Buffer; outbound: Outbound }

/** `ignored`: fields of the file that we do not know. */
export type SavedCampaign = {
  campaignId: CampaignId
  status: CampaignRow['status']
  version: number
  ignored: string[]
}

/** Creates the campaign that a file describes; without a status in the file it is a draft, which answers nobody. */
export async function createCampaign(
  ctx: CampaignCtx,
  accountId: AccountId,
  file: unknown,
  { setsPrice }: { setsPrice: boolean } = { setsPrice: true },
): Promise<SavedCampaign> {
  const read = readCampaignFile(file)
  if (read.campaign.name === undefined) throw new Refusal('INVALID_REQUEST', 'name is required.')
  await checkAddress(ctx, read)
  const settings = setsPrice ? {} : { creditsPerReply: await highestPrice(ctx.db, accountId) }
  const blank = { accountId, id: newId('cmp'), name: '', status: 'draft' as const, isDefault: false, settings }
  const before = { ...blank, connectionId: null, version: 1, trouble: null }
  if (!setsPrice) refusePrice(before, read)
  const campaign = await ctx.db.transaction().execute(async (tx) => {
    if (read.campaign.isDefault) await lockCampaigns(tx, accountId)
    const made = await change(ctx, tx, { before, read })
    await insertCampaign(tx, made)
    return made
  })
  return { campaignId: campaign.id, status: campaign.status, version: 1, ignored: read.ignored }
}

/** Who changes a campaign in the app: `version` is the one that the change was made to. */
export type Editor = { accountId: AccountId; version: number; setsPrice: boolean }

/** Changes only the fields that the file has. Without an editor it is the operator, who may change every campaign. */
export async function changeCampaign(
  ctx: CampaignCtx,
  id: string,
  file: unknown,
  editor?: Editor,
): Promise<SavedCampaign> {
  const read = readCampaignFile(file)
  await checkAddress(ctx, read)
  const known = await knownCampaign(ctx.db, id)
  if (editor && editor.accountId !== known.accountId) throw unknown(id)
  const campaign = await ctx.db.transaction().execute(async (tx) => {
    if (read.campaign.isDefault) await lockCampaigns(tx, known.accountId)
    const before = await lockCampaign(tx, known.id)
    if (!before) throw unknown(id)
    if (editor && editor.version !== before.version) {
      throw new Refusal('CONFLICT', 'Somebody else has changed this campaign meanwhile; nothing was saved.')
    }
    if (editor && !editor.setsPrice) refusePrice(before, read)
    const after = await change(ctx, tx, { before, read })
    await updateCampaign(tx, after)
    return { ...after, version: before.version + 1 }
  })
  return { campaignId: campaign.id, status: campaign.status, version: campaign.version, ignored: read.ignored }
}

/** Finds a campaign for the operator's commands, which name it by its id alone. */
export async function knownCampaign(db: Db, id: string): Promise<CampaignRow> {
  const campaign = isId('cmp', id) ? await findCampaign(db, id) : undefined
  if (!campaign) throw unknown(id)
  return campaign
}

/** A sub-account cannot make an answer cheaper with a campaign of its own: a new one costs what its dearest one does. */
async function highestPrice(db: Db, accountId: AccountId): Promise<number> {
  const prices = (await listCampaigns(db, accountId)).map(({ settings }) => allSettings(settings).creditsPerReply)
  return prices.length > 0 ? Math.max(...prices) : allSettings({}).creditsPerReply
}

function refusePrice(before: CampaignRow, { settings: { creditsPerReply } }: ReadFile): void {
  if (creditsPerReply === undefined || creditsPerReply === allSettings(before.settings).creditsPerReply) return
  throw new Refusal('FORBIDDEN', 'Your agency says what an answer costs (creditsPerReply); nothing was changed.')
}

const unknown = (id: string) => new Refusal('NOT_FOUND', sayUnknown('campaign', 'cmp', id))

async function change(
  ctx: CampaignCtx,
  tx: Tx,
  { before, read }: { before: CampaignRow; read: ReadFile },
): Promise<CampaignRow> {
  const { name = before.name, status = before.status, isDefault = before.isDefault } = read.campaign
  const own = { name, status, isDefault, settings: { ...before.settings, ...read.settings } }
  const changed = { ...before, ...own }
  const { connection, ...chosen } = await chooseConnection(ctx, tx, { before: changed, was: before, read })
  const after = { ...changed, ...chosen, connectionId: connection?.id ?? null }
  checkWhole(after, connection)
  return after
}

function checkWhole({ settings, status, isDefault }: CampaignRow, connection: ConnectionRow | undefined): void {
  const all = allSettings(settings)
  checkSettings(all)
  if (all.engine !== 'builtin' && all.model === null && !connection?.model) {
    throw new Refusal('INVALID_REQUEST', `model is required with the engine ${all.engine}.`)
  }
  if (all.engine !== 'builtin' && connection && connection.kind !== all.engine) {
    throw new Refusal('INVALID_REQUEST', `Its connection is of the kind ${connection.kind}, not ${all.engine}.`)
  }
  if (all.engine === 'openai-compatible' && !connection) {
    throw new Refusal('INVALID_REQUEST', 'provider.baseUrl is required with the engine openai-compatible.')
  }
  if (isDefault && status === 'archived') {
    throw new Refusal('INVALID_REQUEST', 'An archived campaign cannot be the default; make another one the default.')
  }
}

async function checkAddress({ outbound }: CampaignCtx, { campaign: { provider } }: ReadFile): Promise<void> {
  const reason = provider?.baseUrl ? await whyNotCalled(outbound, provider.baseUrl) : undefined
  if (reason !== undefined) throw new Refusal('INVALID_REQUEST', `provider.baseUrl cannot be used: ${reason}`)
}
