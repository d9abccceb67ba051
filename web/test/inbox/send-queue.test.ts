import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { openSendQueue } from '../../src/inbox/compose/send-queue.ts'
import type { UnsentReply } from '../../src/inbox/compose/unsent-items.ts'
import { unsentShown } from '../../src/inbox/compose/unsent-shown.ts'
import { endWhenStuck } from '../helpers/end-when-stuck.ts'
import { openBrowser, sent } from './helpers.ts'

/** Its timers are the test's: with real ones a queue that never ends would keep the process alive. */
function testQueue(name: string, run: () => Promise<void>): void {
  test(name, async () => {
    using _ = await endWhenStuck(name)
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      await run()
    } finally {
      mock.timers.reset()
    }
  })
}

class Refused extends Error {}

/** More calls than any test here causes. */
const mostCalls = 50

/** A server that keeps one reply for each client id, and fails as it is told. */
function openServer() {
  const kept: UnsentReply[] = []
  const calls: string[] = []
  const faults: ('none' | 'lost request' | 'lost answer' | 'refused')[] = []
  return {
    kept,
    calls,
    faults,
    post: async (reply: UnsentReply) => {
      calls.push(reply.body)
      if (calls.length > mostCalls) return new Promise<never>(() => {}) // what is sent without end must not hang the test
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
  for (let tick = 0; tick < 50; tick += 1) await Promise.resolve()
}
const reply = (body: string, contactId = 'con_1') => ({ contactId, body, afterSeq: 0 })

testQueue('a reply whose request or answer was lost is sent again with the same id, and kept once', async () => {
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
})

testQueue('a reply is stored before it is sent, so that a page that dies loses nothing', async () => {
  const [browser, server] = [openBrowser(), openServer()]
  server.faults.push('lost answer')
  openQueue(browser, server).add(reply('before the crash'))
  assert.equal(browser.records.size, 1)
  await settle()
  const again = openQueue(browser, server)
  await settle()
  assert.equal(server.kept.length, 1)
  assert.equal(again.items().length, 0)
})

testQueue(
  'replies of one conversation leave in their order; a failing one holds up no other conversation',
  async () => {
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
  },
)

testQueue('a refused reply says why, is not tried by itself, and lets the next ones pass', async () => {
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

testQueue(
  'a reply settled in one tab leaves the queue of the others; one of a closed tab is sent by another',
  async () => {
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
  },
)

testQueue('the message is in place when its reply leaves the queue: it is shown once at every moment', async () => {
  const [browser, server] = [openBrowser(), openServer()]
  const shown: string[] = []
  const queue = openQueue(browser, server, shown)
  const seen = new Set<number>()
  queue.subscribe(() => seen.add(shown.length + queue.items().length))
  queue.add(reply('once'))
  await settle()
  assert.deepEqual([...seen], [1])
})

testQueue('after each failure a reply waits twice as long, up to half a minute; the next one begins anew', async () => {
  const [browser, server] = [openBrowser(), openServer()]
  const seconds = [1, 2, 4, 8, 16, 30, 30]
  server.faults.push(...seconds.map(() => 'lost request' as const))
  const queue = openQueue(browser, server)
  queue.add(reply('one'))
  queue.add(reply('two'))
  await settle()
  for (const [failures, each] of seconds.entries()) {
    if (failures === seconds.length - 1) server.faults.push(...(['none', 'lost request'] as const))
    mock.timers.tick(each * 1_000 - 1)
    await settle()
    assert.equal(server.calls.length, failures + 1, `not before ${each} s`)
    mock.timers.tick(1)
    await settle()
  }
  assert.deepEqual(server.calls.slice(-2), ['one', 'two'])
  mock.timers.tick(1_000)
  await settle()
  assert.deepEqual([server.kept.length, queue.items().length], [2, 0])
})

testQueue(
  'a reply says whether it is being sent or waits, and one that is written when all were sent is sent too',
  async () => {
    const [browser, server] = [openBrowser(), openServer()]
    server.faults.push('lost request')
    const queue = openQueue(browser, server)
    const states: string[] = []
    queue.subscribe(() => states.push(queue.items()[0]?.state ?? 'gone'))
    queue.add(reply('one'))
    await settle()
    assert.equal(states.at(-1), 'waiting')
    states.length = 0
    mock.timers.tick(1_000)
    await settle()
    assert.deepEqual(states, ['sending', 'gone'])
    queue.add(reply('two'))
    await settle()
    assert.deepEqual([server.kept.length, queue.items().length], [2, 0])
  },
)

testQueue('a refused reply is sent again when somebody asks for it', async () => {
  const [browser, server] = [openBrowser(), openServer()]
  server.faults.push('refused')
  const queue = openQueue(browser, server)
  queue.add(reply('now it may'))
  await settle()
  assert.deepEqual([server.kept.length, queue.items()[0]?.state], [0, 'refused'])
  queue.tryNow()
  await settle()
  assert.deepEqual([server.kept.length, queue.items().length], [1, 0])
})

testQueue('a reply of a tab that never hears from the server is sent by another tab after five seconds', async () => {
  const [browser, server] = [openBrowser(), openServer()]
  const silent = { ...openServer(), post: () => new Promise<never>(() => {}) }
  const dying = openQueue(browser, silent)
  openQueue(browser, server)
  dying.add(reply('from a tab that was closed'))
  mock.timers.tick(4_999)
  await settle()
  assert.equal(server.kept.length, 0, 'it is left to its own tab')
  mock.timers.tick(1)
  await settle()
  assert.deepEqual([server.kept.length, dying.items().length], [1, 0])
})

test('a reply that the stream reported before its own answer came is not shown a second time', () => {
  const item = (body: string): UnsentReply => ({
    clientId: body,
    contactId: 'con_1',
    body,
    createdAt: '',
    afterSeq: 3,
    state: 'sending',
  })
  const thread = { contactId: 'con_1', userId: 'usr_1' }
  const messages = [sent(3, { body: 'yes' }), sent(4, { body: 'yes' })]
  assert.equal(unsentShown([item('yes')], { ...thread, messages }).length, 0)
  assert.equal(unsentShown([item('yes'), { ...item('yes'), clientId: '2' }], { ...thread, messages }).length, 1)
  assert.equal(unsentShown([item('no')], { ...thread, messages }).length, 1)
  assert.equal(unsentShown([item('yes')], { ...thread, userId: 'usr_2', messages }).length, 1)
})
