import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findConnection } from '../../../src/answers/model-providers/store.ts'
import type { ConnectionId } from '../../../src/platform/ids.ts'
import { editCampaign, makeCampaign } from '../../helpers/bots.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { fail, startModelServer } from '../../helpers/model-server.ts'
import { addMember, signIn } from '../../helpers/sessions.ts'

const key = 'sk-canary-0123456789'

async function openShop(app: TestApp) {
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  const make = (fields: object) =>
    browser.call('POST', '/api/connections', { name: 'Local', kind: 'openai-compatible', model: 'm', ...fields })
  const list = async () => (await browser.call('GET', '/api/connections')).body.connections
  const acts = async () => {
    const { body } = await browser.call('GET', '/api/audit')
    return body.events.map(({ act, details }: { act: string; details: object }) => [act, details])
  }
  return { shop, browser, make, list, acts }
}

test('a try calls the model once, with the key and the model of the connection, and says how it went', async () => {
  let reply: Parameters<typeof startModelServer>[0] = () => 'OK'
  await using server = await startModelServer((asked) => reply(asked))
  await using app = await sharedApp()
  const { browser, make } = await openShop(app)
  const { body: made } = await make({ baseUrl: `http://127.0.0.1:${server.port}/v1`, apiKey: key })
  assert.deepEqual([made.hasKey, made.lastTry, made.usedBy, made.version], [true, null, [], 1])
  const path = `/api/connections/${made.id}`
  const tried = await browser.call('POST', `${path}/try`)
  assert.deepEqual([tried.status, tried.body.lastTry.outcome], [200, 'answered'])
  assert.deepEqual(
    server.asked.map((asked) => [asked.key, asked.model]),
    [[key, 'm']],
  )
  reply = () => fail(401, {}, { message: `Incorrect API key: ${key}`, code: 'invalid_api_key' })
  const refused = await browser.call('POST', `${path}/try`)
  assert.deepEqual(
    [refused.body.lastTry.outcome, refused.body.lastTry.sentence],
    ['failed', 'The provider does not accept the key (401, invalid_api_key).'],
  )
  const changed = await browser.call('PATCH', path, { version: 1, model: 'other' })
  assert.deepEqual([changed.body.model, changed.body.lastTry, changed.body.version], ['other', null, 2])
  const answers = JSON.stringify([made, tried.body, refused.body, changed.body])
  assert.ok(!answers.includes(key))
  assert.ok(!app.log.join('').includes(key))
})

test('how much a model is given is as usual for its kind until somebody says otherwise, within limits', async () => {
  await using app = await sharedApp()
  const { browser, make, list } = await openShop(app)
  const shown = async (fields: object) => (await make({ apiKey: key, ...fields })).body.promptTokens
  assert.equal(await shown({ baseUrl: 'https://93.184.216.34/v1' }), 3_000)
  assert.deepEqual([await shown({ kind: 'openai' }), await shown({ kind: 'anthropic' })], [16_000, 16_000])
  const { body: made } = await make({ kind: 'openai', apiKey: key, promptTokens: 8_000 })
  const change = (fields: object) => browser.call('PATCH', `/api/connections/${made.id}`, fields)
  assert.equal(made.promptTokens, 8_000)
  assert.equal((await change({ version: 1, name: 'Renamed' })).body.promptTokens, 8_000)
  assert.equal((await change({ version: 2, promptTokens: null })).body.promptTokens, 16_000)
  const before = await list()
  for (const promptTokens of [1_499, 64_001, 2_000.5, '3000']) {
    const { status, body } = await change({ version: 3, promptTokens })
    assert.deepEqual([status, body.error.code], [400, 'INVALID_REQUEST'])
    assert.match(body.error.message, /promptTokens/)
    assert.equal((await make({ kind: 'openai', apiKey: key, promptTokens })).status, 400)
  }
  assert.deepEqual(await list(), before)
})

test('a key is sealed, and never kept for another address than the one it was given for', async () => {
  await using first = await startModelServer(() => 'OK')
  await using second = await startModelServer(() => 'OK')
  await using app = await sharedApp()
  const { shop, browser, make, acts } = await openShop(app)
  const { body: made } = await make({ baseUrl: `http://127.0.0.1:${first.port}/v1`, apiKey: key })
  const path = `/api/connections/${made.id}`
  const row = await findConnection(app.db, { accountId: shop.accountId, id: made.id as ConnectionId })
  assert.ok(row?.key && !row.key.includes(key))
  const renamed = await browser.call('PATCH', path, { version: 1, name: 'Renamed' })
  assert.deepEqual([renamed.body.name, renamed.body.hasKey], ['Renamed', true])
  const moved = await browser.call('PATCH', path, { version: 2, baseUrl: `http://127.0.0.1:${second.port}/v1` })
  assert.equal(moved.body.hasKey, false)
  await browser.call('POST', `${path}/try`)
  assert.deepEqual([first.asked.length, second.asked.map((asked) => asked.key)], [0, ['']])
  const late = await browser.call('PATCH', path, { version: 1, apiKey: key })
  assert.deepEqual([late.status, late.body.error.code], [409, 'CONFLICT'])
  assert.equal((await browser.call('DELETE', path)).status, 200)
  assert.deepEqual((await acts()).slice(0, 4), [
    ['connection removed', { name: 'Renamed' }],
    ['connection changed', { name: 'Renamed' }],
    ['connection changed', { name: 'Renamed' }],
    ['connection made', { name: 'Local' }],
  ])
})

test('a private address is refused, with the setting that would allow it, and nothing is saved', async () => {
  await using app = await sharedApp()
  const { make, list } = await openShop(app)
  const refusals = {
    'http://10.1.4.20:11434/v1':
      '10.1.4.20 is a private address, so it was not called. Whoever runs this server can allow it: OUTBOUND_ALLOWED_NETWORKS=10.1.4.0/24:11434',
    'https://[fd00::7]/v1':
      'fd00::7 is a private address, so it was not called. Whoever runs this server can allow it: OUTBOUND_ALLOWED_NETWORKS=[fd00::7/128]:443',
    'http://169.254.169.254/v1': '169.254.169.254 is a private address, so it was not called.',
    'ftp://models.example': 'The address must begin with https://.',
  }
  for (const [baseUrl, sentence] of Object.entries(refusals)) {
    const { status, body } = await make({ baseUrl })
    assert.deepEqual([status, body.error], [400, { code: 'INVALID_REQUEST', message: sentence }])
  }
  assert.match((await make({})).body.error.message, /^baseUrl is required/)
  assert.match((await make({ kind: 'anthropic' })).body.error.message, /^apiKey is required/)
  assert.equal((await make({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: ' ' })).status, 400)
  assert.deepEqual(await list(), [])
})

test('a campaign chooses a connection, which then cannot be deleted; members see it and cannot change it', async () => {
  await using app = await sharedApp()
  const { shop, browser, make } = await openShop(app)
  const { body: made } = await make({ baseUrl: 'http://127.0.0.1:9/v1', apiKey: key })
  const { campaignId } = await makeCampaign(app, shop, { name: 'Sales' })
  const member = await signIn(app, { ...shop, userId: await addMember(app, shop.accountId, 'mia@example.com') })
  const choose = (fields: object, version: number) =>
    member.call('PATCH', `/api/campaigns/${campaignId}`, { version, ...fields })
  const chosen = await choose({ connectionId: made.id }, 1)
  assert.deepEqual(
    [chosen.status, chosen.body.connection, chosen.body.engine, chosen.body.settings.model],
    [200, { id: made.id, name: 'Local', kind: 'openai-compatible', model: 'm' }, 'openai-compatible', null],
  )
  const seen = (await member.call('GET', '/api/connections')).body.connections
  assert.deepEqual(seen[0].usedBy, [{ id: campaignId, name: 'Sales', model: null }])
  assert.equal((await member.call('DELETE', `/api/connections/${made.id}`)).status, 403)
  const kept = await browser.call('DELETE', `/api/connections/${made.id}`)
  assert.deepEqual(
    [kept.status, kept.body.error.message],
    [409, 'It is used by Sales; choose another connection there first.'],
  )
  const other = await choose({ settings: { engine: 'anthropic' } }, 2)
  assert.match(other.body.error.message, /^Its connection is of the kind openai-compatible/)
  const smuggled = await choose({ provider: { baseUrl: 'http://127.0.0.1:8/v1' } }, 2)
  assert.deepEqual(smuggled.body.connection, chosen.body.connection)
  const none = await choose({ connectionId: null }, smuggled.body.version)
  assert.deepEqual([none.body.connection, none.body.engine], [null, 'builtin'])
  assert.equal((await browser.call('DELETE', `/api/connections/${made.id}`)).status, 200)
})

test("a campaign file's provider changes the campaign's own connection, and never one that others use", async () => {
  await using app = await sharedApp()
  const { shop, browser, list } = await openShop(app)
  const provider = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: key }
  const file = { engine: 'openai-compatible' as const, model: 'm', provider }
  const { campaignId } = await makeCampaign(app, shop, { name: 'Sales', ...file })
  const [own] = await list()
  assert.deepEqual([own.name, own.model, own.hasKey, own.usedBy.length], ['Sales', 'm', true, 1])
  await editCampaign(app, campaignId, { provider: { baseUrl: 'http://127.0.0.1:8/v1' } })
  const [moved] = await list()
  assert.deepEqual([moved.id, moved.baseUrl, moved.hasKey], [own.id, 'http://127.0.0.1:8/v1', false])

  const second = await makeCampaign(app, shop, { name: 'Second' })
  await browser.call('PATCH', `/api/campaigns/${second.campaignId}`, { version: 1, connectionId: own.id })
  await editCampaign(app, campaignId, { provider: { apiKey: 'sk-other' } })
  const both = await list()
  assert.deepEqual(
    both.map((row: { name: string; hasKey: boolean; usedBy: { name: string }[] }) => [row.usedBy[0]?.name, row.hasKey]),
    [
      ['Second', false],
      ['Sales', true],
    ],
  )
  await editCampaign(app, campaignId, { engine: 'builtin', provider: { baseUrl: null, apiKey: null } })
  assert.deepEqual((await list())[1].usedBy, [])
})
