import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../helpers/until.ts'
import { contactsOf, startChatWorld } from '../../helpers/website-chat/chat-world.ts'

test('WC28 marks go forward only, no further than what there is, and to nobody else; very many are refused', async () => {
  await using world = await startChatWorld()
  const [ana, ben] = [world.visitor(), world.visitor()]
  await ana.post('I am Ana')
  const [ofAna] = await contactsOf(world)
  await ben.post('I am Ben')
  const ofBen = (await contactsOf(world)).find((id) => id !== ofAna)
  assert.ok(ofAna && ofBen)
  for (const contactId of [ofAna, ofBen]) for (const text of ['one', 'two']) await world.reply(contactId, text)
  const marksOf = async (contactId: `con_${string}`) => {
    const rows = await world.app.db
      .selectFrom('deliveries')
      .select(['deliveredAt', 'readAt', 'sentAt'])
      .where('contactId', '=', contactId)
      .orderBy('outgoingSeq')
      .execute()
    return rows.map(({ sentAt, deliveredAt, readAt }) =>
      readAt ? 'read' : deliveredAt ? 'delivered' : sentAt ? 'sent' : 'waits',
    )
  }
  const mark = async (delivered: number, read: number) =>
    (await ana.call('POST', 'marks', { body: { delivered, read } })).status
  assert.deepEqual(await marksOf(ofAna), ['sent', 'sent'])
  assert.equal(await mark(2, 0), 204)
  assert.deepEqual(await marksOf(ofAna), ['delivered', 'sent'])
  assert.equal(await mark(2, 2), 204)
  assert.equal(await mark(0, 0), 204)
  assert.deepEqual(await marksOf(ofAna), ['read', 'sent'])
  assert.equal((await ana.read()).read, 2)
  assert.equal(await mark(900_000, 900_000), 204)
  assert.deepEqual(await marksOf(ofAna), ['read', 'read'])
  assert.deepEqual(await marksOf(ofBen), ['sent', 'sent'])
  for (const body of [{}, { delivered: -1, read: 0 }, { delivered: '1', read: 0 }, { delivered: 1.5, read: 0 }]) {
    assert.equal((await ana.call('POST', 'marks', { body })).status, 400, JSON.stringify(body))
  }
  const statuses = new Set<number>()
  for (let n = 0; n < 70; n += 1) statuses.add(await mark(1, 1))
  assert.deepEqual([...statuses].sort(), [204, 429])
  assert.equal((await ana.post('I can still write')).status, 201)
})

test('an e-mail address that somebody leaves is kept as they wrote it, three times a day, and finds nobody', async () => {
  await using world = await startChatWorld()
  const { app, shop } = world
  await shop.post('/contacts', { email: 'ana@example.com', firstName: 'Ana' })
  const visitor = world.visitor()
  await visitor.post('Hello')
  const leave = async (email: unknown) => (await visitor.call('POST', 'email', { body: { email } })).status
  assert.equal(await leave('Ana@Example.com'), 204)
  assert.equal(await leave('a@b'), 400)
  assert.equal(await leave(7), 400)
  const rows = app.db.selectFrom('contactChannels').select('leftEmail')
  assert.deepEqual(await rows.execute(), [{ leftEmail: 'Ana@Example.com' }])
  const contacts = await app.db.selectFrom('contacts').select('email').orderBy('id').execute()
  assert.deepEqual(
    contacts.map(({ email }) => email),
    ['ana@example.com', null],
  )
  assert.deepEqual(await app.db.selectFrom('conversationEvents').select('kind').execute(), [{ kind: 'left e-mail' }])
  assert.equal(await leave('other@example.com'), 204)
  assert.equal(await leave('third@example.com'), 429)
})

test('who wants their chat to be gone asks people, and it goes at once where the owner lets it and nothing else is known of them', async () => {
  await using world = await startChatWorld()
  const { app } = world
  const [ana, ben] = [world.visitor(), world.visitor()]
  await ana.post('Hello')
  const asked = await ana.call('POST', 'forget', { body: {} })
  assert.deepEqual([asked.status, asked.body], [200, { is: 'asked' }])
  const conversation = await app.db.selectFrom('conversations').select('waitingReason').executeTakeFirst()
  assert.equal(conversation?.waitingReason, 'asked_to_be_deleted')
  await world.change({ deletes: 'at once' })
  const [ofAna = assert.fail()] = await contactsOf(world)
  await app.db.updateTable('contacts').set({ phone: '+4915112345678' }).where('id', '=', ofAna).execute()
  const isSet = async () =>
    (await world.owner.call('GET', `/api/channels/${world.channelId}`)).body.chat.settings.deletes === 'at once'
  await until(isSet, 'not set')
  await ben.post('Hello')
  // What the owner sets holds after half a second.
  await until(async () => {
    const third = world.visitor()
    await third.post('Hello')
    return (await third.call('POST', 'forget', { body: {} })).body.is === 'gone'
  }, 'nothing is gone at once')
  assert.deepEqual((await ana.call('POST', 'forget', { body: {} })).body, { is: 'asked' }, 'their phone is known')
  using window = await ben.listen(1)
  await window.untilEvent('hello')
  assert.deepEqual((await ben.call('POST', 'forget', { body: {} })).body, { is: 'gone' })
  const end = await window.untilEvent('end')
  assert.ok(end.name === 'end' && end.data.why === 'ended')
  assert.equal((await ben.call('GET', 'messages')).status, 401)
  assert.equal((await contactsOf(world)).includes(ofAna), true)
  const again = []
  for (let n = 0; n < 3; n += 1) again.push((await ana.call('POST', 'forget', { body: {} })).status)
  assert.deepEqual(again, [200, 429, 429], 'whoever asks again and again leaves no more behind')
  const events = app.db.selectFrom('conversationEvents').select('id').where('contactId', '=', ofAna)
  assert.equal((await events.execute()).length, 3)
})

test('a button counts only if it was shown in this chat, and a page only if the chat may be on it', async () => {
  await using world = await startChatWorld()
  const { app } = world
  const visitor = world.visitor()
  await visitor.post('Hello', { page: 'https://shop.example/a?x=1#y' })
  const [contactId] = await contactsOf(world)
  assert.ok(contactId)
  await world.reply(contactId, 'Which one?')
  await app.db
    .updateTable('deliveryParts')
    .set({ content: JSON.stringify({ text: 'Which one?', choices: [{ id: 'ent_1', title: 'This' }] }) })
    .execute()
  await visitor.post('This', { choice: 'ent_1', page: 'https://evil.example/' })
  await visitor.post('That', { choice: 'ent_2' })
  for (const choice of ['\0', '\ud800', '', 'ent_1"'])
    assert.equal((await visitor.post('What?', { choice })).status, 400, JSON.stringify(choice))
  const rows = await app.db.selectFrom('messageDetails').select('data').orderBy('messageId').execute()
  assert.deepEqual(
    rows.map(({ data }) => data),
    [{ language: 'en', page: 'https://shop.example/a' }, { language: 'en', choice: 'ent_1' }, { language: 'en' }],
  )
  const { messages } = await visitor.read()
  assert.deepEqual(
    messages.map(({ choices }) => choices.length),
    [0, 1, 0, 0],
  )
})
