import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { statements } from '../../../src/journey/messages/known-outgoing-store.ts'
import { sendWithin } from '../../../src/journey/messages/send.ts'
import { startShop } from '../../helpers/app-contacts.ts'
import { contactOf } from '../../helpers/bots.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { allSent, passTime, saveUrl, startDelivering, untilMessages } from '../../helpers/deliveries.ts'
import { secretKey, startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { assertLocksInOrder, watchKeeping } from '../../helpers/keeping.ts'
import { countTraces, incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { untilLockWait } from '../../helpers/rows.ts'
import { openSlowProxy } from '../../helpers/slow-proxy.ts'

const limitless = { RATE_LIMIT_PER_MINUTE: '0' }
const short = 'keep-known-outgoing'
const long = 'keep-outgoing'

async function send(shop: Pick<TestAccount, 'post'>, over: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await shop.post(sendPath, outgoing(over))
  assert.equal(status, 200, JSON.stringify(body))
  return body.messageId
}

/** Another process, which remembers nothing yet. */
async function startOther(app: TestApp, shop: TestAccount) {
  const other = await startApp(limitless, app.database)
  const post = (path: string, body: unknown) => other.call('POST', path, { key: shop.apiKey, body })
  return { other, there: { post }, [Symbol.asyncDispose]: () => other[Symbol.asyncDispose]() }
}

test('further messages to a contact take the short statement, whichever direction it is known by', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const seen = watchKeeping(app)
  const named = { firstName: 'Ana', email: 'ana@example.com' }
  await send(shop, named)
  assert.deepEqual(seen(), [long])
  await send(shop)
  await send(shop, { ...named, firstName: 'Other' })
  assert.deepEqual(seen(), [short, short])
  await send(shop, { lastName: 'Silva' })
  assert.deepEqual(seen(), [long], 'it fills what is empty')
  await shop.post(incomingPath, incoming({ firstName: 'Ana' }))
  assert.deepEqual(seen(), ['keep-known-owing'], 'a message to a contact makes it known for messages from it')
  await shop.post(incomingPath, incoming({ fromId: 'ben', messageSid: 'sid-2' }))
  await send(shop, { fromId: 'ben' })
  assert.deepEqual(seen(), ['keep-messages', short])
  const messages = await app.db
    .selectFrom('messages')
    .select(['contactId', 'seq', 'outgoingSeq'])
    .orderBy('id')
    .execute()
  const ana = messages.filter(({ contactId }) => contactId === messages[0]?.contactId)
  assert.deepEqual(
    ana.map(({ seq, outgoingSeq }) => [seq, outgoingSeq]),
    [
      ['1', '1'],
      ['2', '2'],
      ['3', '3'],
      ['4', '4'],
      ['5', null],
    ],
  )
})

test('what the short statement stores, and what its process delivers, is what the long one would', async () => {
  await using app = await startDelivering()
  const shop = await app.makeAccount()
  await using receiver = await startReceiver()
  await saveUrl(app, shop, receiver.url)
  const seen = watchKeeping(app)
  const body = 'quotes " and \\ and {braces}, commas, NULL, ünïcödé 🙂 \u2028\nand lines'
  const over = { body, customChannel: 'a "channel" \\', campaignId: '{"a"}' }
  const headers = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  for (let n = 0; n < 2; n += 1) {
    await app.call('POST', sendPath, { key: shop.apiKey, body: outgoing(over), headers })
    await untilMessages(app, shop, allSent)
  }
  assert.deepEqual(seen(), [long, short])
  const messages = await app.db.selectFrom('messages').selectAll().orderBy('seq').execute()
  const [first, second] = messages.map(({ id, seq, outgoingSeq, createdAt, ...rest }) => rest as object)
  assert.deepEqual(second, first)
  const deliveries = await app.db.selectFrom('deliveries').selectAll().orderBy('outgoingSeq').execute()
  const [one, other] = deliveries.map((delivery) => {
    const { id, outgoingSeq, firstAttemptAt, lastAttemptAt, sentAt, lastDurationMs, ...rest } = delivery
    return { ...rest, payload: rest.payload.replace(id, 'msg') }
  })
  assert.deepEqual(other, one)
  const [posted, again] = receiver.requests.map((request) => {
    const { 'webhook-id': id, traceparent, ...rest } = request.headers
    const { 'webhook-signature': signature, 'webhook-timestamp': timestamp, 'patchbay-sequence': seq, ...same } = rest
    assert.ok(signature && timestamp && seq)
    assert.match(String(traceparent), /^00-0af7651916cd43dd8448eb211c80319c-/)
    return { ...same, body: String(request.body).replace(String(id), 'msg') }
  })
  assert.deepEqual(again, posted)
})

test('a message to a known contact changes the channel, and keeps campaign and state of its conversation', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const seen = watchKeeping(app)
  await send(shop, { customChannel: 'mail', campaignId: 'cmp_one' })
  await app.db.updateTable('conversations').set({ state: 'closed' }).execute()
  await send(shop, { customChannel: 'chat' })
  assert.deepEqual(seen(), [long, short])
  const [conversation] = await app.db.selectFrom('conversations').selectAll().execute()
  const { channel, campaignId, state, lastSeq, lastOutgoingSeq } = conversation ?? {}
  assert.deepEqual([channel, campaignId, state, lastSeq, lastOutgoingSeq], ['chat', 'cmp_one', 'closed', '2', '2'])
  const messages = await app.db.selectFrom('messages').select(['channel', 'campaignId']).orderBy('seq').execute()
  assert.deepEqual(messages, [
    { channel: 'mail', campaignId: 'cmp_one' },
    { channel: 'chat', campaignId: null },
  ])
})

test('a known contact that was erased is made anew by the next message to it', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  await send(shop)
  const contactId = await contactOf(app, 'ana')
  const seen = watchKeeping(app)
  await eraseContact({ db: app.db, secretKey }, { accountId: shop.accountId, contactId })
  await send(shop)
  assert.deepEqual(seen(), [short, long])
  assert.notEqual(await contactOf(app, 'ana'), contactId)
  assert.deepEqual(await countTraces(app), { contacts: 1, conversations: 1, messages: 1, deliveries: 1 })
})

test('a name that was cleared in the app is filled by the next message to the contact, in every process', async () => {
  await using app = await startApp()
  const { shop, browser } = await startShop(app)
  await using world = await startOther(app, shop)
  const named = { firstName: 'Ana', email: 'ana@example.com' }
  const firstName = async () => (await app.db.selectFrom('contacts').select('firstName').execute())[0]?.firstName
  for (const from of [shop, world.there]) await send(from, named)
  const seen = watchKeeping(app)
  const seenThere = watchKeeping(world.other)
  await browser.call('PATCH', `/api/contacts/${await contactOf(app, 'ana')}`, { firstName: '' })
  assert.equal(await firstName(), null)
  await send(world.there, named)
  assert.equal(await firstName(), 'Ana')
  for (let n = 0; n < 2; n += 1) await send(shop, named)
  assert.deepEqual(seenThere(), [short, long])
  assert.deepEqual(seen(), [short, long, short])
})

test('the next message of a conversation with an event that is not sent yet is not leased by the short statement', async () => {
  await using app = await startDelivering()
  const shop = await app.makeAccount()
  const held = Promise.withResolvers<void>()
  await using receiver = await startReceiver(async (_request, response) => {
    if (receiver.requests.length === 2) await held.promise
    response.end()
  })
  await saveUrl(app, shop, receiver.url)
  await send(shop, { body: 'first' })
  await untilMessages(app, shop, allSent)
  const seen = watchKeeping(app)
  await send(shop, { body: 'in flight' })
  await send(shop, { body: 'behind it' })
  assert.deepEqual(seen(), [short, short])
  const leases = await app.db.selectFrom('deliveries').select('leaseToken').orderBy('outgoingSeq').execute()
  assert.deepEqual(
    leases.map(({ leaseToken }) => leaseToken !== null),
    [false, true, false],
  )
  held.resolve()
  await untilMessages(app, shop, allSent)
  assert.deepEqual(
    receiver.requests.map(({ body }) => JSON.parse(String(body)).body),
    ['first', 'in flight', 'behind it'],
  )
})

test('a message to a known contact that waits for an uncommitted one to it is sent after that one', async () => {
  await using app = await startDelivering()
  const shop = await app.makeAccount()
  await using receiver = await startReceiver()
  await saveUrl(app, shop, receiver.url)
  await send(shop, { body: 'first' })
  await untilMessages(app, shop, allSent)
  const seen = watchKeeping(app)
  const { accountId } = shop
  const later = await app.db.transaction().execute(async (tx) => {
    await sendWithin(tx, { accountId, toId: 'ana', author: 'bot', body: 'second' })
    const sending = send(shop, { body: 'third' })
    await untilLockWait(app)
    return { sending }
  })
  await later.sending
  assert.ok(seen().every((name) => name === short))
  await passTime(app.db, '1 minute')
  await untilMessages(app, shop, allSent)
  assert.deepEqual(
    receiver.requests.map(({ body }) => JSON.parse(String(body)).body),
    ['first', 'second', 'third'],
  )
})

test('when the response of the short statement is lost, the message is stored once', async () => {
  await using database = await makeDatabase()
  await using proxy = await openSlowProxy(database)
  await using app = await startApp(limitless, proxy)
  const shop = await app.makeAccount()
  await send(shop)
  const seen = watchKeeping(app)
  proxy.loseAnswerTo('the response to this one is lost')
  const messageId = await send(shop, { body: 'the response to this one is lost' })
  assert.deepEqual(seen(), [short])
  assert.equal(proxy.resets(), 1)
  const messages = await app.db.selectFrom('messages').select('id').orderBy('seq').execute()
  assert.deepEqual([messages.length, messages[1]?.id], [2, messageId])
})

test('messages to known and unknown contacts at once are two statements, and each conversation keeps its order', async () => {
  await using app = await startApp(limitless)
  const shop = await app.makeAccount()
  const contacts = Array.from({ length: 24 }, (_, n) => `contact ${n}`)
  await Promise.all(contacts.map((fromId) => send(shop, { fromId, body: '0' })))
  const seen = watchKeeping(app)
  for (let round = 1; round <= 8; round += 1) {
    await Promise.all([
      ...contacts.map((fromId) => send(shop, { fromId, body: `${2 * round - 1}` })),
      send(shop, { fromId: `new ${round}`, body: '0' }),
      send(shop, { fromId: contacts[round] ?? '', body: `${2 * round}` }), // sent after the one above
    ])
  }
  assert.deepEqual(new Set(seen()), new Set([short, long]))
  const rows = await app.db
    .selectFrom('messages')
    .select(['contactId', 'outgoingSeq', 'body'])
    .orderBy('outgoingSeq')
    .execute()
  assert.equal(rows.length, 24 + 8 * 26)
  for (const thread of Map.groupBy(rows, ({ contactId }) => contactId).values()) {
    const numbers = thread.map(({ body }) => Number(body))
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
    assert.deepEqual(
      thread.map(({ outgoingSeq }) => Number(outgoingSeq)),
      thread.map((_, n) => n + 1),
    )
  }
})

test('a message that the database refuses fails alone among messages to known contacts', async () => {
  await using app = await startApp(limitless)
  const shop = await app.makeAccount()
  const contacts = Array.from({ length: 20 }, (_, n) => `contact ${n}`)
  await Promise.all(contacts.map((fromId) => send(shop, { fromId })))
  await sql`alter table messages add constraint refused check (body <> 'poison')`.execute(app.db)
  const answers = await Promise.all(
    [...contacts, 'somebody new'].map((fromId) =>
      shop.post(sendPath, outgoing({ fromId, body: fromId === 'contact 7' ? 'poison' : 'Hi' })),
    ),
  )
  for (const [n, { status }] of answers.entries()) assert.equal(status, n === 7 ? 500 : 200)
  const { messages, deliveries } = await countTraces(app)
  assert.deepEqual([messages, deliveries], [40, 40])
})

test('conversations of known contacts are locked in the order given, also by messages to them', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  await assertLocksInOrder(app, shop.accountId, Object.values(statements))
})
