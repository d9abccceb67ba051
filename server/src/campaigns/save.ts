import type { CampaignFile } from '@patchbay/contract/campaigns.ts'
import type { Db } from '../platform/database/db.ts'
import { type AccountId, type CampaignId, isId, newId } from '../platform/ids.ts'
import type { Outbound } from '../platform/outbound/client.ts'
import { OutboundError } from '../platform/outbound/outbound-error.ts'
import { Refusal } from '../platform/refusal.ts'
import { seal, unseal } from '../platform/secrets/seal.ts'
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
  const before = { ...blank, providerUrl: null, providerKey: null, version: 1, trouble: null }
  if (!setsPrice) refusePrice(before, read)
  const campaign = change(ctx, before, read)
  await ctx.db.transaction().execute(async (tx) => {
    if (campaign.isDefault) await lockCampaigns(tx, accountId)
    await insertCampaign(tx, campaign)
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
  const known = isId('cmp', id) ? await findCampaign(ctx.db, id) : undefined
  if (!known || (editor && editor.accountId !== known.accountId)) throw unknown(id)
  const campaign = await ctx.db.transaction().execute(async (tx) => {
    if (read.campaign.isDefault) await lockCampaigns(tx, known.accountId)
    const before = await lockCampaign(tx, known.id)
    if (!before) throw unknown(id)
    if (editor && editor.version !== before.version) {
      throw new Refusal('CONFLICT', 'Somebody else has changed this campaign meanwhile; nothing was saved.')
    }
    if (editor && !editor.setsPrice) refusePrice(before, read)
    const after = change(ctx, before, read)
    await updateCampaign(tx, after)
    return { ...after, version: before.version + 1 }
  })
  return { campaignId: campaign.id, status: campaign.status, version: campaign.version, ignored: read.ignored }
}

/** For the operator's commands, which name a campaign by its id alone. */
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

const unknown = (id: string) => new Refusal('NOT_FOUND', `There is no campaign ${id}; ids begin with cmp_.`)

function change(ctx: CampaignCtx, before: CampaignRow, { campaign, settings }: ReadFile): CampaignRow {
  const { name = before.name, status = before.status, isDefault = before.isDefault, provider = {} } = campaign
  const own = { name, status, isDefault, settings: { ...before.settings, ...settings } }
  const after = { ...before, ...own, ...readProvider(ctx, before, provider) }
  checkWhole(after)
  return after
}

function checkWhole({ settings, providerUrl, status, isDefault }: CampaignRow): void {
  const all = allSettings(settings)
  checkSettings(all)
  if (all.engine === 'openai-compatible' && providerUrl === null) {
    throw new Refusal('INVALID_REQUEST', 'provider.baseUrl is required with the engine openai-compatible.')
  }
  if (isDefault && status === 'archived') {
    throw new Refusal('INVALID_REQUEST', 'An archived campaign cannot be the default; make another one the default.')
  }
}

type Provider = NonNullable<CampaignFile['provider']>
type KeptProvider = Pick<CampaignRow, 'providerUrl' | 'providerKey'>

/** A field that the file does not have stays; null deletes it. */
function readProvider({ secretKey }: CampaignCtx, before: CampaignRow, { baseUrl, apiKey }: Provider): KeptProvider {
  const providerUrl = baseUrl === undefined ? before.providerUrl : baseUrl
  // A key belongs to the URL it was given for: it is never sent to another one.
  const kept = providerUrl === before.providerUrl ? before.providerKey : null
  if (apiKey === undefined) return { providerUrl, providerKey: kept }
  return { providerUrl, providerKey: apiKey && seal(secretKey, apiKey, keyContext(before)) }
}

async function checkAddress({ outbound }: CampaignCtx, { campaign: { provider } }: ReadFile): Promise<void> {
  if (!provider?.baseUrl) return
  await outbound.check(provider.baseUrl).catch((error) => {
    if (!(error instanceof OutboundError)) throw error
    throw new Refusal('INVALID_REQUEST', `provider.baseUrl cannot be used: ${error.message}`, { cause: error })
  })
}

/** Unseals the key of the model's provider. */
export function openProviderKey(secretKey: Buffer, campaign: CampaignRow): string | null {
  return campaign.providerKey && unseal(secretKey, campaign.providerKey, keyContext(campaign))
}

const keyContext = ({ accountId, id }: Pick<CampaignRow, 'accountId' | 'id'>) => `${accountId} ${id} provider`
