import { changeCampaign, createCampaign, knownCampaign } from '../src/answers/campaigns/save.ts'
import { allSettings } from '../src/answers/campaigns/settings.ts'
import { type CampaignRow, listCampaigns } from '../src/answers/campaigns/store.ts'
import { openEngines } from '../src/answers/engines/choose-engine.ts'
import { EngineBusy, EngineError } from '../src/answers/engines/common/engine.ts'
import { importKnowledge } from '../src/answers/knowledge/entries/import.ts'
import { readKnowledgeFile } from '../src/answers/knowledge/entries/read-knowledge-file.ts'
import { countEntries } from '../src/answers/knowledge/entries/store.ts'
import { awaitEmbedding } from '../src/answers/knowledge/search/await-embedding.ts'
import { embedMissing } from '../src/answers/knowledge/search/embed-missing.ts'
import { type Embedder, openEmbedder } from '../src/answers/knowledge/search/embedder.ts'
import { openRetrieval } from '../src/answers/knowledge/search/retrieval.ts'
import { listUnanswered } from '../src/answers/knowledge/unanswered/unanswered.ts'
import { findConnection } from '../src/answers/model-providers/store.ts'
import { findAccount } from '../src/business/accounts/store.ts'
import { askBot } from '../src/journey/bot/test-chat/ask.ts'
import type { Db } from '../src/platform/database/db.ts'
import type { Log } from '../src/platform/log.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { Refusal } from '../src/platform/refusal.ts'
import type { Run } from './declarations.ts'
import type { CommandCtx } from './shared/command.ts'
import { fileLimits, readJsonFile, readTextFile } from './shared/read-file.ts'
import { withSecrets } from './shared/with-secrets.ts'

export const campaignCreate: Run<'campaign create'> = (ctx, { account, file }) =>
  withSecrets(ctx, async (campaigns) => {
    const given = await readJsonFile(file, fileLimits.campaignBytes)
    return createCampaign(campaigns, (await findAccount(campaigns.db, account)).id, given)
  })

export const campaignUpdate: Run<'campaign update'> = (ctx, { id, file }) =>
  withSecrets(ctx, async (campaigns) =>
    changeCampaign(campaigns, id, await readJsonFile(file, fileLimits.campaignBytes)),
  )

export const campaignShow: Run<'campaign show'> = ({ withDatabase }, { account, campaign }) =>
  withDatabase(async (db) => {
    const { id: accountId } = await findAccount(db, account)
    const rows = await listCampaigns(db, accountId)
    if (campaign === undefined) return { campaigns: await Promise.all(rows.map((row) => summarize(db, row))) }
    const row = rows.find(({ id }) => id === campaign)
    if (!row) throw new Refusal('NOT_FOUND', `This account has no campaign ${campaign}.`)
    const { connectionId: id } = row
    const connection = id === null ? undefined : await findConnection(db, { accountId, id })
    const provider = { baseUrl: connection?.url ?? null, hasKey: Boolean(connection?.key) }
    const unanswered = await listUnanswered(db, { accountId, campaignId: row.id })
    return {
      ...(await summarize(db, row)),
      connectionId: id,
      provider,
      settings: allSettings(row.settings),
      unanswered,
    }
  })

async function summarize(db: Db, { accountId, id, name, status, isDefault, version, trouble, settings }: CampaignRow) {
  const entries = await countEntries(db, { accountId, campaignId: id })
  const { engine } = allSettings(settings)
  return { campaignId: id, name, status, isDefault, engine, entries, version, trouble }
}

export const knowledgeImport: Run<'knowledge import'> = (ctx, { campaign, file }) =>
  ctx.withDatabase((db) =>
    withEmbedder(ctx, async (embedder) => {
      const entries = readKnowledgeFile(await readTextFile(file, fileLimits.knowledgeBytes))
      const { accountId, id: campaignId } = await knownCampaign(db, campaign)
      const imported = await importKnowledge(db, { accountId, campaignId }, entries)
      const onWait = (texts: number) =>
        ctx.noteOnTerminal(`Waiting for the running server, which embeds the texts: ${texts} are left.`)
      const waiting = { modelId: embedder.modelId, onWait }
      if (!(await awaitEmbedding(db, { accountId, campaignId }, waiting))) await embedMissing(db, embedder)
      return { campaignId, ...imported }
    }),
  )

export const botAsk: Run<'bot ask'> = (ctx, { campaign: id }, question) =>
  withSecrets(ctx, ({ db, secretKey, outbound }) =>
    withEmbedder(ctx, async (embedder, log) => {
      const row = await knownCampaign(db, id)
      const campaign = { ...row, settings: allSettings(row.settings) }
      const knowledge = openRetrieval(db, embedder)
      const engine = await openEngines({ db, knowledge, outbound, secretKey, log }).of(campaign)
      const { answer, handler, scores } = await askBot({ engine, knowledge }, campaign, { question }).catch((error) => {
        if (error instanceof EngineError || error instanceof EngineBusy) throw new OperatorError(error.message)
        throw error
      })
      const { kind: decision, text, reason, engine: name, model, usage } = answer
      const shown = scores.map(({ score, ...entry }) => ({ score: Number(score.toFixed(3)), ...entry }))
      return { decision, text, reason, engine: name, model, usage, handler, scores: shown }
    }),
  )

async function withEmbedder<Value>(
  { openLog }: CommandCtx,
  work: (embedder: Embedder, log: Log) => Promise<Value>,
): Promise<Value> {
  const { log, flush } = await openLog('warn')
  const embedder = openEmbedder(log)
  try {
    return await work(embedder, log)
  } finally {
    await embedder.close()
    flush()
  }
}
