import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { write } from '../../../helpers/bots.ts'
import { sendOne } from '../../../helpers/deliveries.ts'
import { replyOf, startInbox } from '../../../helpers/inbox.ts'
import { png } from '../../../helpers/media-files.ts'

type Thread = {
  messages: { seq: number; body: string }[]
  events: { kind: string; seq: number }[]
  older: number | null
}

test('a thread is read backwards in pages, each message and each event once, also while messages arrive', async () => {
  await using inbox = await startInbox()
  const { account, owner, member, pathOf } = inbox
  for (let n = 0; n < 5; n += 1) await write(account, `before ${n}`)
  const path = await pathOf()
  await owner.ok('POST', `${path}/takeover`)
  for (let n = 0; n < 5; n += 1) await write(account, `after ${n}`)
  await member.ok('POST', `${path}/handback`, { answersOld: false })
  const pages: Thread[] = []
  let before: number | null = null
  do {
    const page: Thread = await owner.ok('GET', `${path}/messages?limit=3${before === null ? '' : `&before=${before}`}`)
    pages.unshift(page)
    await write(account, 'Meanwhile')
    before = page.older
  } while (before !== null)
  const texts = pages.flatMap(({ messages }) => messages.map(({ body }) => body))
  const expected = ['before', 'after'].flatMap((name) => Array.from({ length: 5 }, (_, n) => `${name} ${n}`))
  assert.deepEqual(texts, expected)
  const events = pages.flatMap((page) => page.events.map(({ kind, seq }) => [kind, seq]))
  assert.deepEqual(events, [
    ['taken over', 5],
    ['handed back', 10],
  ])
  const all: Thread = await owner.ok('GET', `${path}/messages?limit=100`)
  assert.equal(all.older, null)
  assert.equal(all.messages.length, 14)
})

test('a message says who wrote it, on which channel, how its delivery stands, and what is attached', async () => {
  await using inbox = await startInbox()
  const { app, account, member, pathOf } = inbox
  await write(account, 'See this', {
    ...{
      channel: 'Telegram',
      mediaUrl: `data:image/png;base64,${png.toString('base64')}`,
      mediaContentType: 'image/png',
    },
  })
  await write(account, 'And that', { mediaUrl: 'https://files.example/a.pdf', mediaContentType: 'application/pdf' })
  const failed = await sendOne(account, { customChannel: 'Telegram' })
  await sql`update deliveries set attempts = 2, error_category = 'http_error', error_http_status = 503,
    error_detail = 'busy', due_at = now() + interval '1 hour' where id = ${failed}`.execute(app.db)
  const sent = await sendOne(account, { customChannel: 'Telegram' })
  await sql`update deliveries set attempts = 1, sent_at = now(), due_at = null where id = ${sent}`.execute(app.db)
  const path = await pathOf()
  await member.ok('POST', `${path}/replies`, replyOf('From me'))
  const { messages } = await member.ok('GET', `${path}/messages`)
  const [picture, pdf, notSent, arrived, mine] = messages
  assert.deepEqual(picture.file, {
    state: 'stored',
    contentType: 'image/png',
    fileName: null,
    sizeBytes: png.length,
    isPicture: true,
  })
  assert.deepEqual(pdf.file, {
    state: 'not fetched yet',
    contentType: 'application/pdf',
    fileName: null,
    sizeBytes: null,
    isPicture: false,
  })
  assert.deepEqual(
    [picture.author, picture.direction, picture.delivery, picture.channel.label],
    [...['contact', 'incoming', null, 'Telegram']],
  )
  const { nextAttemptAt, maxAttempts, ...delivery } = notSent.delivery
  assert.deepEqual(delivery, {
    status: 'Failed',
    attempts: 2,
    askedAttempts: 0,
    isSending: false,
    sentAt: null,
    fault: { category: 'http_error', httpStatus: 503, detail: 'busy' },
    overChannel: null,
  })
  assert.ok(Date.parse(nextAttemptAt) > Date.now() && maxAttempts > 2)
  assert.deepEqual(
    [arrived.delivery.status, arrived.delivery.nextAttemptAt, arrived.delivery.fault],
    ['Sent', null, null],
  )
  assert.deepEqual([arrived.author, arrived.userId, arrived.userName], ['api', null, null])
  assert.deepEqual(
    [mine.author, mine.userId, mine.userName, mine.hasAnswer],
    [...['person', member.userId, 'Mia Member', false]],
  )
  const { replies, conversation } = await member.ok('GET', path)
  assert.deepEqual(replies, { sent: 1, failed: 1, inDoubt: 0, waiting: 1 })
  assert.deepEqual(conversation.last, {
    author: 'person',
    userName: 'Mia Member',
    kind: 'text',
    text: 'From me',
    hasFile: false,
    isTakenBack: false,
  })
})

test('channels get colours in the order in which they are first seen, and keep them', async () => {
  await using inbox = await startInbox()
  const { account, owner, pathOf } = inbox
  const labels = Array.from({ length: 10 }, (_, n) => `channel ${n}`)
  for (const channel of labels) {
    await write(account, 'Hello', { channel })
    await owner.ok('GET', await pathOf())
  }
  const { messages } = await owner.ok('GET', `${await pathOf()}/messages`)
  assert.deepEqual(
    messages.map((one: { channel: unknown }) => one.channel),
    labels.map((label, n) => ({ label, name: label, kind: null, colour: (n % 8) + 1 })),
  )
})
