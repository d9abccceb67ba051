import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatMessage, ChatPage, ChatState } from '@patchbay/contract/chat/protocol.ts'
import { lastOf, marksOf, newState, next, type Pending, type State } from '../../chat/state.ts'
import { rowsOf } from '../../chat/view/rows.ts'

const now: ChatState = { by: 'bot', name: null, isOpen: true, opensAt: null, mayAskEmail: false }
const noon = new Date(2026, 7, 14, 12, 0).getTime()

function message(seq: number, given: Partial<ChatMessage> = {}): ChatMessage {
  return {
    seq,
    at: noon + seq * 1_000,
    from: 'bot',
    name: null,
    text: `m${seq}`,
    id: null,
    choices: [],
    file: null,
    ...given,
  }
}

function page(messages: ChatMessage[], given: Partial<ChatPage> = {}): ChatPage {
  const last = messages.at(-1)?.seq ?? 0
  return { installation: 'one', messages, lines: [], state: now, last, hasOlder: false, read: 0, ...given }
}

const pending = (id: string): Pending => ({
  ...{ id, text: id, choice: null, at: noon, file: null, fileId: null, sentBytes: 0 },
  ...{ is: 'sending', why: null, againAt: null },
})

const begun = () => newState(now, true)
const textsOf = ({ messages }: State) => messages.map(({ text }) => text)

test('a message that comes twice, late or over a page and the stream at once is shown once and in order', () => {
  let state = next(begun(), { is: 'message', message: message(5) })
  state = next(state, { is: 'page', page: page([message(1), message(3), message(5)]) })
  state = next(state, { is: 'message', message: message(3) })
  state = next(state, { is: 'message', message: message(4) })
  assert.deepEqual(textsOf(state), ['m1', 'm3', 'm4', 'm5'])
  assert.equal(lastOf(state), 5)
})

test('what is sent is shown once, whether the answer comes first or the stream; the first text of an id stays', () => {
  const written = next(begun(), { is: 'written', pending: pending('a') })
  const posted = { seq: 7, at: noon, text: 'as it was kept first' }
  const echo = { is: 'message', message: message(7, { from: 'visitor', id: 'a', text: posted.text }) } as const
  const sent = { is: 'sent', id: 'a', posted, file: null } as const
  for (const order of [
    [echo, sent],
    [sent, echo],
  ]) {
    const state = order.reduce(next, written)
    assert.deepEqual([textsOf(state), state.pending], [['as it was kept first'], []])
  }
})

test('of what a restored copy does not know nothing stays, but what was not sent yet does', () => {
  let state = next(begun(), { is: 'page', page: page([message(1), message(2)]) })
  state = next(state, { is: 'written', pending: pending('a') })
  const { pending: kept } = state
  state = next(state, { is: 'emptied', now, hasBegun: true })
  for (const each of kept) state = next(state, { is: 'written', pending: each })
  assert.deepEqual([textsOf(state), state.pending.map(({ id }) => id)], [[], ['a']])
})

test('older messages come above, and whether there are more is as the last of these pages said', () => {
  let state = next(begun(), { is: 'page', page: page([message(60)], { hasOlder: true }) })
  state = next(state, { is: 'page', page: page([message(61)]) })
  assert.ok(state.hasOlder, 'a page of what is new says nothing of what is old')
  state = next(state, { is: 'older', page: page([message(10)], { last: 61 }) })
  assert.deepEqual([textsOf(state), state.hasOlder], [['m10', 'm60', 'm61'], false])
})

test('whoever writes stops to be shown as writing with their message, and when the time is over', () => {
  const typing = next(begun(), { is: 'typing', by: 'bot', until: 100 })
  assert.equal(next(typing, { is: 'typing over', at: 99 }).typing?.by, 'bot')
  assert.equal(next(typing, { is: 'typing over', at: 100 }).typing, null)
  assert.equal(next(typing, { is: 'message', message: message(1) }).typing, null)
  assert.equal(next(typing, { is: 'message', message: message(1, { from: 'visitor' }) }).typing?.by, 'bot')
})

test('marks name messages of the shop alone', () => {
  const state = next(begun(), {
    is: 'page',
    page: page([message(2), message(4), message(6, { from: 'visitor' }), message(8), message(9, { from: 'visitor' })]),
  })
  assert.deepEqual(marksOf(state, 6), { delivered: 8, read: 4 })
  assert.deepEqual(marksOf(state, 1), { delivered: 8, read: 0 })
})

const around = { greeting: 'Hello.', hasBot: true, openedAt: noon, now: noon + 3_600_000 }
const rows = (state: State) => rowsOf(state, around).map(({ key }) => key.replace(/^day .*/, 'day'))

test('the greeting comes first, unless older messages are still to be fetched; each day has its line', () => {
  assert.deepEqual(rows(begun()), ['day', 'greeting'])
  const yesterday = message(1, { at: noon - 86_400_000 })
  const state = next(begun(), { is: 'page', page: page([yesterday, message(2)]) })
  assert.deepEqual(rows(state), ['day', 'greeting', 'message 1', 'day', 'message 2'])
  const older = next(begun(), { is: 'page', page: page([message(2)], { hasOlder: true }) })
  assert.deepEqual(rows(older), ['older', 'day', 'message 2'])
})

test('buttons are offered below the last message alone, until something is written', () => {
  const offer = message(2, { choices: [{ id: 'x', title: 'X' }] })
  let state = next(begun(), { is: 'page', page: page([offer]) })
  assert.ok(rows(state).includes('choices 2'))
  state = next(state, { is: 'written', pending: pending('a') })
  assert.ok(!rows(state).includes('choices 2'))
})

test('a line stands after the message with its number, and who wrote several at once is named once', () => {
  const line = { id: 'l', seq: 2, at: noon, is: 'joined', name: 'Ines' } as const
  const state = next(begun(), { is: 'page', page: page([message(1), message(2), message(3)], { lines: [line] }) })
  assert.deepEqual(rows(state), ['day', 'greeting', 'message 1', 'message 2', 'line l', 'message 3'])
  const metas = rowsOf(state, around).flatMap((row) => (row.is === 'message' ? [row.hasMeta] : []))
  assert.deepEqual(metas, [false, true, true])
})
