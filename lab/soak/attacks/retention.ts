import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { Client } from 'pg'
import { type Attack, type Counts, count } from './attack.ts'

const rows = 1_000_000
const mostMs = 100

/** K03: a million attempts are old enough to be removed, and are, while the server is in use. */
export const retention: Attack = async ({ database, server }, started) => {
  const client = new Client(database)
  client.on('error', () => {})
  await client.connect()
  started.defer(() => client.end())
  await client.query(`insert into accounts (id, kind) values ('acc_old', 'standard')`)
  await client.query(
    `insert into delivery_attempts (account_id, delivery_id, n, at, url, duration_ms)
    select 'acc_old', 'msg_' || n, 1, now() - interval '40 days', 'https://example.com/', 5
    from generate_series(1, $1) as n`,
    [rows],
  )
  await client.query('vacuum (analyze) delivery_attempts')
  const load = (file: string) => import(pathToFileURL(join(server, 'server', file)).href)
  const { openDb }: typeof import('../../../server/src/platform/database/db.ts') =
    await load('src/platform/database/db.ts')
  const { openLog }: typeof import('../../../server/src/platform/log.ts') = await load('src/platform/log.ts')
  const { removeOver }: typeof import('../../../server/src/app/removal/retention/remove-over.ts') = await load(
    'src/app/removal/retention/remove-over.ts',
  )
  const { readKeepDays }: typeof import('../../../server/src/platform/config/keep-days.ts') = await load(
    'src/platform/config/keep-days.ts',
  )
  const db = openDb(database, openLog('silent').log, 2)
  started.defer(() => db.destroy())
  return async (stopping) => {
    const counts: Counts = {}
    const keepDays = readKeepDays(() => undefined)
    const removing = removeOver({ db, keepDays, hint: () => {}, pause: async () => {} })
    while (!stopping.aborted) {
      const { rows: waiting } = await client.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and now() - query_start > $1 * interval '1 ms'`,
        [mostMs],
      )
      if (waiting.length > 0) count(counts, `broken: statements that waited ${mostMs} ms for a lock`, waiting.length)
      await sleep(20)
    }
    await removing
    const { rows: left } = await client.query(
      `select count(*)::integer as n from delivery_attempts where account_id = 'acc_old'`,
    )
    count(counts, 'removed', rows - left[0].n)
    if (left[0].n > 0) count(counts, 'broken: attempts that were not removed', left[0].n)
    return counts
  }
}
