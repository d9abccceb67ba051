import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { statements } from '../../../src/journey/intake/known-store.ts'
import type { IncomingRow } from '../../../src/journey/intake/store.ts'
import { openKnownContacts } from '../../../src/people/contacts/known-contacts.ts'
import { type AccountId, newId } from '../../../src/platform/ids.ts'
import { makeContact, startShop } from '../../helpers/app-contacts.ts'
import { contactOf } from '../../helpers/bots.ts'
import { isFinished, startCast, untilCast } from '../../helpers/broadcasts.ts'
import { saveUrl, startDelivering } from '../../helpers/deliveries.ts'
import { secretKey, startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { importFile } from '../../helpers/imports.ts'
import { assertLocksInOrder, watchKeeping } from '../../helpers/keeping.ts'
import { incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { stopAutovacuum } from '../../helpers/plans.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { makeOlder, removeOld } from '../../helpers/retention.ts'
import { untilLockWait } from '../../helpers/rows.ts'

const limitless = { RATE_LIMIT_PER_MINUTE: '0' }

let sids = 0
async function write(shop: TestAccount, over: Record<string, unknown> = {}): Promise<string> {
  sids += 1
  const { status, body } = await shop.post(incomingPath, incoming({ messageSid: `sid ${sids}`, ...over }))
  assert.equal(status, 200, JSON.stringify(body))
  return body.messageId
}

async function readThread({ db }: TestApp, shop: TestAccount): Promise<{ seq: number; body: string }[]> {
  const rows = await db
    .selectFrom('messages')
    .select(['seq', 'body'])
    .where('accountId', '=', shop.accountId)
    .orderBy('seq')
    .execute()
  return rows.map(({ seq, body }) => ({ seq: Number(seq), body: String(body) }))
}

test('further messages of a contact take the short statement, also with names that are known, and continue its numbers', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const seen = watchKeeping(app)
  const named = { firstName: 'Ana', lastName: 'Silva', email: 'ana@example.com' }
  await write(shop, { body: '1' })
  assert.deepEqual(seen(), ['keep-messages'])
  await write(shop, { body: '2' })
  assert.deepEqual(seen(), ['keep-known-owing'])
  await write(shop, { body: '3', ...named })
  assert.deepEqual(seen(), ['keep-messages'], 'it fills what is empty')
  await write(shop, { body: '4', ...named, firstName: 'Other' })
  await write(shop, { body: '5', lastName: 'Other' })
  assert.deepEqual(seen(), ['keep-known-owing', 'keep-known-owing'])
  assert.deepEqual(
    await readThread(app, shop),
    [1, 2, 3, 4, 5].map((seq) => ({ seq, body: String(seq) })),
  )
  const [contact] = await app.db.selectFrom('contacts').select(['firstName', 'lastName', 'email']).execute()
  assert.deepEqual(contact, named)
})

test('what the short statement stores is what the long one stores', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const seen = watchKeeping(app)
  const body = 'quotes " and \\ and {braces}, commas, NULL, ünïcödé 🙂\nand lines'
  const over = { body, customChannel: 'a "channel" \\', toId: '{"a"}', messageStatus: 'NULL' }
  await write(shop, over)
  await app.db.updateTable('conversations').set({ state: 'closed' }).execute()
  await write(shop, over)
  assert.deepEqual(seen(), ['keep-messages', 'keep-known-owing'])
  const messages = await app.db.selectFrom('messages').selectAll().orderBy('seq').execute()
  const [first, second] = messages.map(({ id, seq, messageSid, createdAt, ...rest }) => rest as object)
  assert.deepEqual(second, first)
  const [conversation] = await app.db.selectFrom('conversations').selectAll().execute()
  assert.equal(conversation?.state, 'open')
  assert.deepEqual([conversation.lastSeq, conversation.incomingSeq].map(Number), [2, 2])
  const [turn, ...others] = await app.db.selectFrom('turns').select(['fromSeq', 'lastSeq']).execute()
  assert.deepEqual([turn?.fromSeq, turn?.lastSeq, others.length].map(Number), [1, 2, 0])
})

test('a known contact that was erased is made anew by its next message, which is kept', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  await write(shop, { body: 'before' })
  const contactId = await contactOf(app, 'ana')
  const seen = watchKeeping(app)
  await eraseContact({ db: app.db, secretKey }, { accountId: shop.accountId, contactId })
  await write(shop, { body: 'after' })
  assert.deepEqual(seen(), ['keep-known-owing', 'keep-messages'])
  assert.deepEqual(await readThread(app, shop), [{ seq: 1, body: 'after' }])
  assert.notEqual(await contactOf(app, 'ana'), contactId)
  await write(shop, { body: 'again' })
  assert.deepEqual(seen(), ['keep-known-owing'])
})

test('the same fromId in two accounts is two known contacts', async () => {
  await using app = await startApp()
  const [one, two] = [await app.makeAccount(), await app.makeAccount()]
  for (const body of ['1', '2', '3']) {
    await write(one, { body: `one ${body}` })
    await write(two, { body: `two ${body}` })
  }
  for (const [shop, name] of [
    [one, 'one'],
    [two, 'two'],
  ] as const) {
    assert.deepEqual(
      await readThread(app, shop),
      [1, 2, 3].map((seq) => ({ seq, body: `${name} ${seq}` })),
    )
  }
})

test('a copy of a known contact gets the first message back, also where that was removed', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const seen = watchKeeping(app)
  await write(shop, { messageSid: 'old' })
  const first = await write(shop, { messageSid: 'copied', fromId: 'ben' })
  assert.equal(await write(shop, { messageSid: 'copied', fromId: 'ben' }), first)
  assert.deepEqual(seen(), ['keep-messages', 'keep-messages', 'keep-known-owing', 'keep-messages-or-copies'])

  await makeOlder(app.db, 100)
  await app.db.deleteFrom('turns').execute()
  for (const _ of [1, 2]) await removeOld(app.db, { messages: 30 })
  assert.deepEqual(await readThread(app, shop), [])
  await using later = await startApp({}, app.database)
  const seenLater = watchKeeping(later)
  const again = (over: Record<string, unknown>) =>
    later.call('POST', incomingPath, { key: shop.apiKey, body: incoming(over) })
  await again({ messageSid: 'new' })
  await again({ messageSid: 'newer' })
  const copy = await again({ messageSid: 'old' })
  assert.equal(copy.status, 200)
  assert.deepEqual(seenLater(), [
    'keep-messages-unless-removed',
    'keep-known-owing-unless-removed',
    'keep-known-owing-unless-removed',
    'keep-messages-or-copies',
  ])
  const kept = await app.db.selectFrom('messages').select('messageSid').orderBy('seq').execute()
  assert.deepEqual(
    kept.map(({ messageSid }) => messageSid),
    ['new', 'newer'],
  )
})

test('a batch of known and unknown contacts is two statements, and keeps the order within each conversation', async () => {
  await using app = await startApp(limitless)
  const shop = await app.makeAccount()
  const contacts = Array.from({ length: 24 }, (_, n) => `contact ${n}`)
  await Promise.all(contacts.map((fromId) => write(shop, { fromId, body: '0' })))
  const seen = watchKeeping(app)
  for (let round = 1; round <= 10; round += 1) {
    const repeated = contacts[round] ?? ''
    await Promise.all([
      ...contacts.map((fromId) => write(shop, { fromId, body: `${2 * round - 1}` })),
      write(shop, { fromId: `new ${round}`, body: '0' }),
      write(shop, { fromId: repeated, body: `${2 * round}` }), // sent after the one above
    ])
  }
  assert.deepEqual(new Set(seen()), new Set(['keep-known-owing', 'keep-messages']))
  const rows = await app.db
    .selectFrom('messages')
    .innerJoin('contacts', (on) =>
      on.onRef('contacts.accountId', '=', 'messages.accountId').onRef('contacts.id', '=', 'messages.contactId'),
    )
    .select(['externalId', 'seq', 'body'])
    .orderBy('seq')
    .execute()
  for (const [externalId, thread] of Map.groupBy(rows, (row) => row.externalId)) {
    const numbers = thread.map(({ body }) => Number(body))
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
      `${externalId}`,
    )
    assert.deepEqual(
      thread.map(({ seq }) => Number(seq)),
      thread.map((_, n) => n + 1),
    )
  }
  assert.equal(rows.length, 24 + 10 * 26)
})

test('a message that the database refuses fails alone in a batch of two statements', async () => {
  await using app = await startApp(limitless)
  const shop = await app.makeAccount()
  const contacts = Array.from({ length: 20 }, (_, n) => `contact ${n}`)
  await Promise.all(contacts.map((fromId) => write(shop, { fromId })))
  await sql`alter table messages add constraint refused check (body <> 'poison')`.execute(app.db)
  const post = (fromId: string, body: string) =>
    shop.post(incomingPath, incoming({ fromId, body, messageSid: `${fromId} ${body}` }))
  for (const poisoned of ['contact 7', 'somebody new']) {
    const senders = [...contacts, `new beside ${poisoned}`, 'somebody new']
    const answers = await Promise.all(
      senders.map((fromId) => post(fromId, fromId === poisoned ? 'poison' : `beside ${poisoned}`)),
    )
    for (const [n, { status }] of answers.entries())
      assert.equal(status, senders[n] === poisoned ? 500 : 200, `${senders[n]}`)
  }
})

test('two processes that store messages of the same contacts in opposite order never deadlock', async () => {
  await using app = await startApp(limitless)
  await stopAutovacuum(app) // of so few rows PostgreSQL might make another plan
  const shop = await app.makeAccount()
  await using other = await startApp(limitless, app.database)
  const contacts = Array.from({ length: 32 }, (_, n) => `contact ${n}`)
  const both = (fromIds: string[], round: string) => [
    ...fromIds.map((fromId) => write(shop, { fromId, body: round })),
    ...fromIds.toReversed().map(async (fromId) => {
      const body = incoming({ fromId, body: round, messageSid: `other ${fromId} ${round}` })
      assert.equal((await other.call('POST', incomingPath, { key: shop.apiKey, body })).status, 200)
    }),
  ]
  for (let round = 0; round < 12; round += 1) await Promise.all(both(contacts, `${round}`))
  const { rows } = await sql<{ deadlocks: string }>`
    select deadlocks from pg_stat_database where datname = current_database()
  `.execute(app.db)
  assert.equal(Number(rows[0]?.deadlocks), 0)
  assert.equal((await readThread(app, shop)).length, 12 * 64)
})

test('conversations are found by their key, one after the other in the order given, so they are locked in that order', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  await assertLocksInOrder(app, shop.accountId, Object.values(statements))
})

const named = { firstName: 'Ana', email: 'ana@example.com' }

async function firstName({ db }: TestApp): Promise<string | null> {
  const [contact] = await db.selectFrom('contacts').select('firstName').execute()
  return contact?.firstName ?? null
}

test('a name that was cleared in the app is filled by the next message, in every process, of which none is told', async () => {
  await using app = await startApp()
  const { shop, browser } = await startShop(app)
  await using other = await startApp({}, app.database)
  const elsewhere = async (messageSid: string) => {
    const body = incoming({ messageSid, ...named })
    assert.equal((await other.call('POST', incomingPath, { key: shop.apiKey, body })).status, 200)
  }
  await write(shop, named)
  await elsewhere('1')
  const path = `/api/contacts/${await contactOf(app, 'ana')}`
  const seen = watchKeeping(app)
  const seenElsewhere = watchKeeping(other)
  for (let round = 0; round < 3; round += 1) {
    await browser.call('PATCH', path, { firstName: '' })
    assert.equal(await firstName(app), null)
    await (round === 1 ? elsewhere(`first ${round}`) : write(shop, named))
    assert.equal(await firstName(app), 'Ana')
    await write(shop, named)
    await write(shop, named)
    await elsewhere(`second ${round}`)
    await elsewhere(`third ${round}`)
  }
  const missed = ['keep-known-owing', 'keep-messages']
  const short = ['keep-known-owing', 'keep-known-owing']
  const [three, two] = [
    [...missed, ...short],
    [...missed, 'keep-known-owing'],
  ]
  assert.deepEqual(seen(), [...three, ...two, ...three])
  assert.deepEqual(seenElsewhere(), [...two, ...three, ...two])
})

test('a name that is cleared while the long statement waits for the conversation is filled by the next message', async () => {
  await using app = await startApp()
  const { shop } = await startShop(app)
  await write(shop, named)
  const contactId = await contactOf(app, 'ana')
  await using fresh = await startFresh(app, shop)
  const clearing = await app.pools.batch.connect()
  await clearing.query('begin')
  await clearing.query('select from conversations for update')
  const writing = fresh.write(named)
  await untilLockWait(app)
  await clearing.query(`update contacts set first_name = null where id = '${contactId}'`)
  await clearing.query('commit')
  clearing.release()
  await writing
  assert.equal(await firstName(app), null, 'the statement had read the name before')
  await fresh.write(named)
  assert.equal(await firstName(app), 'Ana')
})

/** A process that remembers nothing yet. */
async function startFresh(app: TestApp, shop: TestAccount) {
  const fresh = await startApp({}, app.database)
  return {
    write: async (over: Record<string, unknown>) => {
      sids += 1
      const body = incoming({ messageSid: `sid ${sids}`, ...over })
      assert.equal((await fresh.call('POST', incomingPath, { key: shop.apiKey, body })).status, 200)
    },
    [Symbol.asyncDispose]: () => fresh[Symbol.asyncDispose](),
  }
}

test('an id that was filled by hand, by an import or by a broadcast belongs to its contact at once, in both directions', async () => {
  await using app = await startDelivering(limitless)
  await using receiver = await startReceiver()
  const { shop, browser } = await startShop(app)
  await saveUrl(app, shop, receiver.url)
  await write(shop, { fromId: 'ben' })
  const ways = [
    (contactId: string, phone: string) => browser.call('PATCH', `/api/contacts/${contactId}`, { externalId: phone }),
    (_: string, phone: string) => importFile(browser, `phone,external id\n${phone},${phone}\n`),
    async (contactId: string) => {
      await shop.post(`/lists/${shop.listId}/contacts`, { contactId })
      const id = await startCast(shop, { customChannel: 'sms', idFrom: 'phone' })
      await untilCast(shop, id, isFinished)
    },
  ]
  for (const [n, fill] of ways.entries()) {
    const phone = `+44770010000${n}`
    const contactId = await makeContact(browser, { phone })
    await fill(contactId, phone)
    const bodies = [1, 2, 3, 4].map((part) => `${phone} ${part}`)
    for (const body of bodies.slice(0, 2)) await write(shop, { fromId: phone, body })
    for (const body of bodies.slice(2)) {
      assert.equal((await shop.post(sendPath, outgoing({ fromId: phone, body }))).status, 200)
    }
    const messages = await app.db.selectFrom('messages').select('contactId').where('body', 'in', bodies).execute()
    assert.deepEqual(
      messages.map((message) => message.contactId),
      bodies.map(() => contactId),
    )
  }
})

function rowOf(accountId: AccountId, fromId: string, fields: Partial<IncomingRow> = {}): IncomingRow {
  const ids = { accountId, fromId, messageId: newId('msg'), contactId: newId('con'), messageSid: 'sid', toId: 'shop' }
  const empty = { channel: undefined, campaignId: undefined, firstName: undefined, lastName: undefined }
  const rest = { body: 'Hello', status: 'received', kind: 'text', owesAnswer: false } as const
  return { ...ids, ...empty, ...rest, email: undefined, trace: undefined, ...fields }
}

test('which fields are filled is remembered together for as long as none was cleared', () => {
  const known = openKnownContacts()
  const [accountId, contactId] = [newId('acc'), newId('con')]
  const [plain, first] = [rowOf(accountId, 'ana'), rowOf(accountId, 'ana', { firstName: 'Ana' })]
  const both = rowOf(accountId, 'ana', { firstName: 'Ana', email: 'a@b.co' })
  known.note(first, contactId, 3)
  assert.deepEqual(known.find(plain), { contactId, clears: undefined })
  assert.deepEqual(known.find(first), { contactId, clears: 3 })
  assert.equal(known.find(both), undefined)
  known.note(rowOf(accountId, 'ana', { email: 'a@b.co' }), contactId, 3)
  assert.deepEqual(known.find(both), { contactId, clears: 3 })
  known.note(first, contactId, 4)
  assert.deepEqual([known.find(first)?.clears, known.find(both)], [4, undefined], 'the other may have been cleared')
  known.note(first, contactId, undefined)
  assert.deepEqual([known.find(plain)?.contactId, known.find(first)], [contactId, undefined])
})

test('what is remembered is bounded by bytes, and what was used last stays', () => {
  const known = openKnownContacts(100_000)
  const accountId = newId('acc')
  const contactId = newId('con')
  const often = rowOf(accountId, 'often')
  const rows = Array.from({ length: 2_000 }, (_, n) => rowOf(accountId, `${n} ${'x'.repeat(100)}`))
  known.note(often, contactId, 0)
  for (const row of rows) {
    known.note(row, contactId, 0)
    assert.equal(known.find(often)?.contactId, contactId)
  }
  const remembered = rows.filter((row) => known.find(row) !== undefined)
  assert.ok(remembered.length > 100 && remembered.length < 500, `${remembered.length}`)
  assert.ok(known.find(rows.at(-1) ?? often))
})
