import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { testWebhook } from '../../../src/journey/delivery/transports/webhook/test-webhook.ts'
import {
  pauseReceiver,
  removeWebhook,
  rotateSecret,
  showWebhooks,
} from '../../../src/journey/delivery/transports/webhook/webhooks.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import { openOutbound } from '../../../src/platform/outbound/client.ts'
import { checkSecretKey, readSecretKey } from '../../../src/platform/secrets/secret-key.ts'
import { runHere } from '../../helpers/commands.ts'
import { urlOf } from '../../helpers/databases.ts'
import { saveUrl, sendOne, startDelivering, untilMessages } from '../../helpers/deliveries.ts'
import { secretKey, startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { startReceiver, startTcp } from '../../helpers/receivers.ts'
import { makeDataFolder, runCli } from '../../helpers/server-process.ts'

/** Copies the sealed secret of one row into another, as an attacker with write access to the database could. */
async function copySecret(db: Db, from: TestAccount, to: TestAccount, id: 'reply' | 'recharge'): Promise<void> {
  await sql`
    update receivers set secret = (select secret from receivers where account_id = ${from.accountId} and id = 'reply')
    where account_id = ${to.accountId} and id = ${id}
  `.execute(db)
}

test("a sealed secret that is copied into another account's row, or another kind's, signs nothing there", async () => {
  await using app = await startApp({ ROLE: 'all' })
  await using receiver = await startReceiver()
  const [shop, thief] = [await app.makeAccount(), await app.makeAccount()]
  const ctx = { db: app.db, secretKey }
  for (const account of [shop, thief]) await saveUrl(app, account, receiver.url)
  await copySecret(app.db, shop, thief, 'reply')
  await assert.rejects(showWebhooks(ctx, thief.accountId))
  await sendOne(thief)
  const [failed] = await untilMessages(app, thief, ([message]) => message?.status === 'Failed')
  assert.deepEqual([failed?.error?.category, failed?.attempts], ['secret_unreadable', 0])
  await sendOne(shop)
  await untilMessages(app, shop, ([message]) => message?.status === 'Sent')
  assert.equal(receiver.requests.length, 1, "the other account's own")

  await saveUrl(app, shop, receiver.url, 'recharge')
  assert.equal((await showWebhooks(ctx, shop.accountId)).length, 2)
  await copySecret(app.db, shop, shop, 'recharge')
  await assert.rejects(showWebhooks(ctx, shop.accountId))
})

test('processes with the same SECRET_KEY can unseal each other’s secrets', async () => {
  await using app = await startApp()
  await using folder = await makeDataFolder({ cluster: false })
  const shop = await app.makeAccount()
  const environment = {
    DATA_DIR: folder.path,
    DATABASE_URL: urlOf(app.database.address),
    SECRET_KEY: 'the first of keys',
  }
  const words = ['--account', shop.email, '--json']
  const run = (...args: string[]) => runHere(environment, ...args, ...words)
  const another = { ...environment, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32' }
  const set = await runCli(another, 'webhook', 'set', '--url', 'http://127.0.0.1:9/', ...words)
  const { secret } = JSON.parse(set.stdout)
  const shown = await run('webhook', 'show')
  assert.deepEqual(JSON.parse(shown.stdout).webhooks[0].secrets, [secret])
  const ours = await readSecretKey(readConfig(environment))
  assert.deepEqual((await showWebhooks({ db: app.db, secretKey: ours }, shop.accountId))[0]?.secrets, [secret])
  const fresh = await rotateSecret(
    { db: app.db, secretKey: ours },
    { accountId: shop.accountId, receiverId: 'reply' },
    { isLeaked: false },
  )
  assert.deepEqual(JSON.parse((await run('webhook', 'show')).stdout).webhooks[0].secrets, [fresh, secret])
})

test('a command with another SECRET_KEY than the servers have writes nothing, and names the reason in one line', async () => {
  await using app = await startApp()
  await using folder = await makeDataFolder({ cluster: false })
  const shop = await app.makeAccount()
  await saveUrl(app, shop, 'http://127.0.0.1:9/')
  await app.db.transaction().execute((tx) => checkSecretKey(tx, secretKey))
  const before = await app.db.selectFrom('receivers').selectAll().execute()
  const environment = {
    DATA_DIR: folder.path,
    DATABASE_URL: urlOf(app.database.address),
    SECRET_KEY: 'another key altogether',
  }
  for (const command of [['show'], ['rotate'], ['set', '--url', 'http://127.0.0.1:9/'], ['test']]) {
    const words = ['webhook', ...command, '--account', shop.email]
    const run = await runHere({ ...environment, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32' }, ...words)
    assert.deepEqual([run.code, run.stdout], [1, ''])
    assert.match(run.stderr, /^SECRET_KEY is not the one[^\n]*\n$/)
  }
  assert.deepEqual(await app.db.selectFrom('receivers').selectAll().execute(), before)
})

/** Every row of every table as text, by table. */
async function dump(db: Db): Promise<Map<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
  `.execute(db)
  const found = new Map<string, string>()
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} as t`.execute(db)
    found.set(name, rows.map(({ row }) => row).join('\n'))
  }
  return found
}

/** All encodings in which a secret could leak. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const texts = [bytes.toString('base64').slice(0, 40), bytes.toString('base64url').slice(0, 40), bytes.toString('hex')]
  const whole = (['hex', 'base64', 'base64url'] as const).map((as) => Buffer.from(secret).toString(as).slice(0, 40))
  return [...new Set([...texts, ...whole])]
}

function findIn(texts: Iterable<string>, wanted: string[]): string[] {
  const all = [...texts].join('\n').toLowerCase()
  return wanted.filter((text) => all.includes(text.toLowerCase()))
}

/** Delivers with every kind of outcome; returns every secret that has signed. */
async function exercise(app: TestApp): Promise<string[]> {
  await using receiver = await startReceiver(({ path }, response) => {
    const status = Number(/\d+/.exec(path)?.[0] ?? 200)
    response.writeHead(status, { location: `http://127.0.0.1:1${path}` }).end('the requested status')
  })
  await using silent = await startTcp((socket) => socket.resume())
  const outbound = openOutbound({ allowed: readConfig({}).outboundAllowed, limits: { attemptMs: 300 } })
  const ctx = { db: app.db, secretKey, outbound, now: Date.now }
  const paths = ['200', '204', '302', '404', '410', '500', '503'].map((status) => receiver.url + status)
  const secrets: string[] = []
  for (const [n, url] of [
    ...paths,
    silent.url,
    'http://127.0.0.1:1/',
    receiver.url,
    receiver.url,
    receiver.url,
  ].entries()) {
    const shop = await app.makeAccount()
    const replies = { accountId: shop.accountId, receiverId: 'reply' as const }
    secrets.push(await saveUrl(app, shop, `${url}?token=query-secret`))
    secrets.push(await rotateSecret(ctx, replies, { isLeaked: n % 2 === 0 }))
    await testWebhook(ctx, replies, 'usr_test')
    if (n === 9) await pauseReceiver(app.db, replies, { isPaused: true })
    if (n === 10) await removeWebhook(app.db, replies)
    if (n === 11) {
      const blocked = 'https://10.0.0.1/?token=query-secret'
      await app.db.updateTable('receivers').set({ url: blocked }).where('accountId', '=', shop.accountId).execute()
    }
    await sendOne(shop, { body: `a body of message ${n}` })
    await untilMessages(app, shop, ([message]) => message?.status === 'Sent' || message?.status === 'Failed')
  }
  await outbound.close()
  return secrets
}

test('after deliveries and failures of every kind, no secret is in clear in the database or the log', async () => {
  await using app = await startDelivering({ DELIVERY_RETRY_SECONDS: '1000' }, undefined, 1_000)
  const secrets = await exercise(app)
  const corrupted = await app.makeAccount()
  secrets.push(await saveUrl(app, corrupted, 'http://127.0.0.1:1/?token=query-secret'))
  await sql`update receivers set secret = overlay(secret placing 'AAAA' from 40) where account_id = ${corrupted.accountId}`.execute(
    app.db,
  )
  await sendOne(corrupted)
  await untilMessages(app, corrupted, ([message]) => message?.status === 'Failed')
  const wanted = secrets.flatMap(encodingsOf)
  const tables = await dump(app.db)
  assert.deepEqual(findIn(tables.values(), wanted), [])
  assert.deepEqual(findIn(app.log, wanted), [])
  const queries = ['query-secret', 'token=']
  tables.delete('receivers') // the only table that may have the whole address
  assert.deepEqual(findIn(tables.values(), queries), [])
  assert.deepEqual(findIn(app.log, queries), [])

  const tried = await app.db.selectFrom('deliveries').select('id').where('lastUrl', 'is not', null).execute()
  assert.equal(tried.length, 10, 'all but those without an attempt')
  assert.equal(findIn(tables.values(), ['a body of message 3', 'http://127.0.0.1:1/', 'blocked_address']).length, 3)
  assert.equal(findIn(app.log, ['/v1/send_custom_channel_message', 'cannot be read']).length, 2)
  for (const leak of wanted.slice(0, 5)) {
    await sql`update deliveries set error_detail = ${`whsec_${leak}`}`.execute(app.db)
    assert.deepEqual(findIn((await dump(app.db)).values(), wanted), [leak], 'a leak would be found')
  }
  await app.db.updateTable('deliveries').set({ errorDetail: null }).execute()
})
