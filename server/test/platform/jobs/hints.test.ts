import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import { newId } from '../../../src/platform/ids.ts'
import { openHints } from '../../../src/platform/notify/hints.ts'
import type { Listener } from '../../../src/platform/notify/listen.ts'

const log = pino({ enabled: false })

/** Records what would be sent; `isLost` is a time without a connection. */
function recordingListener() {
  const sent: string[] = []
  let tries = 0
  const listener: Listener & { isLost: boolean } = {
    isLost: false,
    listen: () => () => {},
    notify: async (_channel, payloads) => {
      tries += 1
      if (listener.isLost) throw new Error('no connection')
      sent.push(...payloads)
    },
    stop: async () => {},
  }
  return { listener, sent, tries: () => tries }
}

test('hints of a moment are sent together, each once', async () => {
  const { listener, sent } = recordingListener()
  const { hint, flush } = openHints(listener, log)
  const [accountId, contactId] = [newId('acc'), newId('con')]
  for (let n = 0; n < 3; n += 1) hint(accountId, contactId)
  hint(accountId, 'lists')
  await flush()
  assert.deepEqual(sent, [`${accountId} ${contactId} lists`])
  await flush()
  assert.equal(sent.length, 1)
})

test('more than two hundred conversations of an account at once are announced as many, and not by name', async () => {
  const { listener, sent } = recordingListener()
  const { hint, flush } = openHints(listener, log)
  const [few, many] = [newId('acc'), newId('acc')]
  for (let n = 0; n < 200; n += 1) hint(few, newId('con'))
  hint(few, 'webhook')
  for (let n = 0; n < 5_000; n += 1) hint(many, newId('con'))
  hint(many, 'webhook')
  await flush()
  const lines = sent.flatMap((payload) => payload.split('\n')).map((line) => line.split(' '))
  assert.equal(lines.find(([accountId]) => accountId === few)?.length, 202)
  assert.ok(sent.every((payload) => Buffer.byteLength(payload) < 8_000))
  assert.deepEqual(lines.find(([accountId]) => accountId === many)?.toSorted(), [many, 'conversations', 'webhook'])
})

test('signs beside very many conversations are sent in pieces too, and those of a flood are left out', async () => {
  const { listener, sent } = recordingListener()
  const { hint, flush } = openHints(listener, log)
  const accountId = newId('acc')
  for (let n = 0; n < 150; n += 1) hint(accountId, newId('con'))
  for (let n = 0; n < 5_000; n += 1) hint(accountId, `visitor-writes:${newId('con')}`)
  await flush()
  const lines = sent.flatMap((payload) => payload.split('\n')).map((line) => line.split(' '))
  assert.ok(sent.every((payload) => payload.length < 8_000))
  assert.ok(lines.every(([account]) => account === accountId))
  const changed = lines.flatMap(([, ...rest]) => rest)
  assert.equal(changed.filter((one) => one.startsWith('con_')).length, 150)
  const signs = changed.filter((one) => one.startsWith('visitor-writes:')).length
  assert.ok(signs > 10 && signs < 100, String(signs))
})

test('hints of many accounts are sent in pieces that PostgreSQL takes', async () => {
  const { listener, sent } = recordingListener()
  const { hint, flush } = openHints(listener, log)
  for (let account = 0; account < 100; account += 1) {
    const accountId = newId('acc')
    for (let n = 0; n < 40; n += 1) hint(accountId, newId('con'))
  }
  await flush()
  assert.ok(sent.every((payload) => payload.length < 8_000))
  assert.equal(sent.join('\n').split('\n').length, 100)
  assert.equal(sent.join('\n').match(/con_/g)?.length, 4_000)
})

test('hints that could not be sent are sent later', async () => {
  const { listener, sent } = recordingListener()
  const { hint, flush } = openHints(listener, log)
  listener.isLost = true
  hint('acc_1', 'con_1')
  await flush()
  assert.deepEqual(sent, [])
  listener.isLost = false
  hint('acc_1', 'lists')
  await flush()
  assert.deepEqual(sent, ['acc_1 con_1 lists'])
})

test('hints that cannot be sent when the process stops are tried once more, and not for ever', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const { listener, tries } = recordingListener()
    const { hint, flush, close } = openHints(listener, log)
    listener.isLost = true
    hint('acc_1', 'con_1')
    await flush()
    mock.timers.tick(1_000)
    await turn()
    assert.equal(tries(), 2, 'while it runs, it tries again')
    await close()
    assert.equal(tries(), 3)
    for (let seconds = 0; seconds < 5; seconds += 1) {
      mock.timers.tick(1_000)
      await turn()
    }
    assert.equal(tries(), 3)
  } finally {
    mock.timers.reset()
  }
})
