import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { contactOf, defaultCampaign, makeCampaign, startModel, untilAnswered, write } from '../../helpers/bots.ts'
import { startShopWithCommands } from '../../helpers/commands.ts'
import { makeSubaccount } from '../../helpers/credits.ts'
import { saveUrl, sendOne, startDelivering } from '../../helpers/deliveries.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { type LiveStream, openLive } from '../../helpers/live-streams.ts'
import { png, sendFile, startFetching } from '../../helpers/media-files.ts'
import { outgoing, sendPath } from '../../helpers/message-requests.ts'
import { startMeteredBot } from '../../helpers/metered-bot.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

const local = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' }

test('everything that comes over the public API is announced', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  using stream = await openLive(app, (await signIn(app, account)).cookie)
  await write(account, 'Hello')
  const ana = await contactOf(app)
  await stream.untilAnnounced(ana, 'contacts')

  const key = { key: account.apiKey, headers: { 'idempotency-key': 'one' } }
  const cases: [what: string, expected: string[], act: () => Promise<{ status: number }>][] = [
    ['another message', [ana], () => write(account, 'Again').then(() => ({ status: 200 }))],
    ['a message out', [ana], () => account.post(sendPath, outgoing())],
    ['one with a key', [ana], () => app.call('POST', sendPath, { ...key, body: outgoing() })],
    ['a message to somebody new', ['contacts'], () => account.post(sendPath, outgoing({ fromId: 'ben' }))],
    ['a contact', ['contacts'], () => account.post('/contacts', { phone: '+15551234567' })],
    ['its id', ['contacts'], () => account.post('/contacts', { phone: '+15551234567', fromId: 'cy' })],
    ['a member', ['lists'], () => account.post(`/lists/${account.listId}/contacts`, { contactId: ana })],
  ]
  for (const [what, expected, act] of cases) {
    stream.forget()
    const { status } = await act()
    assert.ok(status < 300, `${what}: ${status}`)
    await stream.untilAnnounced(...expected)
  }
})

test('a copy of a message announces nothing', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  using stream = await openLive(app, (await signIn(app, account)).cookie)
  await write(account, 'Hello', { messageSid: 'once' })
  await stream.untilAnnounced(await contactOf(app))
  stream.forget()
  await write(account, 'Hello', { messageSid: 'once' })
  await account.post('/contacts', { phone: '+15551234567' })
  await stream.untilAnnounced('contacts')
  assert.deepEqual([...stream.announced()], ['contacts'])
})

test('a delivery is announced when it has succeeded and when it has failed', async () => {
  await using app = await startDelivering({ ...local, DELIVERY_RETRY_SECONDS: '3600' })
  const account = await app.makeAccount()
  let answer = (_status: number): void => assert.fail('nothing was posted')
  await using receiver = await startReceiver((_request, response) => {
    answer = (status) => void response.writeHead(status).end()
  })
  await saveUrl(app, account, receiver.url)
  using stream = await openLive(app, (await signIn(app, account)).cookie)
  for (const status of [200, 503]) {
    await sendOne(account)
    const contactId = await contactOf(app)
    await stream.untilAnnounced(contactId)
    await until(() => receiver.requests.length === (status === 200 ? 1 : 2), 'nothing was posted')
    stream.forget()
    answer(status)
    await stream.untilAnnounced(contactId, 'webhook')
  }
})

test('the bot is announced when it begins to write and when it has written', async () => {
  await using app = await startDelivering(local)
  await using model = await startModel()
  const account = await app.makeAccount()
  await makeCampaign(app, account, { ...model.file, isDefault: true })
  using stream = await openLive(app, (await signIn(app, account)).cookie)
  await write(account, 'What do you sell?')
  const contactId = await contactOf(app)
  await stream.untilAnnounced(contactId)
  stream.forget()
  const question = await model.next()
  await stream.untilAnnounced(contactId)
  stream.forget()
  question.answer('Shoes.')
  await stream.untilAnnounced(contactId)
})

test('a question that the bot could not answer is announced to the list of unanswered ones', async () => {
  await using app = await startDelivering(local)
  const account = await app.makeAccount()
  using stream = await openLive(app, (await signIn(app, account)).cookie)
  await write(account, 'What is the capital of Peru?')
  await untilAnswered(app)
  await stream.untilAnnounced(await contactOf(app), 'campaigns')
})

test('a charge and a grant are announced to the sub-account and to its agency, and to nobody else', async () => {
  await using world = await startMeteredBot()
  const { app, sub, agency, model, account } = world
  using own = await openLive(app, (await signIn(app, sub)).cookie)
  using theirs = await openLive(app, (await signIn(app, agency)).cookie)
  using other = await openLive(app, (await signIn(app, await world.makeSub())).cookie)
  await world.grant(5)
  for (const stream of [own, theirs]) await stream.untilAnnounced('credits')
  for (const stream of [own, theirs]) stream.forget()
  await write(account, 'What do you sell?')
  const question = await model.next()
  question.answer('Shoes.')
  for (const stream of [own, theirs]) await stream.untilAnnounced('credits')
  const named = [...theirs.announced()].filter((one) => one.startsWith('con_'))
  assert.deepEqual(named, [], 'no contact of the sub-account is named to its agency')
  assert.deepEqual([...other.announced()], [])
})

test('a file that was fetched is announced', async () => {
  await using app = await startFetching()
  const account = await app.makeAccount()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await using host = await startReceiver(async (_request, response) => {
    await released
    response.writeHead(200, { 'content-type': 'image/png' }).end(png)
  })
  using stream = await openLive(app, (await signIn(app, account)).cookie)
  await sendFile(account, `${host.url}a`)
  await until(() => stream.announced().has('contacts'), 'the message was not announced')
  stream.forget()
  release()
  const { rows } = await app.pools.keys.query('select id from contacts')
  await stream.untilAnnounced(rows[0].id)
})

test('what commands change is announced', async () => {
  await using world = await startShopWithCommands()
  const { app, shop, commands } = world
  await write(shop, 'Hello')
  const ana = await contactOf(app)
  using stream = await openLive(app, (await signIn(app, shop)).cookie)
  const cases: [words: string, expected: string[]][] = [
    ['list create --name Friends', ['lists']],
    [`takeover --contact ${ana}`, [ana]],
    [`reply --contact ${ana} --body Hi`, [ana]],
    [`handback --contact ${ana}`, [ana]],
    [`contact opt-out --contact ${ana}`, [ana, 'contacts']],
    [`contact erase --contact ${ana} --yes`, [ana, 'contacts', 'lists']],
    ['webhook set --url https://1.1.1.1/hook', ['webhook']],
    ['key generate', ['account']],
  ]
  for (const [words, expected] of cases) {
    stream.forget()
    const run = await commands.run(...words.split(' '), '--account', shop.email, '--json')
    assert.equal(run.code, 0, `${words}: ${run.stderr}`)
    await stream.untilAnnounced(...expected)
  }
})

test('what commands change of a campaign or of credits is announced to those who see it', async () => {
  await using world = await startShopWithCommands()
  const { app, shop, commands } = world
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, agency.accountId)
  const campaign = await defaultCampaign(app, shop)
  using shops = await openLive(app, (await signIn(app, shop)).cookie)
  using agencys = await openLive(app, (await signIn(app, agency)).cookie)
  using subs = await openLive(app, (await signIn(app, sub)).cookie)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'patchbay-'))
  const file = join(folder.path, 'given')
  const cases: [words: string, content: string, to: LiveStream[], expected: string][] = [
    [`campaign update --id ${campaign} --file ${file}`, '{"name":"Workshop"}', [shops], 'campaigns'],
    [`knowledge import --campaign ${campaign} --file ${file}`, 'answer,question\nYes.,Open?\n', [shops], 'campaigns'],
    [`credits grant --agency ${agency.accountId} --email ${sub.email} --amount 5`, '', [agencys, subs], 'credits'],
    [`recharge set --account ${sub.email} --threshold 2 --amount 5`, '', [agencys, subs], 'credits'],
  ]
  for (const [words, content, streams, expected] of cases) {
    for (const stream of [shops, agencys, subs]) stream.forget()
    await writeFile(file, content)
    const run = await commands.run(...words.split(' '), '--json')
    assert.equal(run.code, 0, `${words}: ${run.stderr}`)
    for (const stream of streams) await stream.untilAnnounced(expected)
  }
})

test('what the app changes is announced', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const browser = await signIn(app, account)
  using stream = await openLive(app, browser.cookie)
  assert.equal((await browser.call('PATCH', '/api/account', { name: 'Shop' })).status, 200)
  await stream.untilAnnounced('account')
  stream.forget()
  assert.equal((await browser.call('PATCH', '/api/account', { name: '' })).status, 400)
  assert.equal((await browser.call('PUT', '/api/account/bot', { active: false })).status, 200)
  await stream.untilAnnounced('account')
})
