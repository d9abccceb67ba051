import { findAccount } from '../src/accounts/store.ts'
import { respond } from '../src/bot/respond.ts'
import { type CampaignCtx, changeCampaign, createCampaign, knownCampaign } from '../src/campaigns/save.ts'
import { allSettings } from '../src/campaigns/settings.ts'
import { listCampaigns } from '../src/campaigns/store.ts'
import { openEngines } from '../src/engines/engines.ts'
import { embedMissing } from '../src/knowledge/embed-missing.ts'
import { type Embedder, openEmbedder } from '../src/knowledge/embedder.ts'
import { importKnowledge } from '../src/knowledge/import.ts'
import { readKnowledgeFile } from '../src/knowledge/read-knowledge-file.ts'
import { openRetrieval } from '../src/knowledge/retrieval.ts'
import { countEntries } from '../src/knowledge/store.ts'
import { listUnanswered } from '../src/knowledge/unanswered.ts'
import { type Log, openLog } from '../src/platform/log.ts'
import { openOutbound } from '../src/platform/outbound/client.ts'
import { checkSecretKey, readSecretKey } from '../src/platform/secret-key.ts'
import { type CommandCtx, command } from './command.ts'
import { readJsonFile, readTextFile } from './read-file.ts'

export const campaignCreate = command({
  summary: 'make a bot configuration from a JSON file; prints the id that callers send as campaignId',
  required: ['account', 'file'],
  run: (ctx, { account, file }) =>
    withCampaigns(ctx, async (campaigns) => {
      const given = await readJsonFile(file)
      return createCampaign(campaigns, (await findAccount(campaigns.db, account)).id, given)
    }),
})

export const campaignUpdate = command({
  summary: 'change what the file names in a bot configuration, and nothing else',
  required: ['id', 'file'],
  run: (ctx, { id, file }) =>
    withCampaigns(ctx, async (campaigns) => changeCampaign(campaigns, id, await readJsonFile(file))),
})

export const campaignShow = command({
  summary: "an account's bot configurations; with --campaign one, all its settings, and what it could not answer",
  required: ['account'],
  optional: ['campaign'],
  run: ({ withDatabase }, { account, campaign }) =>
    withDatabase(async (db) => {
      const { id: accountId } = await findAccount(db, account)
      const campaigns = await Promise.all(
        (await listCampaigns(db, accountId)).map(async ({ id, settings, providerKey, ...row }) => {
          const { accountId: _, providerUrl, ...own } = row
          const provider = { baseUrl: providerUrl, hasKey: providerKey !== null }
          const entries = await countEntries(db, { accountId, campaignId: id })
          return { campaignId: id, ...own, entries, engine: allSettings(settings).engine, provider, settings }
        }),
      )
      if (campaign === undefined) return { campaigns }
      const { id, settings } = await knownCampaign(db, campaign)
      const shown = campaigns.find(({ campaignId }) => campaignId === id)
      const unanswered = await listUnanswered(db, { accountId, campaignId: id })
      return shown && { ...shown, settings: allSettings(settings), unanswered }
    }),
})

export const knowledgeImport = command({
  summary: 'add questions and answers from CSV or JSON; returns when they are ready to answer',
  required: ['campaign', 'file'],
  run: (ctx, { campaign, file }) =>
    ctx.withDatabase((db) =>
      withEmbedder(async (embedder) => {
        const entries = readKnowledgeFile(await readTextFile(file))
        const { accountId, id: campaignId } = await knownCampaign(db, campaign)
        const imported = await importKnowledge(db, { accountId, campaignId }, entries)
        await embedMissing(db, embedder)
        return { campaignId, ...imported }
      }),
    ),
})

export const botAsk = command({
  summary: 'what a campaign would say to a question: the decision, the scores and the text; nothing is kept',
  required: ['campaign'],
  words: 'question',
  run: (ctx, { campaign: id }, question) =>
    withCampaigns(ctx, ({ db, secretKey, outbound }) =>
      withEmbedder(async (embedder, log) => {
        const row = await knownCampaign(db, id)
        const campaign = { ...row, settings: allSettings(row.settings) }
        const knowledge = openRetrieval(db, embedder)
        const engine = openEngines({ knowledge, outbound, secretKey, log }).of(campaign)
        const { settings, accountId } = campaign
        const ref = { accountId, campaignId: campaign.id }
        const input = { campaign: ref, settings, firstName: null, text: question, history: [], offered: [] }
        const { answer, handler } = await respond(
          engine,
          input,
          AbortSignal.timeout(settings.replyTimeoutSeconds * 1_000),
        )
        const { entries: scores } = await knowledge.rank(ref, question, settings.language)
        const { kind: decision, offered: _, ...said } = answer
        return { decision, ...said, handler: handler?.handler ?? 'bot', scores }
      }),
    ),
})

async function withEmbedder<Value>(work: (embedder: Embedder, log: Log) => Promise<Value>): Promise<Value> {
  const { log, flush } = openLog('warn')
  const embedder = openEmbedder(log)
  try {
    return await work(embedder, log)
  } finally {
    await embedder.close()
    flush()
  }
}

async function withCampaigns<Value>(
  { config, withDatabase }: CommandCtx,
  work: (ctx: CampaignCtx) => Promise<Value>,
): Promise<Value> {
  const secretKey = await readSecretKey(config)
  const outbound = openOutbound({ allowed: config.outboundAllowed })
  return withDatabase(async (db) => {
    await db.transaction().execute((tx) => checkSecretKey(tx, secretKey))
    return work({ db, secretKey, outbound })
  }).finally(outbound.close)
}
