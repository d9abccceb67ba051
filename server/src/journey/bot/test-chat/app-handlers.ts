import type { CampaignCtx } from '../../../answers/campaigns/save.ts'
import { requireCampaign } from '../../../answers/campaigns/settings.ts'
import { openEngines } from '../../../answers/engines/choose-engine.ts'
import type { Embedder } from '../../../answers/knowledge/search/embedder.ts'
import { openRetrieval } from '../../../answers/knowledge/search/retrieval.ts'
import type { Handlers } from '../../../business/sessions/handlers.ts'
import type { Log } from '../../../platform/log.ts'
import { openTestChat } from './test-chat.ts'

type Ctx = CampaignCtx & Readonly<{ embedder: Embedder; log: Log }>
type Routes = Extract<keyof Handlers, `${string} /api/campaigns/:campaignId/${'near' | 'ask' | 'retry'}`>

/** The test chat of a campaign, and its questions that nobody could answer, asked once more. */
export function testChatHandlers(ctx: Ctx): Pick<Handlers, Routes> {
  const { db, embedder } = ctx
  const knowledge = openRetrieval(db, embedder)
  const chat = openTestChat({ db, embedder, knowledge, engines: openEngines({ ...ctx, knowledge }) })
  return {
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
