import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { makeCalls, openCallProvider } from '../../../src/journey/channels/call.ts'
import { callMethod } from '../../../src/journey/channels/kinds/telegram/calls.ts'
import { telegram } from '../../../src/journey/channels/kinds/telegram/telegram.ts'
import { readChannelOrigins } from '../../../src/platform/config/channel-origins.ts'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import { OutboundError } from '../../../src/platform/outbound/call.ts'
import { openOutbound } from '../../../src/platform/outbound/client.ts'
import { startTelegram } from '../../helpers/providers/telegram.ts'
import { faults } from '../../helpers/providers/telegram-faults.ts'
import { startReceiver, startTcp } from '../../helpers/receivers.ts'

function openCalls(origin: string, allowed = '127.0.0.0/8') {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line) => lines.push(line) })
  const outbound = openOutbound({ allowed: readAllowedNetworks(allowed, false), limits: { attemptMs: 500 } })
  const origins = readChannelOrigins(`telegram=${origin}`)
  const callProvider = openCallProvider({ outbound, origins, log })
  return {
    lines,
    call: (call: Parameters<typeof callProvider>[1]) => callProvider({ kind: telegram, channelId: 'chn_1' }, call),
    identify: (token: string) =>
      makeCalls(callProvider, { kind: telegram, channelId: undefined }, telegram.connect.identify(secretsOf(token))),
  }
}

const secretsOf = (token: string) => ({ token, secretToken: 'ours' })
const getMeOf = (token: string) => callMethod(secretsOf(token), 'getMe')

const isBefore = (outcome: unknown) => outcome instanceof OutboundError && outcome.isBeforeRequest

test('a call goes to the origin that the operator set, and no secret of it is logged', async () => {
  await using provider = await startTelegram()
  const bot = provider.addBot('shop_bot')
  const { identify, lines } = openCalls(provider.origin)
  const identity = await identify(bot.token)
  assert.deepEqual(identity, {
    providerKey: String(bot.me.id),
    name: 'The shop',
    address: '@shop_bot',
    settings: { botId: String(bot.me.id), username: 'shop_bot' },
  })
  provider.plan('getMe', faults.cut)
  assert.ok('fault' in (await identify(bot.token)))
  assert.match(lines.join(''), /getMe/)
  assert.doesNotMatch(lines.join(''), new RegExp(bot.token))
})

test('it is known of each failure whether the request can have left', async () => {
  await using provider = await startTelegram()
  const bot = provider.addBot()
  const getMe = getMeOf(bot.token)
  const { call } = openCalls(provider.origin)
  for (const fault of [faults.cut, faults.silence]) {
    provider.plan('getMe', fault)
    const outcome = await call(getMe)
    assert.ok(outcome instanceof OutboundError && !outcome.isBeforeRequest)
  }
  await using gone = await startTcp(() => {})
  await gone[Symbol.asyncDispose]()
  assert.ok(isBefore(await openCalls(gone.url).call(getMe)), 'refused')
  assert.ok(isBefore(await openCalls('https://127.0.0.1:1').call(getMe)), 'refused before TLS')
  assert.ok(isBefore(await openCalls('https://nowhere.invalid').call(getMe)), 'no such name')
  assert.ok(isBefore(await openCalls(provider.origin, '').call(getMe)), 'an address that may not be called')
  await using plain = await startTcp((socket) => socket.end('not TLS'))
  assert.ok(isBefore(await openCalls(plain.url.replace('http:', 'https:')).call(getMe)), 'no TLS')
})

test('a redirect is an answer, and nobody follows it with the credentials', async () => {
  await using other = await startReceiver((_request, response) => response.end('{}'))
  await using provider = await startReceiver((_request, response) =>
    response.writeHead(302, { location: other.url }).end(),
  )
  const outcome = await openCalls(provider.url).call(getMeOf('1:a'))
  assert.ok(!(outcome instanceof OutboundError))
  assert.equal(outcome.status, 302)
  assert.equal(other.requests.length, 0)
})

test('an origin that no kind has is a fault of ours, and is called by nobody', async () => {
  const { call } = openCalls('http://127.0.0.1:1')
  const base = getMeOf('1:a')
  await assert.rejects(call({ ...base, origin: 'evil' }), /no origin evil/)
  await assert.rejects(call({ ...base, path: '@evil.example/' }), /no slash/)
})

test('CHANNEL_ORIGINS is a list of kinds and addresses, and anything else stops the start', () => {
  assert.deepEqual(
    [...readChannelOrigins(' telegram=http://127.0.0.1:8081/ ,')],
    [['telegram.api', 'http://127.0.0.1:8081']],
  )
  assert.deepEqual(
    [...readChannelOrigins('telegram.files=https://x.example/a')],
    [['telegram.files', 'https://x.example/a']],
  )
  for (const wrong of [
    'telegram',
    'fax=http://x',
    'telegram=ftp://x',
    'telegram=http://u:p@x',
    'telegram=http://x?y',
    'telegram=x',
  ]) {
    assert.throws(() => readChannelOrigins(wrong), /CHANNEL_ORIGINS must be a list/, wrong)
  }
})
