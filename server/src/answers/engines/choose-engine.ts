import type { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { usualPromptTokens } from '@patchbay/contract/model-connections.ts'
import type { Db } from '../../platform/database/db.ts'
import { loadOnce } from '../../platform/load-once.ts'
import type { Log } from '../../platform/log.ts'
import type { Instruments } from '../../platform/metrics/instruments.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import type { CampaignRow } from '../campaigns/store.ts'
import type { Knowledge } from '../knowledge/search/retrieval.ts'
import { openProvider } from '../model-providers/provider.ts'
import { findConnection } from '../model-providers/store.ts'
import { openBuiltinEngine } from './builtin/builtin-engine.ts'
import type { Engine } from './common/engine.ts'

export type Engines = {
  /** The engine that answers for a campaign, by its current settings. */
  of: (campaign: Omit<CampaignRow, 'settings'> & { settings: CampaignSettings }) => Promise<Engine>
}

type EnginesCtx = {
  db: Db
  knowledge: Knowledge
  outbound: Outbound
  secretKey: Buffer
  log: Log
  instruments?: Pick<Instruments, 'models'>
}

export function openEngines({ db, knowledge, outbound, secretKey, log, instruments }: EnginesCtx): Engines {
  const builtin = openBuiltinEngine(knowledge)
  // Imported when the first campaign needs it: it takes half a second and 40 MB that most installations never need.
  const modelModule = loadOnce(async () => {
    const { openModelEngine, openModels } = await import('./models/model-engine.ts')
    const models = openModels()
    if (instruments) instruments.models.count = models.breakers.count
    const ctx = { retrieval: knowledge, outbound, log, models }
    return { open: (provider: Parameters<typeof openModelEngine>[1]) => openModelEngine(ctx, provider) }
  })
  return {
    of: async (campaign) => {
      const { engine: kind, model } = campaign.settings
      if (kind === 'builtin') return builtin
      // Here, where the turn still has its slot: without one, any number of turns would wait for this query.
      const { accountId, connectionId: id } = campaign
      const connection = id === null ? undefined : await findConnection(db, { accountId, id })
      return {
        isRemote: true,
        generate: async (input, signal) => {
          const { open } = await modelModule()
          const provider = connection
            ? openProvider(secretKey, connection)
            : { kind, url: null, apiKey: null, promptTokens: usualPromptTokens[kind] }
          return open({ ...provider, model: model ?? connection?.model ?? '' }).generate(input, signal)
        },
      }
    },
  }
}
