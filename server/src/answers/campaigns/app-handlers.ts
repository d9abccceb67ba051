import type { CampaignChange, CampaignSummary, ShownCampaign } from '@patchbay/contract/app/campaigns.ts'
import type { CampaignFile } from '@patchbay/contract/campaigns.ts'
import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Session } from '../../business/sessions/session-store.ts'
import { listChannelsToChoose } from '../../people/contacts/channel-store.ts'
import type { Db } from '../../platform/database/db.ts'
import { findConnection } from '../model-providers/store.ts'
import { type CampaignCtx, changeCampaign, createCampaign } from './save.ts'
import { allSettings, requireCampaign } from './settings.ts'
import { type CampaignRow, countKnowledge, listCampaigns } from './store.ts'

type Routes = Extract<keyof Handlers, `${string} /api/campaigns` | `${string} /api/campaigns/:campaignId`>

export function campaignHandlers(ctx: CampaignCtx): Pick<Handlers, Routes> {
  const { db } = ctx
  return {
    'GET /api/campaigns': async ({ session: { accountId } }) => {
      const rows = await listCampaigns(db, accountId)
      const counts = await countKnowledge(db, accountId)
      return { campaigns: rows.map((row) => summarize(row, counts(row.id))) }
    },
    'POST /api/campaigns': async ({ session, body }) => {
      const file = fileOf(body)
      const { campaignId } = await createCampaign(ctx, session.accountId, file, { setsPrice: setsPrice(session) })
      return show(db, session, campaignId)
    },
    'GET /api/campaigns/:campaignId': ({ session, params }) => show(db, session, params.campaignId),
    'PATCH /api/campaigns/:campaignId': async ({ session, params: { campaignId }, body }) => {
      const editor = { accountId: session.accountId, version: body.version, setsPrice: setsPrice(session) }
      await changeCampaign(ctx, campaignId, fileOf(body), editor)
      return show(db, session, campaignId)
    },
  }
}

/** Names each field: a `provider`, with which an operator's file makes a connection, cannot be given in the app. */
function fileOf({ name, status, isDefault, connectionId, settings }: Partial<CampaignChange>): CampaignFile {
  const own = { name, status, isDefault, connectionId }
  return { ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)), ...settings }
}

/** A sub-account pays for its answers, so its agency says what they cost. */
const setsPrice = ({ kind, isVisiting }: Session) => kind !== 'subaccount' || isVisiting

async function show(db: Db, session: Session, campaignId: string): Promise<ShownCampaign> {
  const row = await requireCampaign(db, session.accountId, campaignId)
  const counts = await countKnowledge(db, session.accountId)
  return {
    ...summarize(row, counts(row.id)),
    version: row.version,
    settings: allSettings(row.settings),
    connection: await showUsed(db, row),
    price: session.kind !== 'subaccount' ? 'none' : setsPrice(session) ? 'own' : 'agency',
    channels: await listChannelsToChoose(db, session.accountId, allSettings(row.settings).channels ?? []),
  }
}

async function showUsed(db: Db, { accountId, connectionId }: CampaignRow): Promise<ShownCampaign['connection']> {
  const found = connectionId && (await findConnection(db, { accountId, id: connectionId }))
  return found ? { id: found.id, name: found.name, kind: found.kind, model: found.model } : null
}

function summarize(
  { id, name, status, isDefault, settings, trouble }: CampaignRow,
  counts: { entries: number; unanswered: number },
): CampaignSummary {
  return { id, name, status, isDefault, engine: allSettings(settings).engine, trouble, ...counts }
}
