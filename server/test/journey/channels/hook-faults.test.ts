import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { TestApp } from '../../helpers/harness.ts'
import { type Client, openClient } from '../../helpers/https-client.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { connectBot, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { startEntrance } from '../../helpers/providers/entrance.ts'
import { askRaw } from '../../helpers/raw-sockets.ts'
import { openSlowProxy } from '../../helpers/slow-proxy.ts'
import { until } from '../../helpers/until.ts'

/** A server that Telegram calls, a bot, and updates of it that a test posts itself. */
async function startCalled() {
  await using starting = new AsyncDisposableStack()
  const entrance = starting.use(await startEntrance())
  const world = starting.use(await startChannelWorld({ PUBLIC_URL: entrance.url }))
  entrance.leadTo(world.app.url)
  const bot = world.telegram.addBot()
  const channel = await connectBot(world.owner, bot)
  const client = openClient({ connections: 100 })
  starting.defer(async () => client.close())
  const path = `/hooks/telegram/${channel.id}`
  const post = (update: object, { url }: TestApp = world.app) =>
    postTo(client, `${url}${path}`, bot.hook.secret(), update)
  const started = starting.move()
  return { entrance, world, bot, post, path, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

async function postTo(client: Client, url: string, secret: string, update: object) {
  const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret }
  return client.send(url, { method: 'POST', headers, body: JSON.stringify(update) })
}

const user = { id: 5_100_000_001, is_bot: false, first_name: 'Ana' }
const now = () => Math.floor(Date.now() / 1_000)

function updateOf(id: number, text: string, chat = user.id) {
  const from = { ...user, id: chat }
  const message = { message_id: id, from, chat: { id: chat, type: 'private' }, date: now(), text }
  return { update_id: 200_000 + id, message }
}

const messages = ({ db }: TestApp) =>
  db
    .selectFrom('messages')
    .select(['contactId', 'seq', 'body'])
    .where('direction', '=', 'incoming')
    .orderBy('contactId')
    .orderBy('seq')
    .execute()

test('a hook that comes while the database is away is answered 503, never 404 or 200, and its repeat is kept once', async () => {
  await using called = await startCalled()
  const { world, post } = called
  await using proxy = await openSlowProxy(world.app.database)
  await using second = await world.startSecond(proxy)
  proxy.setResetShare(1)
  const unknown = await post(updateOf(1, 'one'), second)
  assert.deepEqual(
    [unknown.status, unknown.headers['retry-after']],
    [503, '1'],
    'nobody knows whether there is a channel',
  )
  proxy.setResetShare(0)
  assert.equal((await post(updateOf(1, 'one'), second)).status, 200)
  proxy.setResetShare(1)
  assert.equal((await post(updateOf(2, 'two'), second)).status, 503, 'nothing can be kept')
  proxy.setResetShare(0)
  for (const id of [2, 1]) assert.equal((await post(updateOf(id, id === 2 ? 'two' : 'one'), second)).status, 200)
  assert.deepEqual(
    (await messages(world.app)).map(({ body }) => body),
    ['one', 'two'],
  )
})

test('of more hooks at once than may be under way, those beyond are answered 503 at once, and all are kept once', async () => {
  await using called = await startCalled()
  const { world, post } = called
  const updates = Array.from({ length: 80 }, (_, n) => updateOf(n + 1, String(n), user.id + n))
  const posts = await world.app.db.transaction().execute(async (tx) => {
    await sql`lock table messages in share mode`.execute(tx) // nothing can be kept
    const statuses: number[] = []
    const posts = updates.map(async (update) => {
      const { status } = await post(update)
      statuses.push(status)
      return status
    })
    await until(() => statuses.length >= 16, 'those beyond are not answered')
    assert.deepEqual(statuses, Array(16).fill(503))
    return posts
  })
  for (const status of await Promise.all(posts)) assert.ok(status === 200 || status === 503, String(status))
  for (const update of updates) assert.equal((await post(update)).status, 200)
  assert.deepEqual(
    (await messages(world.app)).map(({ body }) => Number(body)).toSorted((one, other) => one - other),
    [...updates.keys()],
  )
})

test('a message whose answer is lost after the commit comes again, and is one message that owes one answer', async () => {
  await using called = await startCalled()
  const { entrance, world, bot } = called
  const ana = bot.addPerson()
  ana.write('Hello')
  await until(() => bot.updates.waiting().length === 0, 'the first did not come')
  const endConnections = entrance.loseAnswers()
  await world.app.db.deleteFrom('turns').execute()
  ana.write('Where are you?')
  const kept = async () => (await messages(world.app)).filter(({ body }) => body === 'Where are you?')
  await until(async () => (await kept()).length === 1, 'it was not kept')
  endConnections()
  await until(() => bot.updates.waiting().length === 0, 'it did not come again')
  assert.equal((await kept()).length, 1)
  await until(
    async () => (await world.app.db.selectFrom('turns').selectAll().execute()).length === 0,
    'it was not answered',
  )
  const answers = await world.app.db.selectFrom('answers').select('fromSeq').execute()
  assert.equal(new Set(answers.map(({ fromSeq }) => fromSeq)).size, answers.length, 'each message is answered once')
})

test('fifty first messages of one new person, at once and on two servers, are of one contact, each with a number of its own', async () => {
  await using called = await startCalled()
  const { world, post } = called
  await using second = await world.startSecond()
  const posts = Array.from({ length: 50 }, (_, n) => post(updateOf(n + 1, String(n)), n % 2 === 0 ? world.app : second))
  const statuses = (await Promise.all(posts)).map(({ status }) => status)
  for (const [n, status] of statuses.entries()) {
    if (status === 200) continue
    assert.equal(status, 503, 'it says that it is to come again')
    assert.equal((await post(updateOf(n + 1, String(n)))).status, 200)
  }
  const rows = await messages(world.app)
  assert.equal(new Set(rows.map(({ contactId }) => contactId)).size, 1)
  assert.deepEqual(
    rows.map(({ body }) => Number(body)).toSorted((one, other) => one - other),
    [...posts.keys()],
  )
  assert.equal(new Set(rows.map(({ seq }) => seq)).size, 50)
  const contacts = await world.app.db.selectFrom('contacts').select('id').execute()
  assert.equal(contacts.length, 1)
})

test('of a contact who is erased while they write, nothing is left, and what comes later makes a new contact', async () => {
  await using called = await startCalled()
  const { world, post } = called
  const { db } = world.app
  const erased: string[] = []
  for (let round = 0; round < 5; round += 1) {
    assert.equal((await post(updateOf(10 * round + 1, 'first'))).status, 200)
    const [contact] = await db.selectFrom('contacts').select('id').execute()
    assert.ok(contact)
    erased.push(contact.id)
    const writes = [2, 3, 4, 5].map((n) => post(updateOf(10 * round + n, 'while')))
    const [gone, ...posts] = await Promise.all([world.owner.call('DELETE', `/api/contacts/${contact.id}`), ...writes])
    assert.equal(gone.status, 200)
    assert.ok(
      posts.every(({ status }) => status === 200 || status === 503),
      posts.map(({ status }) => status).join(),
    )
    assert.equal((await post(updateOf(10 * round + 9, 'after'))).status, 200)
    const [left] = await db.selectFrom('contacts').select('id').execute()
    assert.equal((await world.owner.call('DELETE', `/api/contacts/${left?.id}`)).status, 200)
  }
  const { rows: columns } = await sql<{ table: string; column: string }>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema() and column_name = 'contact_id'
  `.execute(db)
  for (const { table, column } of columns) {
    const found = await sql`
      select ${sql.ref(column)} from ${sql.table(table)} where ${sql.ref(column)} = any (${erased})
    `.execute(db)
    assert.deepEqual(found.rows, [], table)
  }
})

test('five hundred hooks a second for channels that nobody has are refused before their bodies, and delay nobody', async (t) => {
  await using called = await startCalled()
  const { world } = called
  const declared = 3 * 1_048_576
  const head = (id: string) =>
    `POST /hooks/telegram/${id} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${declared}\r\nx-telegram-bot-api-secret-token: x\r\n\r\n{`
  const flood: Promise<number | undefined>[] = []
  const took: number[] = []
  for (let n = 0; n < 50; n += 1) {
    for (let k = 0; k < 10; k += 1) {
      const id = `chn_${crypto.randomUUID().replaceAll('-', '')}`
      flood.push(askRaw(world.app.url, head(id)).then((answer) => answer?.status))
    }
    const began = performance.now()
    const answer = await world.shop.post(incomingPath, incoming({ messageSid: `honest ${n}` }))
    took.push(performance.now() - began)
    assert.equal(answer.status, 200)
    await sleep(Math.max(0, began + 20 - performance.now()))
  }
  const statuses = new Map<number | undefined, number>()
  for (const status of await Promise.all(flood)) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const slowest = Math.round(Math.max(...took))
  t.diagnostic(`slowest message of an honest tenant: ${slowest} ms; answers ${JSON.stringify([...statuses])}`)
  assert.deepEqual([...statuses], [[404, 500]], 'before the rest of the body came')
  assert.ok(slowest <= 1_000, `${slowest} ms`)
})
