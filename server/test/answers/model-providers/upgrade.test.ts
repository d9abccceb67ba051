import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { pino } from 'pino'
import { allSettings } from '../../../src/answers/campaigns/settings.ts'
import { findCampaignOf } from '../../../src/answers/campaigns/store.ts'
import { openEngines } from '../../../src/answers/engines/choose-engine.ts'
import { showConnections } from '../../../src/answers/model-providers/save.ts'
import { openDb, openDbForLongStatements } from '../../../src/platform/database/db.ts'
import { migrate, underMigrationLock } from '../../../src/platform/database-setup/migrate.ts'
import { type CampaignId, newId } from '../../../src/platform/ids.ts'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import { openOutbound } from '../../../src/platform/outbound/client.ts'
import { seal } from '../../../src/platform/secrets/seal.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { secretKey } from '../../helpers/harness.ts'
import { startModelServer } from '../../helpers/model-server.ts'
import { turnOf } from '../../helpers/model-world.ts'
import { makeOldSchema } from '../../helpers/old-schema.ts'

const log = pino({ enabled: false })
const accountId = newId('acc')
const neighbour = newId('acc')
const ids = { live: newId('cmp'), builtin: newId('cmp'), vendor: newId('cmp'), none: newId('cmp'), other: newId('cmp') }

/** Campaigns as the version before had them, with keys sealed for the campaign. */
function campaigns(url: string) {
  const model = { engine: 'openai-compatible', model: 'llama', strict: false, fallbackText: 'Later.' }
  const sealed = (id: CampaignId, key: string, account = accountId) => seal(secretKey, key, `${account} ${id} provider`)
  return [
    { accountId, id: ids.live, name: 'Sales', settings: model, url, key: sealed(ids.live, 'sk-live') },
    { accountId, id: ids.builtin, name: 'Quiet', settings: {}, url, key: sealed(ids.builtin, 'sk-quiet') },
    {
      accountId,
      id: ids.vendor,
      name: 'Claude',
      settings: { engine: 'anthropic', model: 'claude-9' },
      url: null,
      key: sealed(ids.vendor, 'sk-ant'),
    },
    { accountId, id: ids.none, name: 'Default', settings: { greetingText: 'Hello' }, url: null, key: null },
    {
      accountId: neighbour,
      id: ids.other,
      name: 'Sales',
      settings: model,
      url,
      key: sealed(ids.other, 'sk-other', neighbour),
    },
  ]
}

async function fill(client: Client, url: string): Promise<void> {
  await client.query(`insert into accounts (id, kind) select unnest($1::text[]), 'standard'`, [[accountId, neighbour]])
  for (const { settings, ...row } of campaigns(url)) {
    await client.query(
      `insert into campaigns (account_id, id, name, status, is_default, settings, provider_url, provider_key)
        values ($1, $2, $3, 'live', false, $4, $5, $6)`,
      [row.accountId, row.id, row.name, JSON.stringify(settings), row.url, row.key],
    )
  }
}

test('campaigns with providers of the version before get connections with their address, model and key, and still answer', async () => {
  await using server = await startModelServer(() => 'It is red.')
  const url = `http://127.0.0.1:${server.port}/v1`
  await using database = await makeDatabase({ empty: true })
  await makeOldSchema(database.address, 30)
  const client = new Client(database.address)
  await client.connect()
  await fill(client, url)
  await client.end()
  const migrating = openDbForLongStatements(database.address, log)
  await underMigrationLock(migrating, migrate)
  await migrating.destroy()

  const db = openDb(database.address, log)
  const shown = (await showConnections(db, accountId)).map(({ kind, baseUrl, hasKey, model, usedBy: [use] }) => {
    return [use?.id, kind, baseUrl, hasKey, model]
  })
  assert.deepEqual(
    new Set(shown),
    new Set([
      [ids.live, 'openai-compatible', url, true, 'llama'],
      [ids.builtin, 'openai-compatible', url, true, null],
      [ids.vendor, 'anthropic', null, true, 'claude-9'],
    ]),
  )
  const outbound = openOutbound({ allowed: readAllowedNetworks('127.0.0.1', false) })
  const knowledge = { rank: async () => ({ entries: [] }) } as never // no entry is near
  const engines = openEngines({ db, knowledge, outbound, secretKey, log })
  for (const [account, id] of [[accountId, ids.live] as const, [neighbour, ids.other] as const]) {
    const row = await findCampaignOf(db, account, id)
    assert.ok(row)
    const campaign = { ...row, settings: allSettings(row.settings) }
    const input = {
      ...turnOf('Is it red?'),
      campaign: { accountId: account, campaignId: id },
      settings: campaign.settings,
    }
    const { text } = await (await engines.of(campaign)).generate(input, new AbortController().signal)
    assert.equal(text, 'It is red.')
  }
  assert.deepEqual(
    server.asked.map(({ key, model }) => [key, model]),
    [
      ['sk-live', 'llama'],
      ['sk-other', 'llama'],
    ],
  )
  await outbound.close()
  await db.destroy()
})
