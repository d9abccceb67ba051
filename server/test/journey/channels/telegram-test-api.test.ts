import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import imported from 'telegram-test-api'
import { openCallProvider } from '../../../src/journey/channels/call.ts'
import { telegram } from '../../../src/journey/channels/kinds/telegram/telegram.ts'
import { readChannelOrigins } from '../../../src/platform/config/channel-origins.ts'
import { readAllowedNetworks } from '../../../src/platform/outbound/allowed-networks.ts'
import { openOutbound } from '../../../src/platform/outbound/client.ts'
import { freePort } from '../../helpers/free-port.ts'

/** A CommonJS package, whose types say that it is one of another kind. */
const TelegramServer = imported as unknown as typeof imported.default

test("what we ask and read is what a stranger's imitation of Telegram answers and sends", async () => {
  const port = await freePort()
  const server = new TelegramServer({ port, host: '127.0.0.1' })
  await server.start()
  try {
    const secrets = { token: '123456:AAEaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', secretToken: 'ours' }
    const person = server.getClient(secrets.token, { timeout: 5_000 })
    const outbound = openOutbound({ allowed: readAllowedNetworks('127.0.0.0/8', false) })
    const origins = readChannelOrigins(`telegram=http://127.0.0.1:${port}`)
    const open = openCallProvider({ outbound, origins, log: pino({ enabled: false }) })
    const call = (made: Parameters<typeof open>[1]) => open({ kind: telegram, channelId: undefined }, made)
    const settings = { botId: '1', username: 'b' }
    await person.sendMessage(person.makeMessage('Hello'))
    const polled = telegram.poll?.judge(await call(telegram.poll.request(0n, settings, secrets)), Date.now())
    assert.ok(polled?.is === 'events')
    const [event] = polled.events
    assert.ok(event?.is === 'message')
    assert.equal(event.body, 'Hello')
    const [address] = event.from.addresses
    assert.ok(address)
    const [part] = telegram.split({ text: 'Hello you', choices: [], file: null, replyTo: null })
    assert.ok(part)
    const onTheWay = { messageId: 'msg_1', n: 1, file: null, fileUrl: null, hookUrl: null, secondsLeft: 60 }
    const send = { ...onTheWay, part, address }
    assert.equal(telegram.judge(await call(telegram.request(send, settings, secrets)), send).is, 'sent')
    const { result } = await person.getUpdates()
    assert.equal((result[0] as { message: { text: string } }).message.text, 'Hello you')
    await outbound.close()
  } finally {
    await server.stop()
  }
})
