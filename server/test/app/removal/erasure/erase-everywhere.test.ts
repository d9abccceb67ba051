import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contactTexts } from '@patchbay/contract/contact-texts.ts'
import { sql } from 'kysely'
import { eraseContact } from '../../../../src/app/removal/erasure/erase-contact.ts'
import { countReports } from '../../../../src/app/reports/count-reports.ts'
import { indexNewMessages } from '../../../../src/app/search/index-messages.ts'
import { optOut } from '../../../../src/journey/conversations/consent.ts'
import { contactOf, defaultCampaign, editCampaign, untilAnswered, write } from '../../../helpers/bots.ts'
import { startCast, untilCast } from '../../../helpers/broadcasts.ts'
import { saveUrl, sendOne, startDelivering, untilMessages } from '../../../helpers/deliveries.ts'
import { secretKey } from '../../../helpers/harness.ts'
import { importFile, untilImport, upload } from '../../../helpers/imports.ts'
import { outgoing, sendPath } from '../../../helpers/message-requests.ts'
import { startReceiver } from '../../../helpers/receivers.ts'
import { signIn } from '../../../helpers/sessions.ts'
import { until } from '../../../helpers/until.ts'
import { columnsWith } from '../../../helpers/words.ts'

/** Texts that belong to the erased contact alone, each in a column of its own. */
const words = {
  firstName: 'Zebulonia',
  lastName: 'Quattlebaum',
  email: 'zq@example.com',
  phone: '15551230987',
  fromId: 'whistle-0815',
  body: 'is the xylophone still there',
  sid: 'sid-of-the-gong',
  label: 'kazoo channel',
  campaign: 'campaign-of-the-lute',
  status: 'seen-by-the-harp',
  toId: 'desk-of-the-oboe',
  file: 'marimba in a file',
  address: 'banjo.txt',
  fetched: 'fetched ukulele',
  echoed: 'theremin quoted back',
  sent: 'your bassoon is ready',
  note: 'she plays the sousaphone',
  tag: 'glockenspiel',
}
const all = Object.values(words)

/** Columns that contain them before the erasure: an empty column would prove nothing. */
const filled = [
  ...contactTexts.map((name) => `contacts.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`),
  ...['email', 'phone', 'external_id'].map((name) => `contacts.${name}`),
  ...['body', 'message_sid', 'channel', 'campaign_id', 'status', 'to_id'].map((name) => `messages.${name}`),
  ...['deliveries.payload', 'deliveries.error_detail', 'delivery_attempts.error_detail', 'conversations.channel'],
  ...[
    'attachments.url',
    'media_chunks.bytes',
    'unanswered.question',
    'idempotency_keys.answer',
    'channel_labels.label',
  ],
  ...['message_search.texts', 'conversation_notes.body', 'conversation_tags.tag', 'report_channels.label'],
  ...['imports.first_rows', 'import_blocks.rows', 'import_errors.cells', 'import_errors.keys'],
]

async function startWorld() {
  await using started = new AsyncDisposableStack()
  const released = Promise.withResolvers<void>()
  let isHeld = false
  let held = 0
  let failures = 4 // fewer than open the circuit breaker, for which a broadcast would wait
  const receiver = started.use(
    await startReceiver(async ({ method, body }, response) => {
      if (isHeld) {
        held += 1
        await released.promise
      }
      if (method === 'GET') response.end(words.fetched)
      else if (body.includes(words.fromId) && failures-- > 0) response.writeHead(500).end(words.echoed)
      else response.end()
    }),
  )
  const app = started.use(await startDelivering({ DELIVERY_RETRY_SECONDS: '0,3600' }))
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  const texts = { fallbackText: 'I do not know, {{firstName}}.', quietSeconds: 0 }
  await editCampaign(app, await defaultCampaign(app, account), texts)
  const running = started.move()
  return {
    app,
    account,
    receiver,
    released,
    hold: () => {
      isHeld = true
    },
    held: () => held,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

type World = Awaited<ReturnType<typeof startWorld>>

/** A conversation that leaves texts in every column that can hold one. */
async function talk({ app, account, receiver }: World) {
  const { firstName, lastName, email, fromId, body, sid, label, campaign, status, toId } = words
  const fields = { fromId, firstName, lastName, email, channel: label, status, toId, campaignId: campaign }
  await write(account, `${body}?`, { ...fields, messageSid: sid })
  await untilAnswered(app)
  const file = `data:text/plain;base64,${Buffer.from(words.file).toString('base64')}`
  await write(account, 'Hello', { fromId, mediaUrl: file, mediaContentType: 'text/plain' })
  await write(account, 'Hello', {
    fromId,
    mediaUrl: `${receiver.url}/${words.address}`,
    mediaContentType: 'text/plain',
  })
  await untilAnswered(app)
  await sendOne(account, { fromId, customChannel: label, body: words.sent })
  await untilMessages(app, account, (messages) =>
    messages.every(
      ({ direction, status, attempts }) => direction === 'incoming' || status === 'Sent' || attempts === 2,
    ),
  )
  const files = () => app.db.selectFrom('attachments').select('state').where('state', '=', 'stored').execute()
  await until(async () => (await files()).length === 2, 'the file was not fetched')
}

async function makeByPhone({ app, account }: World) {
  const ask = (path: string, body: unknown, once: string) =>
    app.call('POST', path, { key: account.apiKey, headers: { 'idempotency-key': once }, body })
  const { firstName, phone, fromId, label, sent } = words
  const made = await ask('/contacts', { phone: `+${phone}`, firstName }, `made ${firstName}`.replace(' ', '-'))
  assert.equal(made.status, 201)
  assert.equal((await ask(sendPath, outgoing({ fromId, customChannel: label, body: sent }), 'sent')).status, 200)
  await account.post(`/lists/${account.listId}/contacts`, { contactId: made.body.id })
  return made.body.id
}

/** Both are on the list: one gets a message with their name, the other has no id and is left out. */
async function broadcast({ app, account }: World) {
  await account.post(`/lists/${account.listId}/contacts`, { contactId: await contactOf(app, words.fromId) })
  const id = await startCast(account, { body: 'Hello {{firstName}}, we have news.' })
  await untilCast(account, id, ({ counts }) => counts.leftOut.noId === 1 && counts.recipients === 2)
  const made = () => app.db.selectFrom('messages').select('id').where('broadcastId', 'is not', null).execute()
  await until(async () => (await made()).length === 1, 'no message was made')
  await sendOne(account, { fromId: words.fromId, customChannel: words.label, body: words.sent })
}

/** A user reads the conversation and answers, which leaves rows that name the contact. */
async function useInbox({ app, account }: World) {
  const user = await signIn(app, account)
  const path = `/api/conversations/${await contactOf(app, words.fromId)}`
  const answers = [
    await user.call('GET', '/api/conversations'),
    await user.call('GET', `${path}/messages`),
    await user.call('PUT', `${path}/read`, { seq: 1 }),
    await user.call('POST', `${path}/replies`, { body: words.sent, clientId: 'reply-of-the-flute' }),
    await user.call('PUT', `${path}/bot`, { mayWrite: false }),
    await user.call('POST', `${path}/notes`, { body: words.note, clientId: 'note-of-the-flute' }),
    await user.call('POST', `${path}/tags`, { tag: words.tag }),
    await user.call('PUT', `${path}/assignee`, { userId: user.userId }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 200),
  )
  for (const table of ['conversationReads', 'conversationEvents'] as const) {
    assert.notEqual((await app.db.selectFrom(table).select('contactId').execute()).length, 0, table)
  }
}

async function sumOfMessages({ app, account }: World): Promise<number> {
  const { rows } = await sql<{ sum: number }>`
    select sum(messages_in + messages_out)::integer as sum from report_quarters where account_id = ${account.accountId}
  `.execute(app.db)
  return rows[0]?.sum ?? 0
}

/** A row that could not be imported, and rows that wait to be. */
async function importThem({ app, account }: World) {
  const browser = await signIn(app, account)
  const { firstName, lastName, email, phone, fromId } = words
  const head = 'first name,last name,phone,email,external id,notes'
  await importFile(
    browser,
    `${head}\n${firstName},${lastName},12,${email.toUpperCase()},,\nBen,,,b@example.com,,piano\n`,
  )
  const spelled = `+${phone.slice(0, 1)} (${phone.slice(1, 4)}) ${phone.slice(4)}`
  const rows = [`${firstName},,${spelled},,,`, `,${lastName},,,${fromId},`, 'Ben,,,b@example.com,,piano']
  await untilImport(browser, await upload(browser, [head, ...rows].join('\n')), 'ready')
}

test('no text of an erased contact is left in any column of any table, or comes back by deliveries and files in flight', async () => {
  await using world = await startWorld()
  const { app, account, hold, held, released } = world
  await write(account, 'Do you have a piano?', { fromId: 'ben' })
  await talk(world)
  const byPhone = await makeByPhone(world)
  await useInbox(world)
  await broadcast(world)
  await write(account, 'Hello', { fromId: words.fromId }) // which nobody answers
  await importThem(world)
  const { accountId } = account
  const erased = [
    { accountId, contactId: await contactOf(app, words.fromId) },
    { accountId, contactId: byPhone },
  ]
  for (const ref of erased) await optOut(app.db, ref)
  await indexNewMessages(app.db)
  await countReports(app.db)
  const sums = await sumOfMessages(world)
  for (const word of all) assert.notDeepEqual(await columnsWith(app, [word]), [], `"${word}" is nowhere`)
  const before = await columnsWith(app, all)
  const byId = await columnsWith(app, [erased[0]?.contactId ?? ''])
  for (const table of ['report_marks', 'report_waiting', 'report_deliveries']) {
    assert.ok(byId.includes(`${table}.contact_id`), `${table} was not filled`)
  }
  assert.deepEqual(
    filled.filter((column) => !before.includes(column)),
    [],
    'these were not filled',
  )

  const names = await columnsWith(
    app,
    erased.map(({ contactId }) => contactId),
  )
  assert.ok(names.includes('broadcast_recipients.contact_id'))
  hold() // a delivery and a file are in flight during the erasure, and finish afterwards
  await sendOne(account, { fromId: words.fromId, body: words.sent })
  const media = { mediaUrl: `${world.receiver.url}/${words.address}?2`, mediaContentType: 'text/plain' }
  await write(account, 'Hello', { fromId: words.fromId, ...media })
  await until(() => held() >= 2, 'they are not in flight')
  for (const ref of erased) await eraseContact({ db: app.db, secretKey }, ref)
  assert.deepEqual(await columnsWith(app, all), [])
  released.resolve()
  await untilAnswered(app)
  await until(async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()
    `.execute(app.db)
    return rows.length === 0
  }, 'the database is never idle')
  assert.deepEqual(await columnsWith(app, all), [])
  assert.deepEqual(
    app.log.filter((line) => all.some((word) => line.includes(word))),
    [],
  )
  assert.ok((await sumOfMessages(world)) >= sums, 'reports keep what was counted')
  // Only the id stays: in the ledger, in the audit, and in the stored answer of an idempotency key that must not send twice.
  const ids = erased.map(({ contactId }) => contactId)
  assert.deepEqual(await columnsWith(app, ids), ['audit_events.details', 'idempotency_keys.answer'])
  const kept = await columnsWith(app, ['piano'])
  assert.deepEqual(
    ['messages.body', 'import_blocks.rows', 'imports.first_rows'].filter((column) => !kept.includes(column)),
    [],
    'other contacts keep everything',
  )
})
