import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoadedThread } from '../../src/inbox/data/thread-cache.ts'
import { threadItems } from '../../src/inbox/thread/thread-items.ts'
import { delivery, event, message, minute, note, sent } from './helpers.ts'

function items(
  messages: LoadedThread['messages'],
  events: LoadedThread['events'] = [],
  notes: LoadedThread['notes'] = [],
) {
  return threadItems({ messages, events, notes, older: null })
}

function receipts(messages: LoadedThread['messages'], events: LoadedThread['events'] = []): boolean[] {
  return items(messages, events).flatMap((item) => (item.kind === 'message' ? [item.hasReceipt] : []))
}

const soon = (seq: number, seconds: number) => ({
  createdAt: new Date(Date.parse(minute(0)) + seconds * 1000).toISOString(),
  id: `msg_${seq}`,
})

test('messages of one author within two minutes share one receipt, at the last of them', () => {
  assert.deepEqual(receipts([sent(1, soon(1, 0)), sent(2, soon(2, 60)), sent(3, soon(3, 119))]), [false, false, true])
  assert.deepEqual(receipts([sent(1, soon(1, 0)), sent(2, soon(2, 121))]), [true, true])
})

test('a receipt never speaks for another author, another state, or a message that failed', () => {
  assert.deepEqual(receipts([sent(1, soon(1, 0)), message(2, soon(2, 5))]), [true, true])
  assert.deepEqual(receipts([sent(1, soon(1, 0)), sent(2, { ...soon(2, 5), userId: 'usr_2' })]), [true, true])
  assert.deepEqual(receipts([sent(1, soon(1, 0)), sent(2, { ...soon(2, 5), delivery: delivery('Waiting') })]), [
    true,
    true,
  ])
  const failed = delivery('Failed')
  const both = [sent(1, { ...soon(1, 0), delivery: failed }), sent(2, { ...soon(2, 5), delivery: failed })]
  assert.deepEqual(receipts(both), [true, true])
})

test('an answer of the bot that can say why keeps its receipt', () => {
  const bot = { author: 'bot', userId: null, hasAnswer: true } as const
  assert.deepEqual(receipts([sent(1, { ...soon(1, 0), ...bot }), sent(2, { ...soon(2, 5), ...bot })]), [true, true])
})

test('a reaction sits on our last message before it, and stands alone where there is none', () => {
  const thumb = message(4, { kind: 'reaction', body: '👍' })
  const early = message(1, { kind: 'reaction', body: '❤️' })
  const shown = items([early, sent(2), sent(3), thumb, message(5)]).flatMap((item) =>
    item.kind === 'message' ? [[item.message.seq, item.reactions.map(({ body }) => body)]] : [],
  )
  assert.deepEqual(shown, [
    [1, []],
    [2, []],
    [3, ['👍']],
    [5, []],
  ])
})

test('an event comes after the message it followed, and parts the receipts around it', () => {
  const messages = [sent(1, soon(1, 0)), sent(2, soon(2, 30))]
  const took = event(1, { at: soon(1, 10).createdAt })
  const kinds = items(messages, [took]).map(({ kind, key }) => (kind === 'day' ? kind : key))
  assert.deepEqual(kinds, ['day', 'msg_1', 'evt_1', 'msg_2'])
  assert.deepEqual(receipts(messages, [took]), [true, true])
  assert.deepEqual(
    items([], [event(0)]).map(({ kind }) => kind),
    ['day', 'event'],
  )
})

test('each day begins with its separator, once', () => {
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString()
  const messages = [1, 2, 3].map((seq) => message(seq, { createdAt: at(seq < 3 ? 15 : 16, 8 + seq) }))
  assert.deepEqual(
    items(messages).map(({ kind }) => kind),
    ['day', 'message', 'message', 'day', 'message'],
  )
})

test('a note stands after the message that it was written after, among events by its time, and parts a group', () => {
  const messages = [sent(1, soon(1, 0)), sent(2, soon(2, 60))]
  const shown = items(messages, [event(2)], [note(1), note(2)])
  assert.deepEqual(
    shown.map(({ key }) => key).filter((key) => !key.startsWith('day')),
    ['msg_1', 'note_1', 'msg_2', 'evt_2', 'note_2'],
  )
  assert.deepEqual(
    shown.flatMap((item) => (item.kind === 'message' ? [item.hasReceipt] : [])),
    [true, true],
  )
})

test('what is new of a visitor is told once, in the receipt of its group; another page or another voucher begins a group', () => {
  const details = (url: string | null, isSigned = false) => ({
    ...{ writtenAt: null, edited: null, takenBackAt: null, replyTo: null, choice: null, described: null, place: null },
    ...{ page: url === null ? null : { url, isOurs: true }, language: 'de', isSigned },
  })
  const told = (messages: LoadedThread['messages']) =>
    items(messages).flatMap((item) =>
      item.kind === 'message' && item.hasReceipt ? [[item.message.seq, item.news.page?.url, item.news.language]] : [],
    )
  const said = (seq: number, url: string | null, isSigned?: boolean) =>
    message(seq, { ...soon(seq, seq), details: details(url, isSigned) })
  assert.deepEqual(
    told([said(1, 'https://a/'), said(2, 'https://a/'), said(3, 'https://b/'), said(4, null), said(5, null, true)]),
    [
      [2, 'https://a/', 'de'],
      [4, 'https://b/', null],
      [5, undefined, null],
    ],
  )
})

test('a tap that names no message fills the button of the last one that offered it', () => {
  const over = { doubtSince: null, repeatedAt: null, mayBeTwice: false, doubtEndedBy: null, receipts: true }
  const offer = (seq: number) =>
    sent(seq, {
      delivery: delivery('Sent', {
        overChannel: {
          ...{ ...over, deliveredAt: null, readAt: null, parts: 1, partsSent: 1 },
          choices: [{ id: 'ent_1', title: 'Hours' }],
        },
      }),
    })
  const details = {
    ...{ writtenAt: null, edited: null, takenBackAt: null, replyTo: null, described: null, place: null },
    ...{ page: null, language: null, isSigned: false, choice: 'ent_1' },
  }
  const shown = items([offer(1), offer(2), message(3, { details }), offer(4)])
  const filled = shown.flatMap((item) => (item.kind === 'message' ? [item.tapped.size] : []))
  assert.deepEqual(filled, [0, 1, 0, 0])
})
