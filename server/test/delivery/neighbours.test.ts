import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { placeOf } from '../../src/delivery/attempt/attempt.ts'
import { newSecret } from '../../src/delivery/attempt/signature.ts'
import { openDueReceivers } from '../../src/delivery/claim/due-receivers.ts'
import { openSearch } from '../../src/delivery/claim/find-due.ts'
import { openLeaseBudget } from '../../src/delivery/slots/lease-budget.ts'
import { slotLimits } from '../../src/delivery/slots/slot-limits.ts'
import { openUnhealthyReceivers } from '../../src/delivery/slots/unhealthy-receivers.ts'
import type { Db } from '../../src/platform/database/db.ts'
import { openHotPool } from '../../src/platform/database/pools.ts'
import type { AccountId } from '../../src/platform/ids.ts'
import { seal } from '../../src/platform/secrets/seal.ts'
import { allSent, saveUrl, sendOne, startDelivering, untilMessages } from '../helpers/deliveries.ts'
import { secretKey, startApp } from '../helpers/harness.ts'
import { startReceiver, startTcp } from '../helpers/receivers.ts'
import { until } from '../helpers/until.ts'

const later = { DELIVERY_RETRY_SECONDS: '3600' }

type Many = { count: number; replies?: number; failures?: number }

/** Accounts with an address that is the same for all, each with so many replies due that no process has taken. */
async function makeReceivers(db: Db, url: string, { count, replies = 1, failures = 0 }: Many): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => {
    const accountId: AccountId = `acc_${String(n).padStart(32, '0')}`
    return { accountId, secret: seal(secretKey, newSecret(), placeOf({ accountId, kind: 'reply' })) }
  })
  const given = sql`json_to_recordset(${JSON.stringify(rows)}) as g ("accountId" text, secret text)`
  await sql`insert into accounts (id, kind) select "accountId", 'standard' from ${given}`.execute(db)
  await sql`
    insert into endpoints (account_id, kind, url, secret, failures_in_row, probe_at)
    select "accountId", 'reply', ${url}, secret, ${failures}, case when ${failures} >= 10 then now() end from ${given}
  `.execute(db)
  await sql`
    insert into deliveries (account_id, id, kind, contact_id, outgoing_seq, author, payload)
    select "accountId", 'msg_' || right("accountId", 16) || lpad(m::text, 16, '0'), 'reply', 'con_' || m, 1, 'bot', '{}'
    from ${given}, generate_series(1, ${replies}::integer) as m
  `.execute(db)
}

async function startWorld(many: Many) {
  await using started = new AsyncDisposableStack()
  const app = started.use(await startApp({ RATE_LIMIT_PER_MINUTE: '0' }))
  const dead = started.use(await startTcp(() => {})) // accepts, and never says a word
  const healthy = started.use(await startReceiver())
  const lucky = await app.makeAccount()
  await saveUrl(app, lucky, healthy.url)
  await makeReceivers(app.db, dead.url, many)
  const running = started.move()
  /** Replies of the account whose receiver is well, all of which must arrive. */
  const sendAll = async () => {
    for (let n = 0; n < 60; n += 1) await sendOne(lucky, { fromId: `contact ${n % 7}` })
    await untilMessages(app, lucky, allSent)
  }
  return { app, dead, lucky, healthy, sendAll, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

test('every reply to a receiver that is well is sent while attempts to forty others hang, who each have one at least', async () => {
  await using world = await startWorld({ count: 40, replies: 20 })
  const { app, dead, sendAll } = world
  await using worker = await startDelivering(later, app, 120_000)
  assert.ok(worker)
  await until(() => dead.open() >= 40, 'not every receiver that hangs was tried')
  await sendAll()
  assert.equal(dead.open(), dead.connections(), 'all of those attempts are still on their way')
  assert.ok(dead.connections() <= 40 * 4, `${dead.connections()} on their way, four at most to each`)
  await dead[Symbol.asyncDispose]()
})

for (const [what, failures] of [
  ['have failed before', 1],
  ['are asked whether they are back', 12],
] as const) {
  test(`of a hundred receivers that ${what} and hang, no more than 64 are tried at once, and another one has all it is sent`, async () => {
    await using world = await startWorld({ count: 100, replies: 5, failures })
    const { app, dead, sendAll } = world
    await using worker = await startDelivering(later, app, 120_000)
    assert.ok(worker)
    await until(() => dead.open() >= 60, 'those that hang were not tried')
    await sendAll()
    assert.equal(dead.open(), dead.connections(), 'all of those attempts are still on their way')
    assert.ok(dead.connections() <= 64, `${dead.connections()} on their way`)
    await dead[Symbol.asyncDispose]()
  })
}

test('however many receivers something is due for, one look through all of them finds what may leave', async () => {
  await using world = await startWorld({ count: 2_500, failures: 12 })
  const { app, lucky } = world
  await sql`update endpoints set probe_at = now() + interval '1 hour' where failures_in_row > 0`.execute(app.db)
  const id = await sendOne(lucky)
  const pool = openHotPool(app.database.address, pino({ enabled: false }))
  const unhealthy = openUnhealthyReceivers()
  const leaseBudget = openLeaseBudget(slotLimits(4), unhealthy)
  const search = openSearch({ db: app.db, pool, dueReceivers: openDueReceivers(leaseBudget), leaseBudget, unhealthy })
  const found = await search.claim(100)
  await pool.end()
  assert.deepEqual(
    found.map((event) => event.id),
    [id],
  )
})
