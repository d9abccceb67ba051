import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { isFinished, makeMembers, readersOf, startCast, untilCast } from '../../helpers/broadcasts.ts'
import { saveUrl, startDelivering } from '../../helpers/deliveries.ts'
import { sharedApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { importFile, phoneOf } from '../../helpers/imports.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { signIn } from '../../helpers/sessions.ts'

test('300 people are imported by phone number onto a new list, get one message each, and an answer comes to the same contact', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering({ WEBHOOK_IN_FLIGHT: '64' })
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  const browser = await signIn(app, account)
  const { body: list } = await browser.call('POST', '/api/lists', { name: 'Summer' })
  const lines = Array.from({ length: 300 }, (_, n) => `Person,Nr${n},${phoneOf(n)}`)
  const { added } = await importFile(browser, ['first name,last name,phone', ...lines, ''].join('\n'), {
    listId: list.id,
  })
  assert.equal(added, 300)
  const reach = { contacts: 300, optedOut: 0, withId: 0, byPhone: 300, byEmail: 0 }
  assert.deepEqual((await browser.call('GET', `/api/lists/${list.id}/reach`)).body, reach)
  const draft = { listId: list.id, channel: 'sms', body: 'Hello {{firstName}}' }
  const preview = (over = {}) => browser.call('POST', '/api/broadcasts/preview', { ...draft, ...over })
  assert.deepEqual([(await preview()).body.noId, (await preview()).body.example], [300, null])
  const { body: seen } = await preview({ idFrom: 'phone' })
  assert.deepEqual([seen.noId, seen.noAddress, seen.idTaken], [0, 0, 0])
  assert.match(seen.example, /^\+447700100\d{3}$/)

  const id = await startCast(account, { listId: list.id, customChannel: 'sms', idFrom: 'phone' })
  const { counts, idFrom } = await untilCast(account, id, isFinished)
  assert.deepEqual([idFrom, counts.recipients, counts.sent], ['phone', 300, 300])
  const phones = Array.from({ length: 300 }, (_, n) => phoneOf(n).replaceAll(' ', ''))
  assert.deepEqual(readersOf(receiver).sort(), phones, '300 posts, each to another phone number')
  const contacts = await app.db.selectFrom('contacts').select(['id', 'phone', 'externalId']).execute()
  assert.equal(contacts.length, 300)
  assert.ok(contacts.every(({ phone, externalId }) => phone === externalId))

  const message = incoming({ fromId: phones[7] as string, messageSid: 'answer', body: 'Yes please' })
  assert.equal((await account.post(incomingPath, message)).status, 200)
  const answered = contacts.find(({ phone }) => phone === phones[7])
  const thread = await app.db
    .selectFrom('messages')
    .select('body')
    .where('contactId', '=', answered?.id ?? 'con_')
    .where('author', 'is distinct from', 'bot')
    .orderBy('seq')
    .execute()
  assert.deepEqual(thread.map(({ body }) => body).slice(0, 2), ['Hello Person, we are open.', 'Yes please'])
  assert.equal((await app.db.selectFrom('contacts').select('id').execute()).length, 300)
})

/** Members without an id. */
async function makePeople({ db }: TestApp, account: TestAccount, people: Record<string, unknown>[]): Promise<string[]> {
  const ids = await makeMembers(db, account, people.length)
  for (const [n, fields] of people.entries()) {
    await db
      .updateTable('contacts')
      .set({ externalId: null, ...fields })
      .where('id', '=', ids[n] as never)
      .execute()
  }
  return ids
}

test('of two with one e-mail address the older gets the id; who has none, or one that another contact has, is counted; simulated contacts get none', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  await app.db
    .insertInto('contacts')
    .values({ accountId: account.accountId, id: 'con_holder', externalId: 'taken@example.com' })
    .execute()
  const ids = await makePeople(app, account, [
    { email: 'two@example.com' },
    { email: 'two@example.com' },
    { email: 'taken@example.com' },
    { phone: '+447700900001' },
    { email: 'sim@example.com', isSimulated: true },
    { email: 'own@example.com', externalId: 'kept' },
    { email: 'out@example.com', optedOutAt: sql`now()`, optedOutBy: 'operator' },
  ])
  const browser = await signIn(app, account)
  const draft = { listId: account.listId, channel: 'mail', body: 'Hello', idFrom: 'email' }
  const { body: seen } = await browser.call('POST', '/api/broadcasts/preview', draft)
  const leftOut = { optedOut: 1, blocked: 0, noId: 1, noAddress: 1, idTaken: 2 }
  const { optedOut, blocked, noId, noAddress, idTaken } = seen
  assert.deepEqual([{ optedOut, blocked, noId, noAddress, idTaken }, seen.example], [leftOut, 'two@example.com'])
  const id = await startCast(account, { idFrom: 'email', customChannel: 'mail' })
  const { counts } = await untilCast(account, id, isFinished)
  assert.deepEqual(counts.leftOut, { ...leftOut, erased: 0, stopped: 0 })
  assert.deepEqual(readersOf(receiver).sort(), ['kept', 'two@example.com'])
  const contacts = await app.db.selectFrom('contacts').select(['id', 'externalId']).execute()
  const idOf = new Map(contacts.map((contact) => [contact.id as string, contact.externalId]))
  assert.deepEqual(
    ids.map((one) => idOf.get(one)),
    ['two@example.com', null, null, null, null, 'kept', null],
  )
})

test('an id is written with the message, and stays when the broadcast is stopped; before that nobody has one', async () => {
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await makePeople(app, account, [{ phone: '+447700900001' }, { phone: '+447700900002' }])
  const browser = await signIn(app, account)
  const id = await startCast(account, { idFrom: 'phone' })
  await untilCast(account, id, ({ waitingReason }) => waitingReason === 'no_endpoint')
  const idsOf = async () =>
    (await app.db.selectFrom('contacts').select('externalId').execute()).map((c) => c.externalId)
  assert.deepEqual(await idsOf(), [null, null])
  const held: { end: () => void }[] = []
  await using receiver = await startReceiver((_request, response) => void held.push(response))
  await saveUrl(app, account, receiver.url)
  await untilCast(account, id, ({ counts }) => counts.waiting > 0 && receiver.requests.length > 0)
  assert.equal((await browser.call('POST', `/api/broadcasts/${id}/stop`)).status, 200)
  for (const response of held) response.end()
  assert.ok((await idsOf()).includes('+447700900001'))
})

test('idFrom is phone or email, and deleting a list is refused while a broadcast copies it', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const browser = await signIn(app, account)
  const refused = await account.post('/broadcasts', {
    listId: account.listId,
    customChannel: 'c',
    body: 'b',
    idFrom: 'name',
  })
  assert.deepEqual([refused.status, refused.body.error.message], [400, 'idFrom must be "phone" or "email".'])
  const id = await startCast(account, { idFrom: null })
  const deleting = await browser.call('DELETE', `/api/lists/${account.listId}`)
  assert.deepEqual([deleting.status, deleting.body.error.message], [409, beingPrepared])
  assert.equal((await browser.call('POST', `/api/broadcasts/${id}/stop`)).status, 200)
  assert.equal((await browser.call('DELETE', `/api/lists/${account.listId}`)).status, 200)
})

const beingPrepared = 'A broadcast to this list is being prepared. Delete it in a moment, or stop the broadcast.'
