import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { newId } from '../../../src/platform/ids.ts'
import type { Listener } from '../../../src/platform/notify/listen.ts'
import { openNotedConversations } from '../../../src/platform/notify/noted-conversations.ts'

type Subscriber = Parameters<Listener['listen']>[1]

/** A listener whose notifications a test makes. */
function openFake() {
  const subscribers = new Set<Subscriber>()
  const listener: Listener = {
    listen: (_channel, subscriber) => {
      subscribers.add(subscriber)
      return () => void subscribers.delete(subscriber)
    },
    notify: async () => {},
    stop: async () => {},
  }
  return {
    listener,
    hint: (...words: string[]) => subscribers.forEach(({ onNotification }) => void onNotification(words.join(' '))),
    reconnect: () => subscribers.forEach(({ onListening }) => void onListening?.()),
  }
}

const [acc, other, ana, bo] = [newId('acc'), newId('acc'), newId('con'), newId('con')]

test('everything is looked through at first, and then what hints have named since', () => {
  const { listener, hint } = openFake()
  const noted = openNotedConversations(listener)
  hint(acc, ana)
  assert.equal(noted.take(), undefined)
  assert.deepEqual(noted.take(), new Map())
  hint(acc, ana)
  hint(acc, ana, bo)
  hint(other, 'credits')
  const named = new Map([
    [acc, new Set([ana, bo])],
    [other, new Set()],
  ])
  assert.deepEqual(noted.take(), named)
  hint(acc, ana)
  hint(acc, 'conversations')
  hint(acc, bo)
  assert.deepEqual(noted.take(), new Map([[acc, undefined]]), 'any of its conversations')
  noted.note(acc, [bo])
  assert.deepEqual(noted.take(), new Map([[acc, new Set([bo])]]), 'it was put back')
  noted.stop()
  hint(acc, ana)
  assert.deepEqual(noted.take(), new Map())
})

test('everything is looked through when there are too many, after a lost connection, and once a minute', () => {
  const { listener, hint, reconnect } = openFake()
  const noted = openNotedConversations(listener, 3)
  noted.take()
  hint(acc, ana, bo)
  hint(acc, ana, bo)
  assert.deepEqual(noted.take(), new Map([[acc, new Set([ana, bo])]]))
  hint(acc, ana, bo)
  hint(other, ana)
  assert.equal(noted.take(), undefined, 'four are more than three')
  assert.deepEqual(noted.take(), new Map())
  hint(acc, ana)
  reconnect()
  assert.equal(noted.take(), undefined)
  const now = mock.method(performance, 'now', () => Number.MAX_SAFE_INTEGER)
  assert.equal(noted.take(), undefined)
  now.mock.restore()
})
