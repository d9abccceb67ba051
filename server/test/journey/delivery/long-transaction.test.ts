import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { openDueReceivers } from '../../../src/journey/delivery/claim/due-receivers.ts'
import { openOpenSince } from '../../../src/journey/delivery/claim/open-since.ts'
import { openScan } from '../../../src/journey/delivery/claim/scan.ts'
import { claimDue, findDueReceivers } from '../../../src/journey/delivery/claim/store.ts'
import { type Settlement, settle, settleArrived } from '../../../src/journey/delivery/outcome/settle-store.ts'
import { openSlots } from '../../../src/journey/delivery/slots/slots.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import { type AccountId, newId } from '../../../src/platform/ids.ts'
import { allSent, saveUrl, sendOne, startDelivering, untilMessages } from '../../helpers/deliveries.ts'
import { startApp } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { until } from '../../helpers/until.ts'

/** Settled events whose entries stay in the index of open ones, because an open transaction may still see them. */
const settled = 3_000

async function addEvents(db: Db, accountId: AccountId, { count, age }: { count: number; age: string }): Promise<void> {
  await sql`
    insert into deliveries (account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, due_at)
    select ${accountId}, 'msg_' || replace(gen_random_uuid()::text, '-', ''), 'reply', 'con_' || gen_random_uuid(), 1, 'bot', '{}',
      now() - ${age}::interval
    from generate_series(1, ${count}::integer)
  `.execute(db)
}

/** How many entries of the index of open events this work reads. */
async function entriesRead(pool: Pool, work: (client: PoolClient) => Promise<unknown>): Promise<number> {
  const client = await pool.connect()
  const read = async () => {
    const { rows } = await client.query<{ n: string }>(
      `select pg_stat_get_xact_tuples_returned('deliveries_open'::regclass) as n`,
    )
    return Number(rows[0]?.n)
  }
  try {
    await client.query('begin')
    const before = await read()
    await work(client)
    return (await read()) - before
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** A client of a pool runs statements as the pool does. */
const asPool = (client: PoolClient) => client as unknown as Pool

test('beside a long transaction a claim and a settlement read what is open, and not all that was settled since', async () => {
  await using app = await startApp()
  const { db, pools } = app
  const shop = await app.makeAccount()
  await saveUrl(app, shop, 'http://127.0.0.1:9/')
  const receiver = { accountId: shop.accountId, receiverId: 'reply' as const }
  await addEvents(db, shop.accountId, { count: settled, age: '1 minute' })
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (long) => {
      await sql`select count(*) from deliveries`.execute(long)
      await sql`update deliveries set due_at = null, sent_at = now()`.execute(db)
      await addEvents(db, shop.accountId, { count: 5, age: '5 s' })

      const { open, scannedAt } = await findDueReceivers(db, undefined)
      const since = open.find(({ accountId }) => accountId === shop.accountId)?.since ?? ''
      assert.ok(since < scannedAt, 'that of the oldest open event')
      const claim = (from: string) => (client: PoolClient) =>
        claimDue(asPool(client), [{ ...receiver, budget: 5, since: from }])
      assert.ok((await entriesRead(pools.batch, claim('-infinity'))) >= settled)
      assert.ok((await entriesRead(pools.batch, claim(since))) <= 20)

      const events = await claimDue(pools.batch, [{ ...receiver, budget: 2, since }])
      assert.equal(events.length, 2)
      for (const store of [settleArrived, settle]) {
        const outcome = (from: string) => events.map((event) => settlementOf(event, from))
        const read = (from: string) => entriesRead(pools.batch, (client) => store(asPool(client), outcome(from)))
        await sql`update receivers set last_success_at = now()`.execute(db)
        assert.ok((await read('-infinity')) >= settled)
        assert.ok((await read(since)) <= 20)
      }
    })
})

type Event = Awaited<ReturnType<typeof claimDue>>[number]

function settlementOf({ accountId, receiverId, id, token, url }: Event, since: string): Settlement {
  const outcome = {
    status: 'Sent' as const,
    error: undefined,
    dueInSeconds: undefined,
    isFailure: false,
    isGone: false,
  }
  const made = { url: url ?? '', durationMs: 1 }
  return { accountId, receiverId, id, token, since, made, isProbe: false, ...outcome }
}

test('an event that becomes visible later than others that were due after it is delivered all the same', async () => {
  await using app = await startDelivering()
  const shop = await app.makeAccount()
  await using receiver = await startReceiver()
  await saveUrl(app, shop, receiver.url)
  await sendOne(shop)
  await untilMessages(app, shop, allSent) // the process has scanned, and so knows since when events may be open
  const id = newId('msg')
  await sql`
    insert into deliveries (account_id, id, receiver_id, contact_id, outgoing_seq, author, payload, due_at)
    select account_id, ${id}, 'reply', contact_id, 1, 'bot', '{}', now() - interval '1 hour' from conversations
    where account_id = ${shop.accountId}
  `.execute(app.db)
  const hasArrived = () => receiver.requests.some(({ headers }) => headers['webhook-id'] === id)
  await until(hasArrived, 'the event was not delivered')
})

test('a scan that takes long twice in a row is put off, and one that fails as well', async () => {
  await using app = await startApp()
  const { leaseBudget, unhealthy } = openSlots(() => ({ inFlight: 1, slowAfterMs: 1_000 }))
  const dueReceivers = openDueReceivers(leaseBudget)
  const scan = openScan({ db: app.db, dueReceivers, leaseBudget, unhealthy })
  /** Lets a scan wait for a lock, then goes on with it or ends it. */
  const scanSlowly = async (then: string) => {
    scan.request()
    assert.ok(scan.mayRun())
    const client = await app.pools.batch.connect()
    await client.query('begin; lock table deliveries')
    const scanning = scan.run().catch((error: Error) => error.message)
    await sleep(300)
    await client.query(`${then}; rollback`)
    client.release()
    return scanning
  }
  const cancel = `select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  assert.equal(await scanSlowly('select'), undefined)
  assert.match((await scanSlowly(cancel)) ?? '', /canceling statement/)
  scan.request()
  assert.equal(scan.mayRun(), false)
})

test('what a part of a scan has found holds at once, not when all parts are done', () => {
  const openSince = openOpenSince()
  const [first, second] = [newId('acc'), newId('acc')].map((accountId) => ({ accountId, receiverId: 'reply' as const }))
  assert.ok(first && second)
  const part = { due: [], scannedAt: 'at ten' }
  openSince.note({ ...part, open: [{ ...first, since: 'at nine' }], next: undefined })
  assert.deepEqual([first, second].map(openSince.of), ['at nine', 'at ten'])
  openSince.note({ ...part, open: [{ ...first, since: 'at eight' }], next: first })
  assert.deepEqual([first, second].map(openSince.of), ['at eight', 'at ten'])
})
