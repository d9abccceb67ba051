import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { indexNewMessages } from '../../../../src/app/search/index-messages.ts'
import { contactOf, write } from '../../../helpers/bots.ts'
import { replyOf, startInbox } from '../../../helpers/inbox.ts'
import { incoming, incomingPath, outgoing, sendPath } from '../../../helpers/message-requests.ts'
import { makeOlder, olderId, removeOld } from '../../../helpers/retention.ts'

const keep = { messages: 30 }
const bodiesOf = (page: { messages: { body: string }[] }) => page.messages.map(({ body }) => body)

/** The bot is silent: no answer is owed unless a test wants one. */
async function startShop() {
  const inbox = await startInbox()
  await inbox.app.db.updateTable('accounts').set({ botActive: false }).execute()
  return inbox
}

/** Two rounds: the first notes what the second removes. */
async function removeTwice(db: Parameters<typeof removeOld>[0], keepDays: Parameters<typeof removeOld>[1] = keep) {
  await removeOld(db, keepDays)
  return removeOld(db, keepDays)
}

test('what the simulator showed is kept as long as messages are', async () => {
  await using shop = await startShop()
  await write(shop.account, 'Hello')
  const contactId = await contactOf(shop.app)
  await sql`
    insert into simulator_events (account_id, contact_id, at, kind, message_id, outcome, duration_ms)
    select ${shop.account.accountId}, ${contactId}, now() - days * interval '1 day', 'incoming', 'msg_' || days, '200', 1
    from unnest(array[0, 29, 31]) as days
  `.execute(shop.app.db)
  await removeOld(shop.app.db)
  assert.equal(await count(shop, 'simulator_events'), 3)
  await removeOld(shop.app.db, keep)
  assert.equal(await count(shop, 'simulator_events'), 2)
})

test('messages are removed when they are older than they are kept, with their deliveries, and the thread says so', async () => {
  await using shop = await startShop()
  const { app, account, owner } = shop
  await write(account, 'Old question')
  const { body: sent } = await account.post(sendPath, outgoing({ body: 'Old answer' }))
  await app.db.updateTable('deliveries').set({ dueAt: null, sentAt: sql`now()` }).execute()
  await indexNewMessages(app.db)
  await makeOlder(app.db, 31)
  await write(account, 'New question')
  await indexNewMessages(app.db)
  const path = await shop.pathOf()

  await removeOld(app.db)
  assert.equal(
    (await owner.ok('GET', `${path}/messages`)).messages.length,
    3,
    'without a setting they are kept for ever',
  )
  await removeTwice(app.db)
  const page = await owner.ok('GET', `${path}/messages`)
  assert.deepEqual(bodiesOf(page), ['New question'])
  assert.equal(page.messages[0].seq, 3, 'numbers stay')
  assert.ok(Date.parse(page.removedBefore) < Date.now() - 29 * 86_400_000)
  assert.equal(await count(shop, 'deliveries'), 0)
  assert.deepEqual((await owner.ok('GET', '/api/search?q=question')).messages.length, 1)
  const { rows } = await sql<{ texts: string }>`select texts from message_search`.execute(app.db)
  assert.deepEqual(
    rows.map(({ texts }) => texts),
    [' new question'],
    'its words are gone too',
  )
  assert.equal((await account.post(sendPath, outgoing())).body.contactId, sent.contactId)
  const { rows: numbers } = await sql`select seq, outgoing_seq from messages order by seq desc limit 1`.execute(app.db)
  assert.deepEqual(numbers, [{ seq: '4', outgoingSeq: '2' }])
})

async function count({ app }: Awaited<ReturnType<typeof startShop>>, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from ${sql.table(table)}`.execute(app.db)
  return rows[0]?.n ?? 0
}

test('a copy that comes after its message was removed is answered with the first id, and stored nowhere', async () => {
  await using shop = await startShop()
  const { app, account } = shop
  const other = await app.makeAccount()
  const message = incoming({ messageSid: 'once' })
  const withFile = incoming({
    messageSid: 'file',
    mediaContentType: 'text/plain',
    mediaUrl: 'data:text/plain;base64,SGk=',
  })
  const ids = [await account.post(incomingPath, message), await account.post(incomingPath, withFile)].map(({ body }) =>
    olderId(body.messageId, 31),
  )
  await makeOlder(app.db, 31)
  await removeOld(app.db, keep)
  assert.equal(await count(shop, 'messages'), 2, 'their messageSids are noted first')
  await removeOld(app.db, keep)
  assert.equal(await count(shop, 'messages'), 0)
  assert.equal(await count(shop, 'media'), 0)
  // The process that receives asks which accounts have had messages removed; by then it has.
  await using second = await (await import('../../../helpers/harness.ts')).startApp({}, app.database)
  const call = (body: unknown) => second.call('POST', incomingPath, { key: account.apiKey, body })
  for (const [n, copy] of [message, withFile].entries()) {
    assert.deepEqual((await call(copy)).body, { success: true, messageId: ids[n] })
  }
  assert.equal(await count(shop, 'messages'), 0)
  const both = await Promise.all([call(message), call(incoming({ messageSid: 'new' }))])
  assert.equal(both[0]?.body.messageId, ids[0])
  assert.equal(await count(shop, 'messages'), 1, 'one that came with it is stored')
  assert.notEqual((await other.post(incomingPath, message)).body.messageId, ids[0], 'another account has its own')

  await sql`update removed_sids set noted_at = now() - interval '90 days 12 hours'`.execute(app.db)
  await removeOld(app.db, keep)
  assert.equal((await call(message)).body.messageId, ids[0], 'for 90 days at least')
  await sql`update removed_sids set noted_at = now() - interval '92 days'`.execute(app.db)
  await removeOld(app.db)
  assert.equal(await count(shop, 'removed_sids'), 0)
})

test('a conversation whose messages are all gone leaves the lists, and comes back with the next message', async () => {
  await using shop = await startShop()
  const { app, account, owner } = shop
  for (const fromId of ['ana', 'ben']) {
    await write(account, 'Help', { fromId })
    const path = await shop.pathOf(fromId)
    await owner.ok('POST', `${path}/tags`, { tag: 'vip' })
  }
  const path = await shop.pathOf()
  await owner.ok('POST', `${path}/notes`, replyOf('A note'))
  await sql`update conversations set waiting_since = now(), waiting_reason = 'asked', assignee_id = ${account.userId}`.execute(
    app.db,
  )
  const lists = async () => {
    const of = async (query: string) => (await owner.ok('GET', `/api/conversations?${query}`)).conversations.length
    const counts = await owner.ok('GET', '/api/counts')
    return {
      all: await of('filter=all'),
      unread: await of('filter=unread'),
      waiting: await of('filter=waiting'),
      mine: await of('filter=mine'),
      tag: await of('tag=vip'),
      closed: await of('filter=closed'),
      counted: [counts.unread, counts.waiting, counts.mine],
    }
  }
  assert.deepEqual(await lists(), { all: 2, unread: 2, waiting: 2, mine: 2, tag: 2, closed: 0, counted: [2, 2, 2] })
  await makeOlder(app.db, 31)
  await write(account, 'Still there?', { fromId: 'ben' })
  await removeTwice(app.db)
  assert.deepEqual(await lists(), { all: 1, unread: 1, waiting: 1, mine: 1, tag: 1, closed: 0, counted: [1, 1, 1] })
  assert.equal((await owner.call('GET', path)).status, 404)
  assert.equal((await owner.call('POST', `${path}/close`, { seq: 1 })).status, 404)
  const { body: contact } = await owner.call('GET', `/api/contacts/${await contactOf(app)}`)
  assert.equal(contact.channel, null, 'the contact stays')
  assert.equal(await count(shop, 'conversation_notes'), 0, 'a note is kept as long as a message')

  await account.post(sendPath, outgoing({ body: 'We are back' }))
  assert.deepEqual((await lists()).all, 2)
  assert.equal((await owner.ok('GET', path)).conversation.state, 'open')
  await write(account, 'Hello again')
  assert.equal((await lists()).unread, 2)
  assert.deepEqual(bodiesOf(await owner.ok('GET', `${path}/messages`)), ['We are back', 'Hello again'])
})

test('what was never read is not unread any more when it is removed, though later messages stay', async () => {
  await using shop = await startShop()
  const { app, account, owner } = shop
  const question = await write(account, 'A question')
  const path = await shop.pathOf()
  await owner.ok('PUT', `${path}/read`, { seq: 1 })
  const second = await write(account, 'Another')
  await account.post(sendPath, outgoing({ body: 'A notice' }))
  await makeOlder(app.db, 31, [question, second])
  await removeTwice(app.db)
  assert.deepEqual(bodiesOf(await owner.ok('GET', `${path}/messages`)), ['A notice'])
  assert.equal((await owner.ok('GET', '/api/conversations?filter=unread')).conversations.length, 0)
  assert.equal((await owner.ok('GET', '/api/counts')).unread, 0)
  await write(account, 'One more')
  assert.equal((await owner.ok('GET', '/api/conversations?filter=unread')).conversations[0].unread, 1)
})

test('a message that is still to be delivered is not removed before it has arrived or failed', async () => {
  await using shop = await startShop()
  const { app, account } = shop
  await account.post(sendPath, outgoing({ body: 'Owed' }))
  await account.post(sendPath, outgoing({ body: 'Leased' }))
  await account.post(sendPath, outgoing({ body: 'Failed' }))
  await sql`update deliveries set due_at = null where payload like '%Failed%' or payload like '%Leased%'`.execute(
    app.db,
  )
  await sql`update deliveries set error_category = 'gone' where payload like '%Failed%'`.execute(app.db)
  await sql`
    update deliveries set lease_token = gen_random_uuid(), leased_until = now() where payload like '%Leased%'
  `.execute(app.db)
  await makeOlder(app.db, 31)
  await removeTwice(app.db)
  const bodies = async () =>
    (await app.db.selectFrom('messages').select('body').orderBy('seq').execute()).map(({ body }) => body)
  assert.deepEqual(await bodies(), ['Owed', 'Leased'])
  await sql`update deliveries set due_at = null, sent_at = now(), lease_token = null, leased_until = null`.execute(
    app.db,
  )
  await removeTwice(app.db)
  assert.deepEqual(await bodies(), [])
})
