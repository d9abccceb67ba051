import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { pino } from 'pino'
import { readReport } from '../../../src/app/reports/read/read-report.ts'
import { openDbForLongStatements } from '../../../src/platform/database/db.ts'
import { migrate, underMigrationLock } from '../../../src/platform/database-setup/migrate.ts'
import { newId } from '../../../src/platform/ids.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { makeOldSchema } from '../../helpers/old-schema.ts'

const oldText = 'Thank you for your message. I do not have an answer to that yet; someone will look into it.'

test('the old text that promised somebody is replaced, a text of one’s own stays, and reports say since when they count anew', async () => {
  await using database = await makeDatabase({ empty: true })
  await makeOldSchema(database.address, 45)
  const accountId = newId('acc')
  const client = new Client(database.address)
  await client.connect()
  await client.query(`insert into accounts (id, kind, time_zone) values ($1, 'standard', 'Asia/Tokyo')`, [accountId])
  const texts = [{ fallbackText: oldText, greetingText: 'Hi' }, { fallbackText: `${oldText} Soon.` }, {}]
  for (const [n, settings] of texts.entries()) {
    await client.query(
      `insert into campaigns (account_id, id, name, status, is_default, settings) values ($1, $2, 'C', 'live', false, $3)`,
      [accountId, `cmp_${n}`, JSON.stringify(settings)],
    )
  }
  await client.query(
    `insert into report_accounts (account_id, zone, began_at, answers_to) values ($1, 'Asia/Tokyo', now(), $2)`,
    [accountId, '2026-11-16T22:00:00Z'],
  )
  const db = openDbForLongStatements(database.address, pino({ enabled: false }))
  await underMigrationLock(db, migrate)
  const { rows } = await client.query(`select settings, version from campaigns order by id`)
  await client.end()
  const [replaced, ...others] = rows
  assert.match(replaced.settings.fallbackText, /^I do not have an answer to that yet\./)
  assert.deepEqual([replaced.settings.greetingText, replaced.version], ['Hi', 2])
  assert.deepEqual(
    others.map(({ settings, version }) => [settings, version]),
    [
      [texts[1], 1],
      [texts[2], 1],
    ],
  )
  assert.equal((await readReport(db, accountId, { range: '7' })).missesSince, '2026-11-17')
  await db.destroy()
})
