/** Campaigns in the app: their settings, what they know, what they could not answer, and the test chat. */
import type { Handlers } from '../app-api/handlers.ts'
import type { CampaignCtx } from '../campaigns/save.ts'
import { openEngines } from '../engines/choose-engine.ts'
import type { Embedder } from '../knowledge/search/embedder.ts'
import { openRetrieval } from '../knowledge/search/retrieval.ts'
import type { Log } from '../platform/log.ts'
import { campaignHandlers, requireCampaign } from './campaign-handlers.ts'
import { connectionHandlers } from './connection-handlers.ts'
import { knowledgeHandlers } from './knowledge-handlers.ts'
import { openTestChat } from './test-chat.ts'

type Ctx = CampaignCtx & Readonly<{ embedder: Embedder; log: Log }>
type Routes = Extract<keyof Handlers, `${string} /api/${'campaigns' | 'connections'}${string}`>

export function teachingHandlers(ctx: Ctx): Pick<Handlers, Routes> {
  const { db, embedder } = ctx
  const knowledge = openRetrieval(db, embedder)
  const chat = openTestChat({ db, embedder, knowledge, engines: openEngines({ ...ctx, knowledge }) })
  return {
    ...campaignHandlers(ctx),
    ...knowledgeHandlers(db),
    ...connectionHandlers(ctx),
    'GET /api/campaigns/:campaignId/near': async ({ session, params, query }) =>
      chat.near(await requireCampaign(db, session.accountId, params.campaignId), query),
    'POST /api/campaigns/:campaignId/ask': async ({ session, params, body }) =>
      chat.ask(await requireCampaign(db, session.accountId, params.campaignId), {
        ...body,
        isMetered: session.kind === 'subaccount',
      }),
    'POST /api/campaigns/:campaignId/retry': async ({ session, params, body }) =>
      chat.retry(await requireCampaign(db, session.accountId, params.campaignId), body.questions),
  }
}
