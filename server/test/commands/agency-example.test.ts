import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { findAccount } from '../../src/business/accounts/store.ts'
import { showBalance, showHistory } from '../../src/business/credits/history.ts'
import { setRecharge } from '../../src/business/credits/recharge.ts'
import { newSecret, sign, signingKey } from '../../src/journey/delivery/transports/webhook/signing-keys.ts'
import { notifyWorkers } from '../../src/platform/notify/notify.ts'
import { charge, startAgency, type World } from '../helpers/credits.ts'
import { saveUrl, startDelivering } from '../helpers/deliveries.ts'
import { startExample } from '../helpers/example.ts'
import { until } from '../helpers/until.ts'

/** The example in its own process, as the receiver of an agency's recharge requests. */
async function startAgencyExample() {
  await using started = new AsyncDisposableStack()
  const world = started.use(await startAgency(await startDelivering({ RATE_LIMIT_PER_MINUTE: '0' })))
  const { app, agency } = world
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-example-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'cert.pem'), app.certificate)
  const secret = await saveUrl(app, agency, 'http://localhost:9/', 'recharge')
  const { port, said } = started.use(
    await startExample('agency-server', {
      PATCHBAY_URL: `${app.url}/v1`,
      PATCHBAY_API_KEY: agency.apiKey,
      WEBHOOK_SECRET: secret,
      NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem'),
    }),
  )
  const url = `http://127.0.0.1:${port}/`
  await saveUrl(app, agency, url, 'recharge')
  const sub = await world.makeSub()
  await world.ask({ email: sub.email, amount: 10 })
  await setRecharge(world.db, await findAccount(world.db, sub.accountId), { threshold: 10, amount: 25 })
  const running = started.move()
  return { ...world, sub, url, secret, said, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function grantsOf({ db }: World, accountId: `acc_${string}`): Promise<number[]> {
  const { entries } = await showHistory(db, accountId, { limit: 100 })
  return entries.filter(({ kind }) => kind === 'grant').map(({ amount }) => amount)
}

test('the example makes one grant for an event, also when the event is delivered again', async () => {
  await using world = await startAgencyExample()
  const { db, sub, said } = world
  await charge(db, sub.accountId, 1)
  await notifyWorkers(db, 'delivery')
  await until(async () => (await showBalance(db, sub.accountId)).balance === 34, `no grant: ${said.join('\n')}`)
  await until(() => said.length === 2, 'it did not say so')
  for (let again = 1; again <= 3; again += 1) {
    await until(async () => !(await isUnderway(world)), 'the delivery was not settled')
    await sql`update deliveries set due_at = now() where receiver_id = 'recharge'`.execute(db)
    await notifyWorkers(db, 'delivery')
    await until(() => said.length === 2 + again, 'it was not delivered again')
  }
  assert.deepEqual(await grantsOf(world, sub.accountId), [25, 10])
  assert.deepEqual(new Set(said.slice(1)).size, 1, `each time the same answer: ${said.join('\n')}`)
  assert.match(said[1] ?? '', /^200 .* has 34 credits after evt_/)

  await charge(db, sub.accountId, 30)
  await notifyWorkers(db, 'delivery')
  await until(async () => (await grantsOf(world, sub.accountId)).length === 3, 'the next crossing is another grant')
})

async function isUnderway({ db }: World): Promise<boolean> {
  const { rows } = await sql`select from deliveries where receiver_id = 'recharge' and due_at is not null`.execute(db)
  return rows.length > 0
}

test('the example grants nothing for an event that is unsigned, too old, or a test event', async () => {
  await using world = await startAgencyExample()
  const { sub, url, secret } = world
  const event = { event: 'subaccount.auto_recharge', email: sub.email, amount: 25, sub_account_id: sub.accountId }
  const post = async (key: string, { by = secret, age = 0, signed = true } = {}) => {
    const body = JSON.stringify({ ...event, idempotency_key: key })
    const timestamp = Math.floor(Date.now() / 1_000) - age
    const headers = { 'webhook-id': key, 'webhook-timestamp': String(timestamp) }
    const signature = { 'webhook-signature': sign([signingKey(by)], { id: key, timestamp, body }) }
    const answer = await fetch(url, { method: 'POST', body, headers: signed ? { ...headers, ...signature } : headers })
    await answer.text()
    return answer.status
  }
  assert.equal(await post('evt_1', { signed: false }), 401)
  assert.equal(await post('evt_1', { by: newSecret() }), 401)
  assert.equal(await post('evt_1', { age: 3_600 }), 401)
  assert.equal(await post('evt_test'), 200)
  assert.deepEqual(await grantsOf(world, sub.accountId), [10])
  const twins = await Promise.all(Array.from({ length: 10 }, () => post('evt_1')))
  assert.deepEqual(twins, Array(10).fill(200))
  assert.deepEqual(await grantsOf(world, sub.accountId), [25, 10], 'ten at once are one grant')
})
