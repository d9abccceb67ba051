import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { assertFlat } from '../../helpers/flat-refusals.ts'
import { sharedApp, startApp, type TestApp } from '../../helpers/harness.ts'
import { countTraces, incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { untilLockWait } from '../../helpers/rows.ts'

const paths = [sendPath, '/send-custom-channel-message']

async function readOutgoing({ db }: TestApp) {
  return db.selectFrom('messages').selectAll().where('direction', '=', 'outgoing').orderBy('outgoingSeq').execute()
}

test('a sent message is stored, numbered and queued for delivery as exactly the event of the specification', async () => {
  await using app = await sharedApp()
  for (const path of paths) {
    const shop = await app.makeAccount()
    const owner = await app.db
      .selectFrom('users')
      .select('id')
      .where('accountId', '=', shop.accountId)
      .executeTakeFirstOrThrow()
    const text = 'Hi "Ana" 🌱 שלום \u2028 end'

    const { status, body } = await shop.post(path, outgoing({ body: text, customChannel: 'whats up' }))

    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['success', 'messageId', 'contactId', 'message'])
    const { success, messageId, contactId, message: confirmation } = body
    assert.equal(success, true)
    assert.match(messageId, /^msg_[\w-]+$/)
    assert.match(contactId, /^con_[\w-]+$/)
    assert.match(confirmation, /\w/)
    const { accountId } = shop
    const { rows: messages } = await sql`
      select id, contact_id, seq, outgoing_seq, direction, author, kind, status, body, channel, campaign_id, message_sid,
        created_at > now() - interval '1 minute' as is_recent
      from messages where account_id = ${accountId}
    `.execute(app.db)
    assert.deepEqual(messages, [
      {
        id: messageId,
        contactId,
        seq: '1',
        outgoingSeq: '1',
        direction: 'outgoing',
        author: 'api',
        kind: 'text',
        status: null,
        body: text,
        channel: 'whats up',
        campaignId: null,
        messageSid: null,
        isRecent: true,
      },
    ])
    const deliveries = await app.db.selectFrom('deliveries').selectAll().where('accountId', '=', accountId).execute()
    const [delivery] = deliveries
    assert.ok(delivery && deliveries.length === 1)
    assert.deepEqual(
      [
        delivery.id,
        delivery.contactId,
        delivery.outgoingSeq,
        delivery.attempts,
        delivery.errorCategory,
        delivery.sentAt,
      ],
      [messageId, contactId, '1', 0, null, null],
    )
    assert.ok(delivery.dueAt && delivery.dueAt.getTime() <= Date.now(), 'it is due at once')
    const event = { contactId, messageId, userId: owner.id, body: text, toId: 'ana', channel: 'whats up' }
    assert.deepEqual(JSON.parse(delivery.payload), event)
  }
})

test('message, delivery, contact and conversation are stored together or not at all', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'disk is full'; end $$
  `.execute(app.db)
  for (const table of ['deliveries', 'messages', 'conversations']) {
    await sql`create trigger refuse before insert on ${sql.table(table)} execute function refuse()`.execute(app.db)
    const headers = { 'idempotency-key': 'k' }
    const keyed = await app.call('POST', sendPath, { key: shop.apiKey, body: outgoing(), headers })
    for (const answer of [await shop.post(sendPath, outgoing()), keyed]) assertFlat(answer, 500, { label: table })
    assert.doesNotMatch(JSON.stringify(keyed.body), /disk/, 'the cause is not shown to the caller')
    assert.deepEqual(await countTraces(app), {}, table)
    await sql`drop trigger refuse on ${sql.table(table)}`.execute(app.db)
  }
  assert.equal((await shop.post(sendPath, outgoing())).status, 200)
  assert.deepEqual(await countTraces(app), { contacts: 1, conversations: 1, messages: 1, deliveries: 1 })
})

test('messages sent to and received from one fromId share one contact and one sequence of numbers', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const first = await shop.post(sendPath, outgoing({ customChannel: 'mail' }))
  await shop.post(incomingPath, incoming({ channel: 'chat' }))
  const second = await shop.post(sendPath, outgoing({ customChannel: 'sms' }))
  const other = await shop.post(sendPath, outgoing({ fromId: 'Ana' }))

  assert.equal(first.body.contactId, second.body.contactId)
  assert.notEqual(other.body.contactId, first.body.contactId, 'ids are compared exactly')
  const { contactId } = first.body
  const messages = await app.db
    .selectFrom('messages')
    .select(['seq', 'outgoingSeq', 'direction', 'channel'])
    .where('contactId', '=', contactId)
    .orderBy('seq')
    .execute()
  assert.deepEqual(messages, [
    { seq: '1', outgoingSeq: '1', direction: 'outgoing', channel: 'mail' },
    { seq: '2', outgoingSeq: null, direction: 'incoming', channel: 'chat' },
    { seq: '3', outgoingSeq: '2', direction: 'outgoing', channel: 'sms' },
  ])
  const [conversation] = await app.db
    .selectFrom('conversations')
    .selectAll()
    .where('contactId', '=', contactId)
    .execute()
  assert.deepEqual([conversation?.lastSeq, conversation?.lastOutgoingSeq, conversation?.channel], ['3', '2', 'sms'])
  assert.deepEqual(await countTraces(app), { contacts: 2, conversations: 2, messages: 4, turns: 1, deliveries: 3 })
})

test('names and e-mail fill blanks and never overwrite; a malformed e-mail is left out', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const people = () => app.db.selectFrom('contacts').select(['firstName', 'lastName', 'email', 'phone']).execute()
  await shop.post(sendPath, outgoing({ firstName: ' ', lastName: null }))
  await shop.post(sendPath, outgoing({ firstName: 'Ana', lastName: '\u00a0\t', email: 'not an address' }))
  assert.deepEqual(await people(), [{ firstName: 'Ana', lastName: null, email: null, phone: null }])
  await shop.post(sendPath, outgoing({ firstName: 'Other', lastName: 'Silva', email: ' Ana@Example.com ' }))
  await shop.post(sendPath, outgoing({ firstName: '', lastName: 'Other', email: 'other@example.com' }))
  await shop.post(incomingPath, incoming({ firstName: 'Third', email: 'third@example.com' }))
  assert.deepEqual(await people(), [{ firstName: 'Ana', lastName: 'Silva', email: 'ana@example.com', phone: null }])
})

test('a campaign is stored with its message and stays with the conversation until another one is given', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const campaigns = () => app.db.selectFrom('conversations').select('campaignId').execute()
  await shop.post(sendPath, outgoing({ campaignId: 'cmp_one' }))
  assert.deepEqual(await campaigns(), [{ campaignId: 'cmp_one' }])
  await shop.post(sendPath, outgoing({ campaignId: '' }))
  assert.deepEqual(await campaigns(), [{ campaignId: 'cmp_one' }])
  await shop.post(sendPath, outgoing({ campaignId: 'cmp_two' }))
  assert.deepEqual(await campaigns(), [{ campaignId: 'cmp_two' }])
  const messages = await readOutgoing(app)
  assert.deepEqual(
    messages.map(({ campaignId }) => campaignId),
    ['cmp_one', null, 'cmp_two'],
  )
})

test('parallel sends to one new fromId make one contact, and sequence numbers 1 to n without a gap, though some fail', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  await sql`
    create function refuse() returns trigger language plpgsql as
    $$ begin if new.payload like '%fails%' then raise check_violation; end if; return new; end $$
  `.execute(app.db)
  await sql`create trigger refuse before insert on deliveries for each row execute function refuse()`.execute(app.db)

  const bodies = Array.from({ length: 80 }, (_, n) => (n % 8 === 3 ? 'fails' : `number ${n}`))
  const answers = await Promise.all(bodies.map((body, n) => shop.post(paths[n % 2] ?? '', outgoing({ body }))))

  for (const [n, { status }] of answers.entries()) assert.equal(status, bodies[n] === 'fails' ? 500 : 200)
  const kept = answers.filter(({ status }) => status === 200)
  assert.equal(new Set(kept.map(({ body }) => body.contactId)).size, 1)
  assert.equal(new Set(kept.map(({ body }) => body.messageId)).size, 70)
  const messages = await readOutgoing(app)
  const sequenceNumbers = messages.map(({ seq, outgoingSeq }) => [Number(seq), Number(outgoingSeq)])
  assert.deepEqual(
    sequenceNumbers,
    kept.map((_, n) => [n + 1, n + 1]),
  )
  const owed = await app.db.selectFrom('deliveries').select(['id', 'outgoingSeq']).execute()
  assert.deepEqual(
    new Set(owed.map(({ id, outgoingSeq }) => `${id} ${outgoingSeq}`)),
    new Set(messages.map(({ id, outgoingSeq }) => `${id} ${outgoingSeq}`)),
  )
  assert.deepEqual(await countTraces(app), { contacts: 1, conversations: 1, messages: 70, deliveries: 70 })
})

test('a send and an incoming message that fill blanks of the same contact at the same time both succeed', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await shop.post(sendPath, outgoing())

  // Both queue for the conversation: first the incoming message, then the send, which holds the contact by then.
  const answers = await app.db.transaction().execute(async (tx) => {
    await tx.selectFrom('conversations').selectAll().forUpdate().execute()
    const filling = shop.post(incomingPath, incoming({ firstName: 'Ana' }))
    await untilLockWait(app)
    const sending = shop.post(sendPath, outgoing({ lastName: 'Silva' }))
    await untilLockWait(app, { statements: 2 })
    return { filling, sending }
  })

  assert.deepEqual([(await answers.filling).status, (await answers.sending).status], [200, 200])
  const people = await app.db.selectFrom('contacts').select(['firstName', 'lastName']).execute()
  assert.deepEqual(people, [{ firstName: 'Ana', lastName: 'Silva' }])
  assert.deepEqual(await countTraces(app), { contacts: 1, conversations: 1, messages: 3, turns: 1, deliveries: 2 })
})

test('two equal sends are two messages', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const answers = [await shop.post(sendPath, outgoing()), await shop.post(sendPath, outgoing())]
  assert.notEqual(answers[0]?.body.messageId, answers[1]?.body.messageId)
  assert.deepEqual(await countTraces(app), { contacts: 1, conversations: 1, messages: 2, deliveries: 2 })
})

test('the same fromId in two accounts is two contacts, each with its own sequence numbers and owner', async () => {
  await using app = await sharedApp()
  const [one, two] = [await app.makeAccount(), await app.makeAccount()]
  const answers = [await one.post(sendPath, outgoing()), await two.post(sendPath, outgoing())]
  assert.notEqual(answers[0]?.body.contactId, answers[1]?.body.contactId)
  const messages = await readOutgoing(app)
  assert.deepEqual(new Set(messages.map(({ accountId }) => accountId)), new Set([one.accountId, two.accountId]))
  for (const { seq, outgoingSeq } of messages) assert.deepEqual([seq, outgoingSeq], ['1', '1'])
  const owed = await app.db.selectFrom('deliveries').select(['accountId', 'payload']).execute()
  const owners = await app.db.selectFrom('users').select(['accountId', 'id']).execute()
  for (const { accountId, payload } of owed) {
    const owner = owners.find((user) => user.accountId === accountId)
    assert.equal(JSON.parse(payload).userId, owner?.id)
  }
})
