import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { runCommand } from '../../common/run-command.ts'
import { type Attack, type Counts, count } from './attack.ts'

const rows = 1_000_000
const mostMs = 100
/** Beside requests the server takes its time, and a run may be over before it is done. */
const longestRemovalMs = 600_000

/** K03: a million attempts are old enough to be removed, and are, while the server is in use. */
export const retention: Attack = async ({ database, server, environment }, started) => {
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
  return async (stopping) => {
    const counts: Counts = {}
    // Attempts are kept for so long anyway; but it wakes the server, which otherwise looks every ten minutes.
    const rule = ['--account', 'acc_old', '--kind', 'attempts', '--days', '30']
    await runCommand(server, ['account', 'retention', ...rule], environment)
    while (!stopping.aborted) {
      const { rows: waiting } = await client.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and now() - query_start > $1 * interval '1 ms'`,
        [mostMs],
      )
      if (waiting.length > 0) count(counts, `broken: statements that waited ${mostMs} ms for a lock`, waiting.length)
      await sleep(20)
    }
    const left = await untilRemoved(client)
    count(counts, 'removed', rows - left)
    if (left > 0) count(counts, 'broken: attempts that were not removed', left)
    return counts
  }
}

/** Returns how many are left after the longest time. */
async function untilRemoved(client: Client): Promise<number> {
  for (const giveUpAt = performance.now() + longestRemovalMs; ; await sleep(1_000)) {
    const { rows: found } = await client.query<{ n: number }>(
      `select count(*)::integer as n from delivery_attempts where account_id = 'acc_old'`,
    )
    const left = found[0]?.n ?? Number.NaN
    if (left === 0 || performance.now() > giveUpAt) return left
  }
}
