import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateKey } from '../../../src/business/accounts/credentials.ts'
import { sharedApp, startApp, type TestApp } from '../../helpers/harness.ts'

const path = '/incoming_custom_channel_message'

function hello(over: Record<string, unknown> = {}): { customData: Record<string, unknown> } {
  return { customData: { messageSid: 'sid-1', fromId: 'ana', toId: 'shop', body: 'Hello', ...over } }
}

test('a message is stored with its contact, its conversation and the turn that owes its answer', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()

  const { status, body } = await shop.post(path, hello({ firstName: 'Ana', email: 'Ana@Example.com', channel: 'chat' }))

  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['success', 'messageId'])
  const [message] = await app.db.selectFrom('messages').selectAll().execute()
  const [contact] = await app.db.selectFrom('contacts').selectAll().execute()
  const [turn] = await app.db.selectFrom('turns').selectAll().execute()
  assert.ok(message && contact && turn)
  assert.deepEqual(
    [message.id, message.contactId, message.seq, message.direction, message.author, message.kind, message.status],
    [body.messageId, contact.id, '1', 'incoming', 'contact', 'text', 'received'],
  )
  assert.deepEqual([message.body, message.channel, message.toId], ['Hello', 'chat', 'shop'])
  assert.deepEqual([contact.externalId, contact.firstName, contact.email], ['ana', 'Ana', 'ana@example.com'])
  assert.deepEqual([turn.contactId, turn.fromSeq, turn.lastSeq], [contact.id, '1', '1'])
  assert.equal(turn.dueAt.getTime() - turn.firstAt.getTime(), 2_000)
})

test('200 parallel copies of one message are one row with one id in every answer, and the first content wins', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, copy) =>
      shop.post(path, hello({ body: `copy ${copy}`, fromId: `from ${copy % 3}` })),
    ),
  )
  const again = await shop.post(path, hello({ body: 'later' }))
  for (const { status, body } of [...answers, again]) assert.deepEqual([status, body], [200, answers[0]?.body])
  const messages = await app.db.selectFrom('messages').select(['id', 'body']).execute()
  assert.deepEqual(messages.length, 1)
  assert.match(messages[0]?.body ?? '', /^copy /)
  assert.equal((await app.db.selectFrom('contacts').select('id').execute()).length, 1)
})

test('100 parallel first messages of one sender make one contact, one conversation and 100 numbered messages', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const sids = Array.from({ length: 100 }, (_, n) => `sid-${n}`)
  const answers = await Promise.all(sids.map((messageSid) => shop.post(path, hello({ messageSid }))))
  assert.equal(new Set(answers.map(({ body }) => body.messageId)).size, 100)
  assert.equal((await app.db.selectFrom('contacts').select('id').execute()).length, 1)
  assert.equal((await app.db.selectFrom('conversations').select('lastSeq').execute()).length, 1)
  const messages = await app.db.selectFrom('messages').select('seq').orderBy('seq').execute()
  assert.deepEqual(
    messages.map(({ seq }) => Number(seq)),
    sids.map((_, n) => n + 1),
  )
  const turns = await app.db.selectFrom('turns').select(['fromSeq', 'lastSeq']).execute()
  assert.deepEqual(turns, [{ fromSeq: '1', lastSeq: '100' }])
})

test('copies among new messages get the first ids, and the new ones are stored once, with and without the check for copies', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const send = (sids: string[]) =>
    Promise.all(sids.map((messageSid, n) => shop.post(path, hello({ messageSid, fromId: `from ${n % 5}` }))))
  const sids = (from: number) => Array.from({ length: 40 }, (_, n) => `sid-${from + n}`)
  const first = await send(sids(0)) // no copies
  const second = await send(sids(20)) // half are copies, and the statement did not check
  const third = await send(sids(40)) // half are copies, and the statement checks
  const ids = [first, second, third].map((answers) => answers.map(({ body }) => body.messageId))
  assert.deepEqual(ids[1]?.slice(0, 20), ids[0]?.slice(20))
  assert.deepEqual(ids[2]?.slice(0, 20), ids[1]?.slice(20))
  const messages = await app.db.selectFrom('messages').select(['id', 'contactId', 'seq']).execute()
  assert.deepEqual(messages.map(({ id }) => id).sort(), [...new Set(ids.flat())].sort())
  assert.equal(messages.length, 80)
  assert.equal(new Set(messages.map(({ contactId, seq }) => `${contactId} ${seq}`)).size, 80)
  const turns = await app.db.selectFrom('turns').select(['contactId', 'lastSeq']).execute()
  for (const { contactId, lastSeq } of turns) {
    const seqs = messages.filter((message) => message.contactId === contactId).map(({ seq }) => Number(seq))
    assert.equal(Number(lastSeq), Math.max(...seqs))
  }
})

test('the same messageSid in two accounts is two messages, and so is the same sender', async () => {
  await using app = await sharedApp()
  const [one, two] = [await app.makeAccount(), await app.makeAccount()]
  const answers = await Promise.all([one.post(path, hello()), two.post(path, hello())])
  assert.notEqual(answers[0].body.messageId, answers[1].body.messageId)
  assert.equal((await app.db.selectFrom('contacts').select('id').execute()).length, 2)
})

test('two processes that receive the same messages at once store each once', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await using other = await startApp({}, app.database)
  const sids = Array.from({ length: 60 }, (_, n) => `sid-${n}`)
  const calls = sids.flatMap((messageSid, n) => {
    const message = hello({ messageSid, fromId: `from ${n % 7}` })
    return [shop.post(path, message), other.call('POST', path, { key: shop.apiKey, body: message })]
  })
  const answers = await Promise.all(calls)
  for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
  for (let n = 0; n < answers.length; n += 2) assert.deepEqual(answers[n]?.body, answers[n + 1]?.body)
  assert.equal((await app.db.selectFrom('messages').select('id').execute()).length, 60)
  assert.equal((await app.db.selectFrom('contacts').select('id').execute()).length, 7)
})

test('names and e-mail fill blanks and never overwrite, also within one batch', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await shop.post(path, hello({ messageSid: '0', firstName: ' ', lastName: '\u3000' }))
  await Promise.all([
    shop.post(path, hello({ messageSid: '1' })),
    shop.post(path, hello({ messageSid: '2', firstName: 'Ana', email: 'not an address' })),
    shop.post(path, hello({ messageSid: '3', lastName: '' })),
  ])
  await shop.post(path, hello({ messageSid: '4', firstName: 'Other', lastName: 'Silva', email: 'ana@example.com' }))
  await shop.post(path, hello({ messageSid: '5', lastName: 'Other', email: 'other@example.com' }))
  const contacts = await app.db.selectFrom('contacts').select(['firstName', 'lastName', 'email']).execute()
  assert.deepEqual(contacts, [{ firstName: 'Ana', lastName: 'Silva', email: 'ana@example.com' }])
})

test('id is used only when messageSid is missing; ids are compared exactly', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const id = async (over: Record<string, unknown>) => (await shop.post(path, hello(over))).body.messageId
  const first = await id({ messageSid: undefined, id: 'x' })
  assert.equal(await id({ messageSid: 'x', id: 'y' }), first)
  assert.equal(await id({ messageSid: '', id: 'x' }), first)
  const others = [await id({ messageSid: ' x' }), await id({ messageSid: 'X' }), await id({ messageSid: 'x ' })]
  assert.equal(new Set([first, ...others]).size, 4)
})

test('a reaction is stored as such and gets no turn, nor does any message while the bot is off', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  assert.equal((await shop.post(path, { ...hello({ body: '👍' }), messageType: 'reaction' })).status, 200)
  await app.db.updateTable('accounts').set({ botActive: false }).execute()
  const apiKey = await generateKey(app.db, shop.email) // the old one is cached with its bot setting for half a second
  assert.equal((await app.call('POST', path, { key: apiKey, body: hello({ messageSid: '2' }) })).status, 200)
  assert.deepEqual(await app.db.selectFrom('turns').selectAll().execute(), [])
  const kinds = await app.db.selectFrom('messages').select(['kind', 'body']).orderBy('seq').execute()
  assert.deepEqual(kinds, [
    { kind: 'reaction', body: '👍' },
    { kind: 'text', body: 'Hello' },
  ])
})

test('a status and an unknown campaign are stored as given, and the conversation has the latest channel', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await shop.post(path, hello({ status: 'read', campaignId: 'cmp_unknown', channel: 'chat' }))
  await shop.post(path, hello({ messageSid: '2', channel: 'mail' }))
  await shop.post(path, hello({ messageSid: '3' }))
  const [message] = await app.db.selectFrom('messages').select(['status', 'campaignId']).orderBy('seq').execute()
  assert.deepEqual(message, { status: 'read', campaignId: 'cmp_unknown' })
  assert.deepEqual(await app.db.selectFrom('conversations').select('channel').execute(), [{ channel: 'mail' }])
})

test('each message of a burst postpones the answer, but never beyond fifteen seconds after the first', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await shop.post(path, hello())
  await moveBack(app, 14)
  await shop.post(path, hello({ messageSid: '2' }))
  const [turn] = await app.db.selectFrom('turns').selectAll().execute()
  assert.equal((turn?.dueAt.getTime() ?? 0) - (turn?.firstAt.getTime() ?? 0), 15_000)
})

async function moveBack(app: TestApp, seconds: number): Promise<void> {
  const [turn] = await app.db.selectFrom('turns').selectAll().execute()
  const back = (time: Date | undefined) => new Date((time?.getTime() ?? 0) - seconds * 1000)
  await app.db
    .updateTable('turns')
    .set({ firstAt: back(turn?.firstAt), dueAt: back(turn?.dueAt) })
    .execute()
}
