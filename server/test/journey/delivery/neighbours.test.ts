import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { openClaim } from '../../../src/journey/delivery/claim/claim.ts'
import { openDueReceivers } from '../../../src/journey/delivery/claim/due-receivers.ts'
import { openSlots } from '../../../src/journey/delivery/slots/slots.ts'
import { newSecret, sealContextOf } from '../../../src/journey/delivery/transports/webhook/signing-keys.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import { openBatchPool } from '../../../src/platform/database/pools.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { seal } from '../../../src/platform/secrets/seal.ts'
import { allSent, saveUrl, sendOne, startDelivering, untilMessages } from '../../helpers/deliveries.ts'
import { secretKey, startApp } from '../../helpers/harness.ts'
import { startReceiver, startTcp } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

const later = { DELIVERY_RETRY_SECONDS: '3600' }

type Many = { count: number; replies?: number; failures?: number }

/** Makes accounts that share one address, each with so many due replies that no process has leased. */
async function makeReceivers(db: Db, url: string, { count, replies = 1, failures = 0 }: Many): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => {
    const accountId: AccountId = `acc_${String(n).padStart(32, '0')}`
    return { accountId, secret: seal(secretKey, newSecret(), sealContextOf({ accountId, receiverId: 'reply' })) }
  })
  const given = sql`json_to_recordset(${JSON.stringify(rows)}) as g ("accountId" text, secret text)`
  await sql`insert into accounts (id, kind) select "accountId", 'standard' from ${given}`.execute(db)
  await sql`
    insert into receivers (account_id, id, url, secret, failures_in_row, probe_at)
    select "accountId", 'reply', ${url}, secret, ${failures}, case when ${failures} >= 10 then now() end from ${given}
  `.execute(db)
  await sql`
    insert into deliveries (account_id, id, receiver_id, contact_id, outgoing_seq, author, payload)
    select "accountId", 'msg_' || right("accountId", 16) || lpad(m::text, 16, '0'), 'reply', 'con_' || m, 1, 'bot', '{}'
    from ${given}, generate_series(1, ${replies}::integer) as m
  `.execute(db)
}

async function startWorld(many: Many) {
  await using started = new AsyncDisposableStack()
  const app = started.use(await startApp({ RATE_LIMIT_PER_MINUTE: '0' }))
  const dead = started.use(await startTcp(() => {})) // accepts connections and never answers
  const healthy = started.use(await startReceiver())
  const healthyAccount = await app.makeAccount()
  await saveUrl(app, healthyAccount, healthy.url)
  await makeReceivers(app.db, dead.url, many)
  const running = started.move()
  /** Sends replies of the account whose receiver is healthy, all of which must arrive. */
  const sendAll = async () => {
    for (let n = 0; n < 60; n += 1) await sendOne(healthyAccount, { fromId: `contact ${n % 7}` })
    await untilMessages(app, healthyAccount, allSent)
  }
  return { app, dead, healthyAccount, healthy, sendAll, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

test('every reply to a healthy receiver is sent while attempts to forty others hang, each of which got at least one', async () => {
  await using world = await startWorld({ count: 40, replies: 20 })
  const { app, dead, sendAll } = world
  await using worker = await startDelivering(later, app, 120_000)
  assert.ok(worker)
  await until(() => dead.open() >= 40, 'not every receiver that hangs was tried')
  await sendAll()
  assert.equal(dead.open(), dead.connections(), 'all of those attempts are still in flight')
  assert.ok(dead.connections() <= 40 * 4, `${dead.connections()} in flight, at most four to each`)
  await dead[Symbol.asyncDispose]()
})

for (const [what, failures] of [
  ['have failed before', 1],
  ['are probed', 12],
] as const) {
  test(`of a hundred receivers that ${what} and hang, no more than 64 are tried at once, and a healthy one gets all its replies`, async () => {
    await using world = await startWorld({ count: 100, replies: 5, failures })
    const { app, dead, sendAll } = world
    await using worker = await startDelivering(later, app, 120_000)
    assert.ok(worker)
    await until(() => dead.open() >= 60, 'those that hang were not tried')
    await sendAll()
    assert.equal(dead.open(), dead.connections(), 'all of those attempts are still in flight')
    assert.ok(dead.connections() <= 64, `${dead.connections()} in flight`)
    await dead[Symbol.asyncDispose]()
  })
}

test('however many receivers have due events, one claim scans all of them and finds the event that may be sent', async () => {
  await using world = await startWorld({ count: 2_500, failures: 12 })
  const { app, healthyAccount } = world
  await sql`update receivers set probe_at = now() + interval '1 hour' where failures_in_row > 0`.execute(app.db)
  const id = await sendOne(healthyAccount)
  const pool = openBatchPool(app.database.address, pino({ enabled: false }))
  const { leaseBudget, unhealthy } = openSlots(() => ({ inFlight: 4, slowAfterMs: 1_000 }))
  const dueReceivers = openDueReceivers(leaseBudget)
  const { claim } = openClaim({ db: app.db, pool, dueReceivers, leaseBudget, unhealthy })
  const claimed = await claim(100)
  await pool.end()
  assert.deepEqual(
    claimed.map((event) => event.id),
    [id],
  )
})
