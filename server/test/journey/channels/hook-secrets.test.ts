import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { sealCredentials, unsealCredentials } from '../../../src/journey/channels/credentials.ts'
import type { ChannelRow } from '../../../src/journey/channels/store.ts'
import { secretKey, startApp } from '../../helpers/harness.ts'
import { type Client, openClient } from '../../helpers/https-client.ts'
import { connectBot, readChannel, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { startEntrance } from '../../helpers/providers/entrance.ts'
import { askRaw, openRawSocket } from '../../helpers/raw-sockets.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

/** A server that Telegram calls. */
async function startCalled() {
  await using starting = new AsyncDisposableStack()
  const entrance = starting.use(await startEntrance())
  const world = starting.use(await startChannelWorld({ PUBLIC_URL: entrance.url }))
  entrance.leadTo(world.app.url)
  const client = openClient({})
  starting.defer(async () => client.close())
  const started = starting.move()
  return { entrance, world, client, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

let updates = 300_000

async function post(client: Client, url: string, secret: string): Promise<number> {
  updates += 1
  const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret }
  return (await client.send(url, { method: 'POST', headers, body: `{"update_id":${updates}}` })).status
}

test('a secret that was replaced counts for a day more, then it does not, and is wiped', async () => {
  await using called = await startCalled()
  const { world, client } = called
  const { telegram, owner, app } = world
  const bot = telegram.addBot()
  const { id } = await connectBot(owner, bot)
  const hook = `${app.url}/hooks/telegram/${id}`
  const old = bot.hook.secret()
  const { version } = await readChannel(owner, id)
  const change = { credentials: { token: bot.renew() }, version }
  assert.equal((await owner.call('PATCH', `/api/channels/${id}`, change)).status, 200)
  const now = bot.hook.secret()
  assert.notEqual(now, old)
  await until(async () => (await post(client, hook, now)) === 200, 'the new secret is not known')
  assert.deepEqual([await post(client, hook, old), await post(client, hook, `${now}x`)], [200, 401])

  const read = () =>
    app.db
      .selectFrom('channels')
      .selectAll()
      .where('id', '=', id as `chn_${string}`)
      .executeTakeFirstOrThrow()
  const row = (await read()) as unknown as ChannelRow // as `findChannel` reads it
  const credentials = unsealCredentials(secretKey, row)
  assert.ok(credentials)
  assert.ok(credentials.before && credentials.before.until > Date.now() + 23 * 3_600_000)

  // All of the day passes but two seconds, in which both are known.
  const { now: secrets, before } = credentials
  const almostOver = Date.now() - 24 * 3_600_000 + 2_000
  const sealed = sealCredentials(secretKey, row, { secrets, replaced: before.secrets, now: almostOver })
  await app.db.updateTable('channels').set({ credentials: sealed, version: sql`version + 1` }).execute()
  await until(async () => (await post(client, hook, old)) === 401, 'the old secret still counts')
  assert.equal(await post(client, hook, now), 200)
  assert.equal((await owner.call('POST', `/api/channels/${id}/check`, {})).status, 200)
  const after = (await read()) as unknown as ChannelRow
  assert.deepEqual(unsealCredentials(secretKey, after, 0), { now: secrets, before: undefined }, 'it is wiped')
})

test('credentials are sealed for their row: in another one, and with another key, they cannot be read', () => {
  const ref = { accountId: 'acc_1', id: 'chn_1' } as const
  const rowOf = (over: object) =>
    ({ ...ref, credentials: sealCredentials(secretKey, ref, { secrets: 'x' }), ...over }) as unknown as ChannelRow
  assert.deepEqual(unsealCredentials(secretKey, rowOf({})), { now: 'x', before: undefined })
  for (const over of [{ accountId: 'acc_2' }, { id: 'chn_2' }])
    assert.throws(() => unsealCredentials(secretKey, rowOf(over)))
  assert.throws(() => unsealCredentials(randomBytes(32), rowOf({})))
})

test('when PUBLIC_URL has changed, the next look sets the new address, which the audit says; until then the old one is still ours', async () => {
  await using called = await startCalled()
  const { world, client, entrance } = called
  const { telegram, owner, app, shop } = world
  const bot = telegram.addBot()
  const { id } = await connectBot(owner, bot)
  assert.equal(bot.hook.info().url, `${entrance.url}/hooks/telegram/${id}`)
  await using moved = await startEntrance()
  const environment = { ROLE: 'all', CHANNEL_ORIGINS: `telegram=${telegram.origin}`, PUBLIC_URL: moved.url }
  await using restarted = await startApp(environment, app.database)
  moved.leadTo(restarted.url)
  const hook = `${restarted.url}/hooks/telegram/${id}`
  assert.equal(await post(client, hook, bot.hook.secret()), 200, 'it was signed for the old address')

  const again = await signIn(restarted, shop)
  const { status, body } = await again.call('POST', `/api/channels/${id}/check`, {})
  assert.deepEqual([status, body.state], [200, 'working'], JSON.stringify(body))
  assert.equal(bot.hook.info().url, `${moved.url}/hooks/telegram/${id}`)
  assert.equal(await post(client, hook, bot.hook.secret()), 200)
  const acts = await app.db.selectFrom('auditEvents').select(['act', 'details']).orderBy('id').execute()
  assert.deepEqual(
    acts.map(({ act, details }) => [act, (details as { calls?: string }).calls]),
    [
      ['channel connected', undefined],
      ['channel changed', new URL(moved.url).host],
    ],
  )
  bot.addPerson().write('Hello')
  const came = () => app.db.selectFrom('messages').select('id').where('body', '=', 'Hello').execute()
  await until(async () => (await came()).length === 1, 'nothing comes by the new address')
})

const declared = 3 * 1_048_576

function headOf(id: string, secret: string): string {
  return `POST /hooks/telegram/${id} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${declared}\r\nx-telegram-bot-api-secret-token: ${secret}\r\n\r\n{`
}

test('of one channel 64 calls may be under way; one more is to come again, others are not concerned, and bodies that do not come end after ten seconds', async () => {
  await using called = await startCalled()
  const { world, client } = called
  const { telegram, owner, app } = world
  const [bot, other] = [telegram.addBot(), telegram.addBot()]
  const [{ id }, { id: otherId }] = [await connectBot(owner, bot), await connectBot(owner, other)]
  const wrong = await askRaw(app.url, headOf(id, 'wrong'))
  assert.equal(wrong?.status, 401, 'before its body came')

  const open = await Promise.all(Array.from({ length: 64 }, () => openRawSocket(app.url)))
  for (const { socket } of open) socket.write(headOf(id, bot.hook.secret()))
  const hook = `${app.url}/hooks/telegram/${id}`
  await until(async () => (await post(client, hook, bot.hook.secret())) === 503, 'all 64 are not under way')
  assert.equal(await post(client, `${app.url}/hooks/telegram/${otherId}`, other.hook.secret()), 200)
  await Promise.all(open.map(({ closed }) => closed))
  assert.deepEqual([...new Set(open.flatMap(({ answers }) => answers().map(({ status }) => status)))], [408])
  assert.equal(await post(client, hook, bot.hook.secret()), 200)
})
