import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { readStatus } from '../../../../src/app/operations/status-store.ts'
import { eraseContact, showContact } from '../../../../src/app/removal/erasure/erase-contact.ts'
import { handBack } from '../../../../src/journey/conversations/take-over.ts'
import { contactOf, defaultCampaign, editCampaign, untilAnswered, write } from '../../../helpers/bots.ts'
import { assertRefusedCommand, readDocument, startBeside } from '../../../helpers/commands.ts'
import { saveUrl, sendOne, startDelivering, untilMessages } from '../../../helpers/deliveries.ts'
import { secretKey } from '../../../helpers/harness.ts'
import { countTraces } from '../../../helpers/message-requests.ts'
import { startReceiver } from '../../../helpers/receivers.ts'

const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
const file = { mediaUrl: pixel, mediaContentType: 'image/gif' }

test('nothing is left of an erased contact, and other contacts keep everything', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  // A turn must still be pending when the contact is erased, however slow the machine is.
  await editCampaign(app, await defaultCampaign(app, account), { quietSeconds: 300 })
  await write(account, 'Hello', { fromId: 'ben', ...file })
  await untilAnswered(app)
  await untilMessages(app, account, (all) => all.filter(({ status }) => status === 'Sent').length === 1)
  const before = await countTraces(app)
  await write(account, 'Hello', { fromId: 'ana', ...file })
  await untilAnswered(app)
  await write(account, 'Something else', { fromId: 'ana' })
  await untilMessages(app, account, (all) => all.filter(({ status }) => status === 'Sent').length === 2)
  const contactId = await contactOf(app, 'ana')
  await account.post(`/lists/${account.listId}/contacts`, { contactId })
  const ref = { accountId: account.accountId, contactId }
  const shown = await showContact(app.db, ref)
  assert.deepEqual([shown.fromId, shown.messages, shown.lists, shown.handler], ['ana', 3, [account.listId], 'bot'])

  assert.deepEqual(await eraseContact({ db: app.db, secretKey }, ref), { erased: true, messages: 3 })
  assert.deepEqual(await countTraces(app), before)
  for (const table of ['answers', 'deliveryAttempts', 'listMembers'] as const) {
    const rows = await app.db.selectFrom(table).selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes(contactId), table)
  }
  await eraseContact(
    { db: app.db, secretKey },
    { accountId: account.accountId, contactId: await contactOf(app, 'ben') },
  )
  assert.deepEqual(await countTraces(app), {})
  await assert.rejects(handBack(app.db, ref), /no conversation/)
})

test('a contact who writes while being erased is gone or new, and each message is erased or kept with the new one', async () => {
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await write(account, 'The first')
  const first = await contactOf(app)
  const writing = Array.from({ length: 40 }, (_, n) => write(account, `Message ${n}`))
  const { messages } = await eraseContact({ db: app.db, secretKey }, { accountId: account.accountId, contactId: first })
  await Promise.all(writing)
  await write(account, 'The last')
  const left = await app.db
    .selectFrom('messages')
    .select(['contactId', 'body'])
    .where('author', '=', 'contact')
    .execute()
  const contacts = await app.db.selectFrom('contacts').select('id').execute()
  assert.equal(contacts.length, 1)
  assert.notEqual(contacts[0]?.id, first)
  assert.ok(left.every(({ contactId }) => contactId === contacts[0]?.id))
  assert.ok(left.some(({ body }) => body === 'The last') && left.every(({ body }) => body !== 'The first'))
  assert.equal(left.length + messages, 42, 'each acknowledged message is stored or was erased')
})

test('a delivery attempt that is logged while its contact is erased is erased too', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '0' })
  let asked = 0
  await using receiver = await startReceiver(async (_request, response) => {
    asked += 1
    response.writeHead(500).end('Ana is not known here.')
  })
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  // Whoever logs an attempt waits a second before it commits.
  await sql`create function delay() returns trigger language plpgsql as 'begin perform pg_sleep(1); return null; end'`.execute(
    app.db,
  )
  await sql`create trigger delay after insert on delivery_attempts execute function delay()`.execute(app.db)
  await sendOne(account)
  while (asked < 2) await sleep(5)
  await sleep(300)
  await eraseContact({ db: app.db, secretKey }, { accountId: account.accountId, contactId: await contactOf(app) })
  assert.deepEqual(await app.db.selectFrom('deliveryAttempts').selectAll().execute(), [])
})

test('commands show and erase a contact, and print the status of the installation', async () => {
  await using beside = await startBeside()
  const { app, commands, run } = beside
  const shop = await app.makeAccount()
  await write(shop, 'Hello')
  await untilAnswered(app)
  const contact = await contactOf(app)
  assert.equal(readDocument(await run(shop, 'contact', 'show', '--contact', contact)).fromId, 'ana')
  const status = readDocument(await commands.run('status', '--json'))
  assert.deepEqual([status.pendingReplies, status.answersParked, status.conversationsWaiting], [0, 0, 0])
  const ofBackups = ['lastBackupAt', 'backupFailedAt', 'backupFailure', 'workPausedAt', 'archive']
  assert.deepEqual(Object.keys(status).slice(1), [...Object.keys(await readStatus(app.db)), ...ofBackups])
  const other = await app.makeAccount()
  assertRefusedCommand(await run(other, 'contact', 'erase', '--contact', contact), /no contact/)
  assert.deepEqual(readDocument(await run(shop, 'contact', 'erase', '--contact', contact)), {
    erased: true,
    messages: 2,
  })
  assertRefusedCommand(await run(shop, 'contact', 'show', '--contact', contact), /no contact/)
})
