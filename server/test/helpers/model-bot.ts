import { defaultCampaign, editCampaign } from './bots.ts'
import { startDelivering } from './deliveries.ts'
import { type Asked, type Reply, startModelServer } from './model-server.ts'

/** A server whose only account uses a language model, and the server of that model. */
export async function startModelBot(say: (asked: Asked) => Reply, settings = {}) {
  const started = new AsyncDisposableStack()
  const server = started.use(await startModelServer(say))
  const app = started.use(await startDelivering())
  const account = await app.makeAccount()
  const model = {
    engine: 'openai-compatible' as const,
    model: 'm',
    provider: { baseUrl: `http://127.0.0.1:${server.port}/v1`, apiKey: 'sk-canary' },
  }
  const campaignId = await defaultCampaign(app, account)
  await editCampaign(app, campaignId, { ...model, strict: false, handoverText: 'A person comes.', ...settings })
  const trouble = async () => {
    const row = await app.db
      .selectFrom('campaigns')
      .select('trouble')
      .where('id', '=', campaignId as never)
      .executeTakeFirst()
    return row?.trouble
  }
  return { server, app, account, campaignId, trouble, [Symbol.asyncDispose]: () => started.disposeAsync() }
}
