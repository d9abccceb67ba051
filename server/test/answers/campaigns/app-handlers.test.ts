import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editCampaign } from '../../helpers/bots.ts'
import { makeSubaccount } from '../../helpers/credits.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { addMember, type SignedIn, signIn } from '../../helpers/sessions.ts'

async function openBrowser(app: TestApp) {
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  const { body } = await browser.call('GET', '/api/campaigns')
  return { shop, browser, first: body.campaigns[0] }
}

test('a member creates a campaign, makes it live and the default, pauses and archives it; the ID stays', async () => {
  await using app = await sharedApp()
  const { shop, first } = await openBrowser(app)
  const userId = await addMember(app, shop.accountId, 'mia@example.com')
  const member = await signIn(app, { ...shop, userId })
  assert.deepEqual([first.status, first.isDefault, first.engine, first.entries], ['live', true, 'builtin', 0])
  const { status, body: made } = await member.call('POST', '/api/campaigns', {
    name: 'Workshop',
    settings: { keywords: [{ text: 'repair', match: 'word' }], greetingText: 'Hello!' },
  })
  assert.equal(status, 200)
  assert.deepEqual(
    [made.status, made.version, made.settings.greetingText, made.settings.answerThreshold],
    [...['draft', 1, 'Hello!', 0.5]],
  )
  const change = async (fields: object) => {
    const { body } = await member.call('GET', `/api/campaigns/${made.id}`)
    return member.call('PATCH', `/api/campaigns/${made.id}`, { version: body.version, ...fields })
  }
  assert.equal((await change({ status: 'live' })).body.status, 'live')
  assert.equal((await change({ isDefault: true })).body.isDefault, true)
  const { campaigns } = (await member.call('GET', '/api/campaigns')).body
  assert.deepEqual(
    campaigns.map(({ name, isDefault }: { name: string; isDefault: boolean }) => [name, isDefault]),
    [
      ['Default', false],
      ['Workshop', true],
    ],
  )
  const archived = await change({ status: 'archived' })
  assert.deepEqual([archived.status, archived.body.error.code], [400, 'INVALID_REQUEST'])
  assert.equal((await change({ status: 'paused', name: 'Garage' })).body.name, 'Garage')
  const other = await member.call('PATCH', `/api/campaigns/${first.id}`, { version: 1, isDefault: true })
  assert.equal(other.status, 200)
  assert.equal((await change({ status: 'archived' })).body.status, 'archived')
})

test('of two people who change the settings, the second is told and overwrites nothing', async () => {
  await using app = await sharedApp()
  const { browser, first } = await openBrowser(app)
  const path = `/api/campaigns/${first.id}`
  const { version } = (await browser.call('GET', path)).body
  const one = await browser.call('PATCH', path, { version, settings: { fallbackText: 'One' } })
  assert.deepEqual([one.status, one.body.version], [200, version + 1])
  const two = await browser.call('PATCH', path, { version, settings: { fallbackText: 'Two' } })
  assert.deepEqual([two.status, two.body.error.code], [409, 'CONFLICT'])
  assert.match(two.body.error.message, /Somebody else/)
  assert.equal((await browser.call('GET', path)).body.settings.fallbackText, 'One')
  const answers = await Promise.all(
    ['Three', 'Four'].map((fallbackText) =>
      browser.call('PATCH', path, { version: version + 1, settings: { fallbackText } }),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
})

test('two campaigns that become the default at once leave one default, and neither request fails', async () => {
  await using app = await sharedApp()
  const { browser } = await openBrowser(app)
  const made = await Promise.all(['A', 'B'].map((name) => browser.call('POST', '/api/campaigns', { name })))
  const answers = await Promise.all(
    made.map(({ body }) => browser.call('PATCH', `/api/campaigns/${body.id}`, { version: 1, isDefault: true })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  const { campaigns } = (await browser.call('GET', '/api/campaigns')).body
  assert.equal(campaigns.filter(({ isDefault }: { isDefault: boolean }) => isDefault).length, 1)
})

test('wrong settings are refused with the name of the field and change nothing', async () => {
  await using app = await sharedApp()
  const { browser, first } = await openBrowser(app)
  const path = `/api/campaigns/${first.id}`
  const before = (await browser.call('GET', path)).body
  const wrong: [object, RegExp][] = [
    [{ settings: { answerThreshold: 2 } }, /answerThreshold/],
    [{ settings: { offerThreshold: 0.9 } }, /offerThreshold/],
    [{ settings: { keywords: [{ text: '', match: 'word' }] } }, /keywords/],
    [{ settings: { engine: 'openai' } }, /model/],
    [{ settings: { quietSeconds: 1.5 } }, /quietSeconds/],
    [{ name: ' ' }, /name/],
    [{ status: 'gone' }, /status/],
  ]
  for (const [fields, named] of wrong) {
    const { status, body } = await browser.call('PATCH', path, { version: before.version, ...fields })
    assert.equal(status, 400, JSON.stringify(fields))
    assert.match(body.error.message, named)
  }
  assert.deepEqual((await browser.call('GET', path)).body, before)
})

async function openSubaccount(app: TestApp) {
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, agency.accountId)
  const [own, visiting] = [await signIn(app, sub), await signIn(app, agency)]
  await visiting.call('POST', '/api/session/visit', { accountId: sub.accountId })
  const { id } = (await own.call('GET', '/api/campaigns')).body.campaigns[0]
  const show = async (browser: SignedIn, path = `/api/campaigns/${id}`) => (await browser.call('GET', path)).body
  return { own, visiting, id, show }
}

test('what an answer costs a sub-account is said by its agency, and by the operator; its own change is refused', async () => {
  await using app = await sharedApp()
  const { own, visiting, id, show } = await openSubaccount(app)
  const path = `/api/campaigns/${id}`
  const seen = await show(own)
  assert.deepEqual([seen.price, (await show(visiting)).price], ['agency', 'own'])
  for (const creditsPerReply of [0, 0.5, 5]) {
    const body = { version: seen.version, name: 'Free', settings: { creditsPerReply } }
    const refused = await own.call('PATCH', path, body)
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN'])
    assert.match(refused.body.error.message, /agency/)
  }
  assert.deepEqual(await show(own), seen)
  const created = await own.call('POST', '/api/campaigns', { name: 'Free', settings: { creditsPerReply: 0 } })
  assert.equal(created.status, 403)
  assert.equal((await own.call('GET', '/api/campaigns')).body.campaigns.length, 1)

  const priced = await visiting.call('PATCH', path, { version: seen.version, settings: { creditsPerReply: 3 } })
  assert.deepEqual([priced.status, priced.body.settings.creditsPerReply], [200, 3])
  const another = await own.call('POST', '/api/campaigns', { name: 'Another' })
  assert.equal(another.body.settings.creditsPerReply, 3)
  const kept = await own.call('PATCH', path, { version: priced.body.version, settings: { creditsPerReply: 3 } })
  assert.equal(kept.status, 200)

  await editCampaign(app, id, { creditsPerReply: 2 })
  assert.equal((await show(own)).settings.creditsPerReply, 2)
})
