import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEmulator } from 'emulate'
import { pino } from 'pino'
import twilio from 'twilio'
import { makeCalls, openCallProvider } from '../../../src/journey/channels/call.ts'
import type { Calls, HookRequest } from '../../../src/journey/channels/kinds/kind.ts'
import { sms } from '../../../src/journey/channels/kinds/sms/sms.ts'
import { readChannelOrigins } from '../../../src/platform/config/channel-origins.ts'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import { openOutbound } from '../../../src/platform/outbound/client.ts'
import { freePort } from '../../helpers/free-port.ts'
import { connectSms, startSmsWorld } from '../../helpers/providers/sms-world.ts'
import { addTexter } from '../../helpers/providers/twilio.ts'
import { sign } from '../../helpers/providers/twilio-hook.ts'
import { type Received, startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

const emulated = { authToken: 'twilio_test_auth_token' }

test('what we ask, read and check is what a stranger’s imitation of Twilio answers, posts and signs', async () => {
  const port = await freePort()
  const emulator = await createEmulator({ service: 'twilio', port })
  const outbound = openOutbound({ allowed: readAllowedNetworks('127.0.0.0/8', false) })
  await using receiver = await startReceiver()
  try {
    const base = `http://127.0.0.1:${port}`
    const origins = readChannelOrigins(`sms=${base},sms.messaging=${base}/messaging`)
    const call = openCallProvider({ outbound, origins, log: pino({ enabled: false }) })
    const made = <Result>(calls: Calls<Result>) => makeCalls(call, { kind: sms, channelId: undefined }, calls)
    const { hook, connect, ask } = sms
    assert.ok(hook && connect.senders && ask)

    const accountSid = await findAccountSid(base)
    const credentials = { accountSid, ...emulated }
    const listed = await made(connect.senders.list(credentials))
    assert.ok(!('fault' in listed), JSON.stringify(listed))
    const service = listed.senders.find(({ what }) => what === 'messaging service')
    assert.ok(service && service.why === null, JSON.stringify(listed))
    assert.match(String(listed.senders[0]?.why), /belongs to the messaging service/)
    const secrets = connect.readCredentials({ ...credentials, sender: service.sender }, () => '')
    const identity = await made(connect.identify(secrets))
    assert.ok(!('fault' in identity), JSON.stringify(identity))
    const { settings, address: ours } = identity
    const wrong = await made(connect.identify({ ...secrets, authToken: 'not_the_token_of_it' }))
    assert.ok('fault' in wrong && !wrong.isTemporary)

    const url = `${receiver.url}hooks/sms/chn_1`
    assert.equal(await made(hook.set(url, settings, secrets)), null)
    const found = await made(hook.look(settings, secrets))
    assert.ok(!('fault' in found))
    assert.deepEqual([found.url, found.isAltered], [url, false])

    const text = new URLSearchParams({ To: ours, From: '+15550001111', Body: 'Grüße 🔧' })
    const authorization = `Basic ${Buffer.from(`${accountSid}:${emulated.authToken}`).toString('base64')}`
    const simulated = await fetch(`${base}/_twilio/simulate/inbound-message`, {
      ...{ method: 'POST', headers: { authorization }, body: text },
    })
    assert.ok(simulated.ok, await simulated.text())
    const request = hookRequestOf(await lastOf(receiver.requests, 1), url)
    assert.equal(hook.isAuthentic(request, secrets), true)
    const [event] = hook.read(request, settings)
    assert.ok(event?.is === 'message', JSON.stringify(event))
    assert.deepEqual([event.body, event.from.addresses], ['Grüße 🔧', [{ kind: 'phone', address: '+15550001111' }]])

    const [part] = sms.split({ text: 'Hello you', choices: [], file: null, replyTo: null })
    const [address] = event.from.addresses
    assert.ok(part && address)
    const onTheWay = { messageId: 'msg_1', n: 1, file: null, fileUrl: null, hookUrl: url, secondsLeft: 600 }
    const send = { ...onTheWay, part, address }
    const kind = { kind: sms, channelId: undefined }
    const judged = sms.judge(await call(kind, sms.request(send, settings, secrets)), send)
    assert.ok(judged.is === 'sent', JSON.stringify(judged))
    const asked = await made(ask.find({ ...send, begunAt: Date.now() }, settings, secrets))
    assert.deepEqual(asked, { providerIds: [judged.providerId] })

    const status = new URLSearchParams({ MessageSid: judged.providerId, MessageStatus: 'delivered' })
    await fetch(`${base}/_twilio/simulate/message-status`, { method: 'POST', headers: { authorization }, body: status })
    const isDelivered = ({ body }: Received) => body.includes('MessageStatus=delivered')
    await until(() => receiver.requests.some(isDelivered), 'no receipt was posted')
    const posted = receiver.requests.find(isDelivered)
    assert.ok(posted)
    const receipt = hookRequestOf(posted, url)
    assert.equal(hook.isAuthentic(receipt, secrets), true)
    const [told] = hook.read(receipt, settings)
    assert.ok(told?.is === 'receipt', JSON.stringify(told))
    assert.deepEqual(
      [told.says, told.providerId, told.ours],
      ['delivered', judged.providerId, { messageId: 'msg_1', n: 1 }],
    )
  } finally {
    await outbound.close()
    await emulator.close()
  }
})

async function findAccountSid(base: string): Promise<string> {
  const text = await (await fetch(base)).text()
  return /AC[\da-f]{32}/.exec(text)?.[0] ?? `AC${'0'.repeat(32)}`
}

async function lastOf(requests: Received[], count: number): Promise<Received> {
  await until(() => requests.length >= count, 'nothing was posted')
  const last = requests.at(-1)
  assert.ok(last)
  return last
}

/** As the server makes it of a request, at the address that was set. */
function hookRequestOf({ headers, body, path }: Received, url: string): HookRequest {
  const { origin } = new URL(url)
  const [, rest = ''] = path.split('/chn_1')
  const [about = '', query = ''] = rest.split('?')
  return {
    ...{ headers, body, about: about.replace('/', ''), query: new URLSearchParams(query) },
    ...{ urls: [origin + path], receivedAt: Date.now() },
  }
}

test('the double signs as the SDK of Twilio does, and what it posts is taken with and without the fragment in the signature', async () => {
  const form = { Body: 'Grüße 🔧 a+b', From: '+15550001111', AccountSid: 'AC1', Zero: '' }
  const url = 'https://patchbay.shop.example/hooks/sms/chn_1/status?m=msg_1&p=1'
  assert.ok(twilio.validateRequest('token-of-a-test', sign('token-of-a-test', url, form), url, form))

  await using world = await startSmsWorld()
  const account = world.twilio.addAccount()
  const number = account.addNumber()
  await connectSms(world.owner, account, { sender: number.phone_number })
  for (const signsFragment of [false, true]) {
    account.poster.signsFragment = signsFragment
    addTexter(account, number.phone_number).text(`signed with the fragment: ${signsFragment}`)
  }
  await until(() => account.poster.posted.length === 2, 'nothing was posted')
  assert.deepEqual(
    account.poster.posted.map(({ status }) => status),
    [200, 200],
  )
})
