import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { openSendQueue } from '../../src/inbox/compose/send-queue.ts'
import type { Unsent } from '../../src/inbox/compose/unsent-items.ts'
import { unsentShown } from '../../src/inbox/compose/unsent-shown.ts'
import { openBrowser, sent } from './helpers.ts'

class Refused extends Error {}

/** A server that keeps one reply for each client id, and fails as it is told. */
function openServer() {
  const kept: Unsent[] = []
  const calls: string[] = []
  const faults: ('lost request' | 'lost answer' | 'refused')[] = []
  return {
    ...{ kept, calls, faults },
    post: async (reply: Unsent) => {
      calls.push(reply.body)
      const fault = faults.shift()
      await Promise.resolve()
      if (fault === 'refused') throw new Refused('It is too long.')
      if (fault === 'lost request') throw new Error('lost')
      if (!kept.some(({ clientId }) => clientId === reply.clientId)) kept.push(reply)
      if (fault === 'lost answer') throw new Error('lost')
      return sent(kept.length, { body: reply.body })
    },
  }
}

let ids = 0

function openQueue(
  browser: ReturnType<typeof openBrowser>,
  server: ReturnType<typeof openServer>,
  shown: string[] = [],
) {
  return openSendQueue({
    kept: browser.openTab(),
    post: server.post,
    onSent: ({ body }) => shown.push(body),
    refusalOf: (error) => (error instanceof Refused ? error.message : undefined),
    newId: () => `client-id-of-reply-${ids++}`,
  })
}

const settle = async () => {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
}
const reply = (body: string, contactId = 'con_1') => ({ contactId, body, afterSeq: 0 })

test('a reply whose request or answer was lost is sent again with the same id, and kept once', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const [browser, server] = [openBrowser(), openServer()]
    server.faults.push('lost request', 'lost answer')
    const queue = openQueue(browser, server)
    queue.add(reply('one'))
    await settle()
    assert.equal(queue.items()[0]?.state, 'waiting')
    assert.equal(browser.records.size, 1)
    for (const ms of [1_000, 2_000]) {
      mock.timers.tick(ms)
      await settle()
    }
    assert.deepEqual(server.calls, ['one', 'one', 'one'])
    assert.equal(server.kept.length, 1)
    assert.deepEqual([queue.items().length, browser.records.size], [0, 0])
  } finally {
    mock.timers.reset()
  }
})

test('a reply is stored before it is sent, so that a page that dies loses nothing', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const [browser, server] = [openBrowser(), openServer()]
    server.faults.push('lost answer')
    openQueue(browser, server).add(reply('before the crash'))
    assert.equal(browser.records.size, 1)
    await settle()
    const again = openQueue(browser, server)
    await settle()
    assert.equal(server.kept.length, 1)
    assert.equal(again.items().length, 0)
  } finally {
    mock.timers.reset()
  }
})

test('replies of one conversation leave in their order; a failing one holds up no other conversation', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const [browser, server] = [openBrowser(), openServer()]
    server.faults.push('lost request')
    const queue = openQueue(browser, server)
    queue.add(reply('first'))
    queue.add(reply('second'))
    queue.add(reply('elsewhere', 'con_2'))
    await settle()
    assert.deepEqual(
      server.kept.map(({ body }) => body),
      ['elsewhere'],
    )
    queue.tryNow()
    await settle()
    assert.deepEqual(
      server.kept.map(({ body }) => body),
      ['elsewhere', 'first', 'second'],
    )
  } finally {
    mock.timers.reset()
  }
})

test('a refused reply says why, is not tried by itself, and lets the next ones pass', async () => {
  const [browser, server] = [openBrowser(), openServer()]
  server.faults.push('refused')
  const queue = openQueue(browser, server)
  queue.add(reply('bad'))
  queue.add(reply('good'))
  await settle()
  assert.deepEqual(
    queue.items().map(({ state, refusal }) => [state, refusal]),
    [['refused', 'It is too long.']],
  )
  assert.deepEqual(
    server.kept.map(({ body }) => body),
    ['good'],
  )
  queue.drop(queue.items()[0]?.clientId ?? '')
  assert.equal(browser.records.size, 0)
})

test('a reply settled in one tab leaves the queue of the others; one of a closed tab is sent by another', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const [browser, server] = [openBrowser(), openServer()]
    server.faults.push('lost request')
    const dying = openQueue(browser, server)
    const other = openQueue(browser, server)
    dying.add(reply('from the other tab'))
    await settle()
    assert.equal(other.items().length, 1)
    mock.timers.tick(5_000)
    await settle()
    assert.equal(server.kept.length, 1)
    assert.deepEqual([dying.items().length, other.items().length], [0, 0])
  } finally {
    mock.timers.reset()
  }
})

test('the message is in place when its reply leaves the queue: it is shown once at every moment', async () => {
  const [browser, server] = [openBrowser(), openServer()]
  const shown: string[] = []
  const queue = openQueue(browser, server, shown)
  const seen = new Set<number>()
  queue.subscribe(() => seen.add(shown.length + queue.items().length))
  queue.add(reply('once'))
  await settle()
  assert.deepEqual([...seen], [1])
})

test('a reply that the stream reported before its own answer came is not shown a second time', () => {
  const item = (body: string): Unsent => ({
    ...{ clientId: body, contactId: 'con_1', body, createdAt: '', afterSeq: 3, state: 'sending' },
  })
  const thread = { contactId: 'con_1', userId: 'usr_1' }
  const messages = [sent(3, { body: 'yes' }), sent(4, { body: 'yes' })]
  assert.equal(unsentShown([item('yes')], { ...thread, messages }).length, 0)
  assert.equal(unsentShown([item('yes'), { ...item('yes'), clientId: '2' }], { ...thread, messages }).length, 1)
  assert.equal(unsentShown([item('no')], { ...thread, messages }).length, 1)
  assert.equal(unsentShown([item('yes')], { ...thread, userId: 'usr_2', messages }).length, 1)
})
