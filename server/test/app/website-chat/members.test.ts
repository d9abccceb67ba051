import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { until } from '../../helpers/until.ts'
import { type ChatWorld, contactsOf, startChatWorld } from '../../helpers/website-chat/chat-world.ts'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The shop's server, which knows the secret. */
async function startShop(world: ChatWorld) {
  const makeSecret = async () => {
    const { status, body } = await world.owner.call('POST', `/api/channels/${world.channelId}/secret`, {})
    assert.equal(status, 200, JSON.stringify(body))
    return body.secret as string
  }
  let secret = await makeSecret()
  return {
    renew: async () => {
      secret = await makeSecret()
    },
    sign: (sub: string, more: object = {}, by = secret) => {
      const claims = { sub, aud: world.channelId, exp: Math.floor(Date.now() / 1_000) + 600, ...more }
      const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
      return `j.${signed}.${createHmac('sha256', by).update(signed).digest('base64url')}`
    },
  }
}

const reasonOf = ({ status, body }: { status: number; body: { reason?: string } }) => `${status} ${body.reason}`

test('WC20 a member is one contact on all devices; who is not signed by the shop is refused and leaves nothing', async () => {
  await using world = await startChatWorld({ settings: { members: 'may' } })
  const shop = await startShop(world)
  const token = shop.sign('7', { name: 'Ana Maria Alves', email: 'Ana@Example.com' })
  const [phone, desk] = [world.visitor({ bearer: token }), world.visitor({ bearer: shop.sign('7') })]
  await until(async () => (await phone.call('GET', 'messages')).status === 204, 'the secret does not hold')
  assert.equal((await phone.post('from the phone')).status, 201)
  await shop.renew()
  assert.equal((await desk.post('from the desk, by the secret before')).status, 201)
  const renewed = world.visitor({ bearer: shop.sign('7') })
  await until(async () => (await renewed.call('GET', 'messages')).status === 200, 'the new secret does not hold')
  assert.equal((await renewed.read()).messages.length, 2)
  const row = await world.app.db.selectFrom('contacts').select(['firstName', 'lastName', 'email']).execute()
  assert.deepEqual(row, [{ firstName: 'Ana', lastName: 'Maria Alves', email: 'ana@example.com' }])
  const details = await world.app.db.selectFrom('messageDetails').select('data').execute()
  assert.ok(details.every(({ data }) => (data as { signed?: boolean }).signed === true))
  for (const [bearer, reason] of [
    [shop.sign('8', {}, 'wrong'), '401 identity_refused'],
    [shop.sign('8', { aud: 'chn_other' }), '401 identity_refused'],
    [shop.sign('', {}), '401 identity_refused'],
    [shop.sign('8', { exp: Math.floor(Date.now() / 1_000) - 5 }), '401 identity_expired'],
    [shop.sign('8', { exp: Math.floor(Date.now() / 1_000) + 864_000 }), '401 identity_refused'],
    [`j.${'x'.repeat(5_000)}`, '401 identity_refused'],
  ] as const) {
    assert.equal(reasonOf(await world.visitor({ bearer }).post('Hello')), reason, bearer.slice(0, 60))
  }
  assert.equal((await contactsOf(world)).length, 1)
})

test('WC20 where customers must be signed in, nobody else may write, and where none are taken no token is', async () => {
  await using world = await startChatWorld({ settings: { members: 'must' } })
  const shop = await startShop(world)
  assert.equal(reasonOf(await world.visitor().post('Hello')), '401 identity_wanted')
  await until(
    async () => (await world.visitor({ bearer: shop.sign('7') }).call('GET', 'messages')).status === 204,
    'not known',
  )
  assert.equal((await world.visitor({ bearer: shop.sign('7') }).post('Hello')).status, 201)
  await world.change({ members: 'off' })
  const member = world.visitor({ bearer: shop.sign('7') })
  await until(async () => reasonOf(await member.post('Hello')) === '401 identity_refused', 'a token is taken')
})

test('windows that are open end when their visitors would not be let in any more, and those of others stay', async () => {
  await using world = await startChatWorld({ settings: { members: 'may' } })
  const shop = await startShop(world)
  const [stranger, member] = [world.visitor(), world.visitor({ bearer: shop.sign('7') })]
  await until(async () => (await member.call('GET', 'messages')).status === 204, 'the secret does not hold')
  for (const one of [stranger, member]) assert.equal((await one.post('Hello')).status, 201)
  using strangers = await stranger.listen(1)
  using members = await member.listen(1)
  for (const window of [strangers, members]) await window.untilEvent('hello')
  await world.change({ members: 'must' })
  const wanted = await strangers.untilEvent('end')
  assert.ok(wanted.name === 'end' && wanted.data.why === 'identity_wanted')
  assert.ok(members.isOpen(), 'the window of a member ended too')
  await world.change({ members: 'off' })
  const refused = await members.untilEvent('end')
  assert.ok(refused.name === 'end' && refused.data.why === 'identity_refused')
})

test('a member who wants their chat to be gone asks people, also where the owner lets it go at once: the shop knows them', async () => {
  await using world = await startChatWorld({ settings: { members: 'may', deletes: 'at once' } })
  const shop = await startShop(world)
  const ana = world.visitor({ bearer: shop.sign('ana') })
  await until(async () => (await ana.call('GET', 'messages')).status === 204, 'the secret does not hold')
  assert.equal((await ana.post('Hello')).status, 201)
  const asked = await Promise.all([1, 2].map(() => ana.call('POST', 'forget', { body: {} })))
  assert.deepEqual(
    asked.map(({ status, body }) => [status, body]),
    [
      [200, { is: 'asked' }],
      [200, { is: 'asked' }],
    ],
  )
  assert.deepEqual(
    (await ana.read()).messages.map(({ text }) => text),
    ['Hello'],
    'nothing is gone before people have looked',
  )
  const waiting = await world.app.db.selectFrom('conversations').select('waitingReason').execute()
  assert.deepEqual(waiting, [{ waitingReason: 'asked_to_be_deleted' }])
})

test('WC22 who signs in has a chat of their own; the one before is shown to them alone, and people learn that it was one browser', async () => {
  await using world = await startChatWorld({ settings: { members: 'may' } })
  const shop = await startShop(world)
  const browser = world.visitor()
  await browser.post('before')
  using window = await browser.listen(1)
  await window.untilEvent('hello')
  const ana = world.visitor({ bearer: shop.sign('ana') })
  for (const text of ['after', 'and more'])
    assert.equal((await ana.post(text, { browser: browser.bearer.slice(2) })).status, 201)
  assert.equal((await contactsOf(world)).length, 2)
  const events = await world.app.db.selectFrom('conversationEvents').select(['contactId', 'kind']).execute()
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['signed in', 'signed in'],
  )
  assert.equal(new Set(events.map(({ contactId }) => contactId)).size, 2)
  assert.deepEqual(
    (await ana.read()).messages.map(({ text }) => text),
    ['after', 'and more'],
  )
  const end = await window.untilEvent('end')
  assert.ok(end.name === 'end' && end.data.why === 'ended', 'another tab goes on showing it')
  assert.equal(reasonOf(await browser.call('GET', 'messages')), '401 ended', 'the next one at this browser reads it')
  assert.equal(reasonOf(await browser.post('as somebody else')), '401 ended')
  using late = await browser.listen()
  assert.equal(late.status, 401)
  const fold = (sub: string, { bearer } = browser) => world.visitor({ bearer: `${shop.sign(sub)} ${bearer}` })
  assert.deepEqual(
    (await fold('ana').read()).messages.map(({ text }) => text),
    ['before'],
  )
  await world.visitor({ bearer: shop.sign('ben') }).post('I am Ben', { browser: browser.bearer.slice(2) })
  assert.equal((await fold('ben').call('GET', 'messages')).status, 401)
  assert.equal((await fold('nobody yet').call('GET', 'messages')).status, 401)

  const second = world.visitor()
  await second.post('elsewhere')
  assert.equal((await fold('nobody yet', second).read()).messages.length, 1)
  assert.equal((await second.read()).messages.length, 1, 'nobody has signed in who could be shown it alone')
  await Promise.all([1, 2, 3].map(async () => assert.equal((await fold('ana', second).read()).messages.length, 1)))
  assert.equal(reasonOf(await second.call('GET', 'messages')), '401 ended', 'it was shown to a customer')
  assert.equal((await fold('ben', second).call('GET', 'messages')).status, 401)
  assert.equal((await world.app.db.selectFrom('conversationEvents').select('kind').execute()).length, 4)
})
