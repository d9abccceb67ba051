import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'

const lookEveryMs = 300

/** Waits until all messages are in the search and in the reports, or so long. Returns how many conversations are behind. */
export async function untilCaughtUp(database: Client, withinMs: number): Promise<number> {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const behind = await countBehind(database)
    if (behind === 0 || performance.now() > giveUpAt) return behind
    await sleep(lookEveryMs)
  }
}

async function countBehind(database: Client): Promise<number> {
  const { rows } = await database.query<{ n: string }>(`
    select count(*) as n from conversations c
    left join search_marks s on s.account_id = c.account_id and s.contact_id = c.contact_id
    left join report_marks r on r.account_id = c.account_id and r.contact_id = c.contact_id
    where c.last_seq > least(coalesce(s.seq, 0), coalesce(r.seq, 0))
  `)
  return Number(rows[0]?.n)
}
