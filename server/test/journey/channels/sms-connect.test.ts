import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Channel, ChannelSenders } from '@patchbay/contract/app/channels.ts'
import { startApp } from '../../helpers/harness.ts'
import { openClient } from '../../helpers/https-client.ts'
import { assertNoSecrets } from '../../helpers/no-secrets.ts'
import { readChannel } from '../../helpers/providers/channel-world.ts'
import { startEntrance } from '../../helpers/providers/entrance.ts'
import { connectSms, startSmsWorld } from '../../helpers/providers/sms-world.ts'
import { faults } from '../../helpers/providers/telegram-faults.ts'
import { addTexter } from '../../helpers/providers/twilio.ts'
import { sign } from '../../helpers/providers/twilio-hook.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

const states = ({ checks }: Pick<Channel, 'checks'>) => checks.map(({ name, state }) => `${name}: ${state}`)
const addresses = (one: Record<string, unknown>, ...names: string[]) => names.map((name) => one[name])

test('a number is connected: our address is set there with five more tries, nothing of Twilio’s own is missed, and a text comes in', async () => {
  await using world = await startSmsWorld()
  const { twilio, owner, entrance, app } = world
  const account = twilio.addAccount()
  const number = account.addNumber()
  const channel = await connectSms(owner, account, { sender: number.phone_number })
  assert.equal(channel.state, 'working', JSON.stringify(channel.checks))
  assert.deepEqual([channel.name, channel.address], ['Kettle Lane Ltd', number.phone_number])
  assert.deepEqual(states(channel), ['credentials: done', 'sender: done', 'receiving: done', 'first message: waits'])
  const ours = `${entrance.url}/hooks/sms/${channel.id}`
  assert.deepEqual(addresses(number, 'sms_url', 'sms_fallback_url', 'sms_method'), [
    `${ours}#rc=5&rp=all`,
    `${ours}#rc=5&rp=all`,
    'POST',
  ])

  const ana = addTexter(account, number.phone_number)
  ana.text('Hello?')
  await until(() => account.poster.posted.length === 1, 'nothing was posted')
  assert.deepEqual(account.poster.posted[0]?.status, 200)
  assert.equal(account.poster.posted[0]?.body, '<Response/>')
  const kept = await app.db.selectFrom('messages').select(['body', 'messageSid']).where('body', '=', 'Hello?').execute()
  assert.deepEqual(kept, [{ body: 'Hello?', messageSid: `${channel.id}:${account.messages[0]?.sid}` }])
  await assertNoSecrets(app.db, app.log)
})

test('a service is connected as one sender; its numbers’ own addresses stay as they are', async () => {
  await using world = await startSmsWorld()
  const { twilio, owner, entrance } = world
  const account = twilio.addAccount()
  const [one, two] = [account.addNumber(), account.addNumber()]
  const service = account.addService('Shop service', [one, two])
  const channel = await connectSms(owner, account, { sender: service.sid })
  assert.equal(channel.state, 'working', JSON.stringify(channel.checks))
  assert.deepEqual([channel.name, channel.address], ['Shop service', `${one.phone_number} and 1 more`])
  const ours = `${entrance.url}/hooks/sms/${channel.id}#rc=5&rp=all`
  assert.deepEqual(addresses(service, 'inbound_request_url', 'fallback_url', 'use_inbound_webhook_on_number'), [
    ...[ours, ours, false],
  ])
  assert.match(String(one.sms_url), /^https:\/\/demo\.twilio\.com/)
  addTexter(account, two.phone_number).text('To the second one')
  await until(() => account.poster.posted.length === 1, 'nothing was posted')
  assert.equal(account.poster.posted[0]?.status, 200)
  const refused = await owner.call('POST', '/api/channels', {
    kind: 'sms',
    credentials: account.credentials(one.phone_number),
  })
  assert.equal(refused.status, 400)
  assert.match(refused.body.error.message, /belongs to the messaging service “Shop service”/)
})

test('what can be chosen is listed with why something cannot, and nothing of it is kept', async () => {
  await using world = await startSmsWorld()
  const { twilio, owner, app } = world
  const account = twilio.addAccount()
  account.type = 'Trial'
  const [plain, voice, member] = [
    account.addNumber(),
    account.addNumber(undefined, { sms: false }),
    account.addNumber(),
  ]
  const taken = account.addNumber(undefined, { sms_url: 'https://sms.old-shop.example/in#rc=2' })
  const service = account.addService('Shop service', [member])
  const empty = account.addService('Nobody', [])
  const ask = (credentials: object, kind = 'sms') => owner.call('POST', '/api/channels/senders', { kind, credentials })
  const { status, body } = await ask({ ...account.credentials(), ...account.addKey() })
  assert.equal(status, 200, JSON.stringify(body))
  const { of, remark, senders } = body as ChannelSenders
  assert.equal(of, 'Kettle Lane Ltd')
  assert.match(String(remark), /only to numbers that you have verified/)
  assert.deepEqual(
    senders.map(({ sender, what, reportsTo, why }) => [sender, what, reportsTo, why]),
    [
      [plain.phone_number, 'number', null, null],
      [voice.phone_number, 'number', null, 'cannot send or receive SMS'],
      [member.phone_number, 'number', null, 'belongs to the messaging service “Shop service”: choose that'],
      [taken.phone_number, 'number', 'sms.old-shop.example', null],
      [service.sid, 'messaging service', null, null],
      [empty.sid, 'messaging service', null, 'has no number that can do SMS, so nobody could write to it.'],
    ],
  )
  assert.deepEqual(await app.db.selectFrom('channels').selectAll().execute(), [])
  const wrong = await ask({ ...account.credentials(), authToken: 'f'.repeat(32) })
  assert.deepEqual([wrong.status, wrong.body.error.quote], [400, '20003 Authenticate'])
  const wrongKey = await ask({ ...account.credentials(), ...account.addKey(), keySecret: 'f'.repeat(32) })
  assert.match(wrongKey.body.error.message, /does not take the API key/)
  for (const [field, value] of Object.entries({ accountSid: 'AC1', authToken: 'short', keySid: 'SK1', other: 'x' })) {
    const refused = await ask({ ...account.credentials(), [field]: value })
    assert.equal(refused.status, 400)
    assert.match(refused.body.error.message, new RegExp(field))
  }
  assert.equal((await ask({}, 'telegram')).status, 400)
  assert.equal(
    twilio.calls.some(({ operation }) => operation.startsWith('set')),
    false,
  )
})

test('CH62: an address of another tool stays until somebody takes it over; it is put back when the channel is removed', async () => {
  await using world = await startSmsWorld()
  const { twilio, owner, app } = world
  const account = twilio.addAccount()
  const before = {
    ...{ sms_url: 'https://sms.old-shop.example/in?a=1#rc=2', sms_method: 'GET' },
    ...{ sms_fallback_url: 'https://sms.old-shop.example/again', sms_fallback_method: 'POST' },
  }
  const number = account.addNumber(undefined, before)
  const told = () => addresses(number, ...Object.keys(before), 'sms_application_sid')
  const channel = await connectSms(owner, account, { sender: number.phone_number })
  assert.equal(channel.state, 'connecting')
  const receiving = channel.checks.find(({ name }) => name === 'receiving')
  assert.deepEqual([receiving?.state, receiving?.reportsTo], ['failing', 'sms.old-shop.example'])
  assert.deepEqual(told(), [...Object.values(before), ''])

  const check = (body: object) => owner.call('POST', `/api/channels/${channel.id}/check`, body)
  assert.equal((await check({})).body.state, 'connecting')
  assert.deepEqual(told(), [...Object.values(before), ''])
  const taken = await check({ takesOver: true })
  assert.equal(taken.body.state, 'working', JSON.stringify(taken.body))
  assert.match(String(number.sms_url), new RegExp(`/hooks/sms/${channel.id}#`))
  const acts = await app.db
    .selectFrom('auditEvents')
    .select('details')
    .where('act', '=', 'channel taken over')
    .execute()
  assert.deepEqual(
    acts.map(({ details }) => (details as { from: string }).from),
    ['sms.old-shop.example'],
  )

  const { status, body } = await owner.call('DELETE', `/api/channels/${channel.id}`)
  assert.deepEqual([status, body], [200, { left: null }])
  assert.deepEqual(told(), [...Object.values(before), ''], 'it is as it was')
})

test('an app or the numbers’ own addresses are another tool’s, too; what somebody else has set since is left alone by a removal', async () => {
  await using world = await startSmsWorld()
  const { twilio, owner } = world
  const account = twilio.addAccount()
  const inApp = account.addNumber(undefined, { sms_application_sid: `AP${'1'.repeat(32)}` })
  const first = await connectSms(owner, account, { sender: inApp.phone_number })
  assert.match(JSON.stringify(first.checks), /the TwiML app AP1/)
  const deferring = account.addService('Deferring', [account.addNumber()], { use_inbound_webhook_on_number: true })
  const second = await connectSms(owner, account, { sender: deferring.sid })
  assert.match(JSON.stringify(second.checks), /the webhooks of its numbers/)
  const taken = await owner.call('POST', `/api/channels/${second.id}/check`, { takesOver: true })
  assert.deepEqual([taken.body.state, deferring.use_inbound_webhook_on_number], ['working', false])
  deferring.inbound_request_url = 'https://new-tool.example/in'
  const { body } = await owner.call('DELETE', `/api/channels/${second.id}`)
  assert.deepEqual([body.left, deferring.inbound_request_url], [null, 'https://new-tool.example/in'])
})

test('with the click the owner has seen it: connecting takes over at once, and what was there is not lost when Twilio fails then', async () => {
  await using world = await startSmsWorld()
  const { twilio, owner } = world
  const account = twilio.addAccount()
  const number = account.addNumber(undefined, { sms_url: 'https://sms.old-shop.example/in' })
  twilio.plan('set number', faults.cut, { isDone: true })
  const channel = await connectSms(owner, account, { sender: number.phone_number, takesOver: true })
  assert.equal(channel.state, 'connecting', 'nobody knows whether it is set')
  const again = await owner.call('POST', `/api/channels/${channel.id}/check`, {})
  assert.equal(again.body.state, 'working', JSON.stringify(again.body))
  await owner.call('DELETE', `/api/channels/${channel.id}`)
  assert.equal(number.sms_url, 'https://sms.old-shop.example/in')
})

test('CH58: when PUBLIC_URL has changed, the next look sets the new address; until then a request signed for the old one is Twilio’s', async () => {
  await using world = await startSmsWorld()
  const { twilio, owner, app, shop, entrance, environment } = world
  const account = twilio.addAccount()
  const number = account.addNumber()
  const { id } = await connectSms(owner, account, { sender: number.phone_number })
  await using moved = await startEntrance()
  await using restarted = await startApp({ ...environment, PUBLIC_URL: moved.url }, app.database)
  moved.leadTo(restarted.url)
  entrance.leadTo(restarted.url)
  addTexter(account, number.phone_number).text('Signed for the old address')
  await until(() => account.poster.posted.length === 1, 'nothing was posted')
  assert.equal(account.poster.posted[0]?.status, 200)

  const again = await signIn(restarted, shop)
  const { body } = await again.call('POST', `/api/channels/${id}/check`, {})
  assert.equal(body.state, 'working', JSON.stringify(body))
  assert.equal(number.sms_url, `${moved.url}/hooks/sms/${id}#rc=5&rp=all`)
  addTexter(account, number.phone_number).text('Signed for the new one')
  await until(() => account.poster.posted.length === 2, 'nothing was posted')
  assert.equal(account.poster.posted[1]?.status, 200)
})

test('an address that was altered at Twilio is set anew by the next look', async () => {
  await using world = await startSmsWorld()
  const { twilio, owner } = world
  const account = twilio.addAccount()
  const number = account.addNumber()
  const { id } = await connectSms(owner, account, { sender: number.phone_number })
  const ours = number.sms_url
  for (const change of [{ sms_url: '' }, { sms_method: 'GET' }, { sms_fallback_url: '' }]) {
    Object.assign(number, change)
    const { body } = await owner.call('POST', `/api/channels/${id}/check`, {})
    assert.equal(body.state, 'working')
    assert.deepEqual(addresses(number, 'sms_url', 'sms_method', 'sms_fallback_url'), [ours, 'POST', ours])
  }
})

test('a new auth token replaces the old one, which still verifies for a day; nobody has to give the account and the sender again', async () => {
  await using world = await startSmsWorld()
  const { twilio, owner } = world
  const account = twilio.addAccount()
  const number = account.addNumber()
  const channel = await connectSms(owner, account, { sender: number.phone_number })
  const old = account.authToken
  account.renew()
  const broken = await owner.call('POST', `/api/channels/${channel.id}/check`, {})
  assert.deepEqual([broken.body.state, broken.body.attention?.reason], ['attention', 'credentials'])
  const { version } = await readChannel(owner, channel.id)
  const change = (credentials: object) => owner.call('PATCH', `/api/channels/${channel.id}`, { credentials, version })
  assert.equal((await change({ authToken: 'f'.repeat(32) })).status, 400)
  const other = twilio.addAccount('Other Ltd')
  const strange = await change(other.credentials(other.addNumber().phone_number))
  assert.equal(strange.status, 400)
  assert.match(strange.body.error.message, /and this channel is/)
  const changed = await change({ authToken: account.authToken })
  assert.equal(changed.body.state, 'working', JSON.stringify(changed.body))
  const post = (token: string) => postText(world, channel.id, { account, token })
  await until(async () => (await post(account.authToken)) === 200, 'the new one is not known')
  assert.deepEqual([await post(old), await post('f'.repeat(32))], [200, 401])
})

type World = Awaited<ReturnType<typeof startSmsWorld>>

/** As Twilio would, with any token. */
async function postText(
  { entrance, app }: World,
  id: string,
  { account, token }: { account: { accountSid: string; numbers: { phone_number: string }[] }; token: string },
): Promise<number> {
  const form = {
    ...{ MessageSid: `SM${crypto.randomUUID().replaceAll('-', '')}`, AccountSid: account.accountSid, Body: 'Hello' },
    ...{ From: '+15551234567', To: account.numbers[0]?.phone_number ?? '', NumMedia: '0' },
  }
  const signature = sign(token, `${entrance.url}/hooks/sms/${id}`, form)
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature }
  const client = openClient({})
  const { status } = await client.send(`${app.url}/hooks/sms/${id}`, {
    ...{ method: 'POST', headers, body: new URLSearchParams(form).toString() },
  })
  client.close()
  return status
}

test('CH04: what one account signs counts on no other channel, of the same customer or another', async () => {
  await using world = await startSmsWorld()
  const { twilio, owner, app } = world
  const [one, other] = [twilio.addAccount('One'), twilio.addAccount('Other')]
  const first = await connectSms(owner, one, { sender: one.addNumber().phone_number })
  const stranger = await signIn(app, await app.makeAccount())
  const second = await connectSms(stranger, other, { sender: other.addNumber().phone_number })
  assert.equal(await postText(world, first.id, { account: one, token: one.authToken }), 200)
  assert.equal(await postText(world, second.id, { account: one, token: one.authToken }), 401)
  assert.equal(await postText(world, second.id, { account: one, token: other.authToken }), 200)
  const raw = await app.db.selectFrom('providerEvents').select(['why', 'channelId']).execute()
  assert.deepEqual(raw, [{ why: 'it is of another account', channelId: second.id }])
  const taken = await stranger.call('POST', '/api/channels', {
    ...{ kind: 'sms', credentials: one.credentials(one.numbers[0]?.phone_number) },
  })
  assert.equal(taken.status, 409)
  assert.match(taken.body.error.message, /connected on this installation already/)
})

test('without a public address it cannot be saved, and says why; it cannot be fetched from either', async () => {
  await using world = await startSmsWorld()
  const account = world.twilio.addAccount()
  const number = account.addNumber()
  assert.deepEqual((await world.owner.call('GET', '/api/channels')).body.unreachable, [])
  const channel = await connectSms(world.owner, account, { sender: number.phone_number })
  const fetched = await world.owner.call('PATCH', `/api/channels/${channel.id}`, {
    receivesBy: 'poll',
    version: channel.version,
  })
  assert.equal(fetched.status, 400)
  assert.match(fetched.body.error.message, /receivesBy/)

  const { PUBLIC_URL: _, ...environment } = world.environment ?? {}
  await using without = await startApp(environment)
  const owner = await signIn(without, await without.makeAccount())
  assert.deepEqual((await owner.call('GET', '/api/channels')).body.unreachable, ['sms'])
  const before = world.twilio.calls.length
  const refused = await owner.call('POST', '/api/channels', {
    kind: 'sms',
    credentials: account.credentials(number.phone_number),
  })
  assert.equal(refused.status, 400)
  assert.match(refused.body.error.message, /PUBLIC_URL/)
  assert.equal(world.twilio.calls.length, before, 'nobody was asked')
})

test('an account that is suspended, or of which Twilio says nothing, is not connected; a channel that is stays as it is while nobody answers', async () => {
  await using world = await startSmsWorld()
  const { twilio, owner } = world
  const account = twilio.addAccount()
  const number = account.addNumber()
  const connect = () =>
    owner.call('POST', '/api/channels', { kind: 'sms', credentials: account.credentials(number.phone_number) })
  account.status = 'suspended'
  assert.match((await connect()).body.error.message, /closed or suspended/)
  account.status = 'active'
  twilio.plan('account', faults.bareError)
  assert.match((await connect()).body.error.message, /did not answer/)
  const { id } = (await connect()).body
  twilio.plan('number', faults.cut)
  const unknown = await owner.call('POST', `/api/channels/${id}/check`, {})
  assert.equal(unknown.body.state, 'working')
  account.numbers.splice(0)
  const gone = await owner.call('POST', `/api/channels/${id}/check`, {})
  assert.equal(gone.body.state, 'attention')
  assert.match(JSON.stringify(gone.body.checks), /has no number/)
})
