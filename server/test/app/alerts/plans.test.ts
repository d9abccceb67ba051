import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { linksAt } from '../../../src/app/alerts/alert-texts.ts'
import { readState } from '../../../src/app/alerts/fact-store.ts'
import { sendAlerts } from '../../../src/app/alerts/send-alerts.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { startApp } from '../../helpers/harness.ts'
import { type Read, readsOf, stopAutovacuum } from '../../helpers/plans.ts'

const accounts = 1_000
const alerting = 20
const waitingOfEach = 300

/** Accounts with conversations that have waited for long; a few of them have an alert address. */
async function fill(db: Db): Promise<void> {
  const numbers = sql`generate_series(1, ${accounts}::integer) as n`
  await sql`insert into accounts (id, kind) select 'acc_' || n, 'standard' from ${numbers}`.execute(db)
  await sql`insert into receivers (account_id, id, url, secret, failing_since, last_success_at)
    select 'acc_' || n, 'reply', 'https://example.com', 'none', case when n % 10 = 0 then now() - interval '1 minute' end, now()
    from ${numbers}`.execute(db)
  await sql`insert into receivers (account_id, id, url, secret, created_at)
    select 'acc_' || n, 'alert', 'https://example.com', 'none', now() - interval '1 day'
    from generate_series(1, ${alerting}::integer) as n`.execute(db)
  await sql`insert into campaigns (account_id, id, name, status, is_default, settings)
    select 'acc_' || n, 'cmp_' || n || '_' || m, 'Bot', 'live', false, '{}'
    from ${numbers}, generate_series(1, 5) as m`.execute(db)
  const waiting = sql`generate_series(1, ${2 * alerting}::integer) as n, generate_series(1, ${waitingOfEach}::integer) as m`
  await sql`insert into contacts (account_id, id) select 'acc_' || n, 'con_' || n || '_' || m from ${waiting}`.execute(
    db,
  )
  await sql`insert into conversations (account_id, contact_id, last_seq, waiting_since)
    select 'acc_' || n, 'con_' || n || '_' || m, 1, now() - m * interval '1 minute' - interval '3 days' from ${waiting}`.execute(
    db,
  )
}

const rowsOf = (reads: Read[], table: string) =>
  reads.filter((read) => read.table === table).reduce((sum, { rows }) => sum + rows, 0)

test('a look costs a few index reads for each account with an alert address, however many accounts there are and conversations wait', async () => {
  await using app = await startApp()
  await stopAutovacuum(app)
  await fill(app.db)
  const reads = await readsOf(app, (db) => sendAlerts({ db, link: linksAt('https://chat.example.com') }))
  const looks = 20 // statements, each with its facts
  assert.equal(rowsOf(reads, 'conversations'), 0)
  assert.equal(rowsOf(reads, 'campaigns'), 0)
  assert.ok(rowsOf(reads, 'receivers') <= 3 * alerting * looks, `${rowsOf(reads, 'receivers')} rows of receivers`)
  assert.deepEqual(
    reads.filter(
      ({ table, isWhole }) => isWhole && ['receivers', 'campaigns', 'conversations', 'contacts'].includes(table),
    ),
    [],
  )
})

test('what a browser asks for is a few index reads', async () => {
  await using app = await startApp()
  await stopAutovacuum(app)
  await fill(app.db)
  const accountId: AccountId = 'acc_7'
  const reads = await readsOf(app, (db) => readState(db, { accountId, isOwner: true }))
  assert.ok(rowsOf(reads, 'conversations') <= 50)
  assert.ok(rowsOf(reads, 'contacts') <= 50)
  assert.equal(rowsOf(reads, 'campaigns'), 0)
})

test('five thousand receivers that fail at once are told in one look, and that they work again in another', async () => {
  await using app = await startApp()
  const { db } = app
  const numbers = sql`generate_series(1, 5000) as n`
  await sql`insert into accounts (id, kind) select 'acc_' || n, 'standard' from ${numbers}`.execute(db)
  for (const id of ['reply', 'alert']) {
    await sql`insert into receivers (account_id, id, url, secret) select 'acc_' || n, ${id}, 'https://example.com', 'none'
      from ${numbers}`.execute(db)
  }
  const look = () => sendAlerts({ db, link: linksAt('https://chat.example.com') })
  await sql`update receivers set failing_since = now() - interval '1 hour' where id = 'reply'`.execute(db)
  assert.equal((await look()).size, 5_000)
  assert.equal((await look()).size, 0)
  await sql`update receivers set failing_since = null, last_success_at = now() where id = 'reply'`.execute(db)
  await look()
  await sql`update alert_states set over_since = now() - interval '61 seconds'`.execute(db)
  assert.equal((await look()).size, 5_000)
})
