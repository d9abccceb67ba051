import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveUrl, sendOne, startDelivering } from '../../helpers/deliveries.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { startTalk } from '../../helpers/providers/talk.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { addMember, type SignedIn, signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

const stepsOf = async (browser: SignedIn) => (await browser.call('GET', '/api/first-run')).body

test('each step is done when the real call came: key, message, address with its test, entry, delivered reply', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  const begun = await stepsOf(browser)
  assert.deepEqual(
    [begun.message, begun.webhook, begun.taught, begun.reply, begun.isHidden],
    [null, null, null, null, false],
  )
  assert.ok(begun.key.createdAt)

  await saveUrl(app, shop, receiver.url)
  assert.deepEqual((await stepsOf(browser)).webhook.test, null)
  await browser.call('POST', '/api/webhook/test')
  assert.equal((await stepsOf(browser)).webhook.test.status, 'Sent')

  const taught = await browser.call('POST', '/api/first-run/entry', {
    question: 'When do you open?',
    answer: 'We open at nine.',
  })
  assert.equal(taught.body.taught.question, 'When do you open?')

  await shop.post(incomingPath, incoming({ body: 'When do you open?', firstName: 'Ana', channel: 'Web chat' }))
  const received = await stepsOf(browser)
  assert.deepEqual([received.message.text, received.message.contactName], ['When do you open?', 'Ana'])
  await until(async () => (await stepsOf(browser)).reply !== null, 'no reply was delivered')
  const done = await stepsOf(browser)
  assert.equal(done.reply.text, 'We open at nine.')
  assert.deepEqual(
    done.calls.map(({ kind, outcome }: { kind: string; outcome: string }) => [kind, outcome]),
    [
      ['reply out', 'Sent'],
      ['message in', '200'],
      ['test post', 'Sent'],
      ['key made', ''],
    ],
  )
})

test('channels that are shown for the first time get colours of their own, in the steps and in the log', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  const [browser, another] = [await signIn(app, shop), await signIn(app, other)]
  await saveUrl(app, shop, receiver.url)
  await sendOne(shop, { fromId: 'ben', customChannel: 'SMS' })
  await shop.post(incomingPath, incoming({ channel: 'Web chat' }))
  await until(async () => (await stepsOf(browser)).reply !== null, 'no reply was delivered')
  const { message, reply } = await stepsOf(browser)
  assert.deepEqual([message.channel, reply.channel].toSorted(byColour), [
    { label: 'Web chat', name: 'Web chat', kind: null, colour: 1 },
    { label: 'SMS', name: 'SMS', kind: null, colour: 2 },
  ])

  for (const customChannel of ['SMS', 'Web chat']) await sendOne(other, { fromId: customChannel, customChannel })
  const { deliveries } = (await another.call('GET', '/api/deliveries')).body
  const channels = deliveries.map(({ channel }: { channel: { colour: number } }) => channel)
  assert.deepEqual(
    channels.toSorted(byColour).map(({ colour }: { colour: number }) => colour),
    [1, 2],
  )
})

const byColour = (one: { colour: number }, other: { colour: number }) => one.colour - other.colour

test('messages over a built-in channel are steps of its own lane, and none of a platform that calls us', async () => {
  await using talk = await startTalk({ knowledge: [['When do you open?', 'We open at nine.']] })
  await talk.ask('When do you open?')
  await until(async () => (await stepsOf(talk.owner)).builtIn.reply !== null, 'no reply was taken')
  const { builtIn, message, reply } = await stepsOf(talk.owner)
  assert.deepEqual([builtIn.channelId, message, reply], [talk.channel.id, null, null])
  assert.deepEqual([builtIn.message.text, builtIn.message.channel.kind], ['When do you open?', 'telegram'])
  assert.equal(builtIn.reply.text, 'We open at nine.')
})

test('hiding the steps is of one user; another account sees nothing of them', async () => {
  await using app = await sharedApp()
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  await shop.post(incomingPath, incoming())
  const owner = await signIn(app, shop)
  const userId = await addMember(app, shop.accountId, 'mia@example.com')
  const member = await signIn(app, { ...shop, userId })
  assert.equal((await member.call('PUT', '/api/first-run/hidden', { hidden: true })).body.isHidden, true)
  assert.deepEqual([(await stepsOf(owner)).isHidden, (await stepsOf(member)).isHidden], [false, true])
  assert.equal((await member.call('PUT', '/api/first-run/hidden', { hidden: false })).body.isHidden, false)
  const entry = { question: 'When do you open?', answer: 'At nine.' }
  assert.equal((await member.call('POST', '/api/first-run/entry', entry)).status, 403)
  const stranger = await signIn(app, other)
  const seen = await stepsOf(stranger)
  assert.deepEqual([seen.message, seen.calls.length], [null, 1])
})

test('an entry without visible words is refused and changes nothing', async () => {
  await using app = await sharedApp()
  const browser = await signIn(app, await app.makeAccount())
  for (const entry of [{ question: ' ', answer: 'x' }, { question: 'x', answer: '' }, { question: 'x' }]) {
    assert.equal((await browser.call('POST', '/api/first-run/entry', entry)).status, 400)
  }
  assert.equal((await stepsOf(browser)).taught, null)
})

test('a real message and a real reply count before those of the simulator, and another address has taken nothing yet', async () => {
  await using app = await startDelivering()
  await using receiver = await startReceiver()
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  const { contactId } = (
    await browser.call('POST', '/api/simulator/contacts', { firstName: 'Ana', channel: 'Web chat' })
  ).body
  await browser.call('POST', `/api/simulator/contacts/${contactId}/messages`, { body: 'Is anyone there?' })
  const tried = await stepsOf(browser)
  assert.deepEqual([tried.message.isSimulated, tried.names], [true, { business: null, user: null, timeZone: 'UTC' }])
  await saveUrl(app, shop, receiver.url)
  await shop.post(incomingPath, incoming({ body: 'Hello', firstName: 'Ben' }))
  await sendOne(shop, { fromId: 'ben' })
  await until(async () => (await stepsOf(browser)).webhook.tookReplyAt !== null, 'it took no reply')
  const { message, reply, webhook } = await stepsOf(browser)
  assert.deepEqual([message.isSimulated, reply.isSimulated, webhook.failedAt], [false, false, null])
  await saveUrl(app, shop, `${receiver.url}another`)
  assert.equal((await stepsOf(browser)).webhook.tookReplyAt, null)
})

test('what the address did last is known to the second: a reply right after a refused test, and a failure after a test', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '60' })
  let status = 200
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end())
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  await saveUrl(app, shop, `${receiver.url}?token=x`)
  await sendOne(shop, { fromId: 'ana' })
  await until(async () => (await stepsOf(browser)).webhook.tookReplyAt !== null, 'it took no reply')

  status = 500
  await browser.call('POST', '/api/webhook/test')
  status = 200
  await sendOne(shop, { fromId: 'ben' }) // within a minute of the first, which alone the address notes
  const isTaken = async () => {
    const { test: refused, tookReplyAt } = (await stepsOf(browser)).webhook
    return refused.status === 'Failed' && tookReplyAt > refused.at
  }
  await until(isTaken, 'the reply after the test is not seen')

  status = 500
  await sendOne(shop, { fromId: 'cleo' })
  await until(async () => (await stepsOf(browser)).webhook.failedAt !== null, 'it did not fail')
  status = 200
  await browser.call('POST', '/api/webhook/test')
  status = 500
  await sendOne(shop, { fromId: 'dora' })
  const isFailingAgain = async () => {
    const { test: taken, failedAt } = (await stepsOf(browser)).webhook
    return taken.status === 'Sent' && failedAt > taken.at
  }
  await until(isFailingAgain, 'the failure after the test is not seen')
})
