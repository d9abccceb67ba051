import { setTimeout as sleep } from 'node:timers/promises'
import type { Query } from '../../../server/test/helpers/global-rules.ts'

export type OldRemoval = {
  /** How often the server was asked; and, after `stop`, how many of the messages that came in it has removed. */
  counts: { removed: number; rounds: number }
  stop: () => Promise<void>
}

const everyMs = 20_000
/** Longer than the server pauses between two batches. */
const stillMs = 12_000

const kinds = ['messages', 'attachments', 'answers', 'attempts', 'unanswered', 'calls']

/**
 * Lets the server remove what is older than some minutes. It counts in days, and a run lasts for half an hour: so in
 * this database a rule may have a fraction of a day. `removed_sids` are kept for 91 days here too.
 */
export async function startOldRemoval(query: Query, keptMinutes: number): Promise<OldRemoval> {
  await query('alter table retention_rules drop constraint retention_rules_days_check, alter column days type float8')
  const stopping = new AbortController()
  const counts = { removed: 0, rounds: 0 }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await query(addRules, [keptMinutes / (24 * 60), kinds])
        await query(`select pg_notify('patchbay_work', 'retention')`)
        counts.rounds += 1
      } catch {} // the database was killed
      await sleep(everyMs, undefined, stopping).catch(() => {}) // it stops
    }
  }

  /** A round that has begun goes on without the rules, and must not change what is then compared. */
  async function untilStill(): Promise<void> {
    for (let before = Number.NaN; before !== counts.removed; ) {
      before = await countRemoved(query)
      await sleep(stillMs)
      counts.removed = await countRemoved(query)
    }
  }

  const running = run()
  return {
    counts,
    stop: async () => {
      stopping.abort()
      await running
      await query('delete from retention_rules')
      await untilStill()
    },
  }
}

/** For all accounts: attacks make more of them. */
const addRules = `
  insert into retention_rules (account_id, kind, days)
  select a.id, k.kind, $1::float8 from accounts a cross join unnest($2::text[]) as k (kind)
  on conflict do nothing`

/** A `messageSid` is noted a minute before its message is removed. */
async function countRemoved(query: Query): Promise<number> {
  const { rows } = await query(
    `select count(*)::integer as n from removed_sids r
    where not exists (select from messages m where m.account_id = r.account_id and m.id = r.message_id)`,
  )
  return Number(rows[0]?.n)
}
