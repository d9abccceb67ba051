import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import type { Ask } from '../app/world.ts'
import { now, type Sent } from './send.ts'

const lookEveryMs = 200

/** Notes when each message is counted for the reports, until all are, or `stopping`. */
export async function noteCounted(database: Client, sent: Sent[], stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const waiting = new Map(sent.filter(({ countedAt }) => countedAt === undefined).map((one) => [one.contact, one]))
    // The conversation of each begins with its message, so its mark is past it when there is one at all.
    const { rows } = await database.query<{ contact: string }>(
      `select p.external_id as contact
       from contacts p join report_marks r on r.account_id = p.account_id and r.contact_id = p.id
       where p.account_id = (select owner_account_id from installation) and p.external_id = any ($1) and r.seq >= 1`,
      [[...waiting.keys()]],
    )
    for (const { contact } of rows) {
      const one = waiting.get(contact)
      if (one) one.countedAt = now()
    }
    await pause(stopping)
  }
}

/** Asks the app's search for the word of one message after another, each until it is found. */
export async function noteFound(ask: Ask, sent: Sent[], stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const next = sent.find(({ word, foundAt }) => word !== undefined && foundAt === undefined)
    const isFound = next !== undefined && (await ask(`/api/search?q=${next.word}`)).includes(next.word ?? '')
    if (isFound) next.foundAt = now()
    else await pause(stopping)
  }
}

async function pause(stopping: AbortSignal): Promise<void> {
  await sleep(lookEveryMs, undefined, { signal: stopping }).catch(() => {})
}

/** When each was answered: the time at which the transaction that keeps the answer began. */
export async function noteAnswered(database: Client, sent: Sent[]): Promise<void> {
  const { rows } = await database.query<{ contact: string; at: number }>(
    `select p.external_id as contact, extract(epoch from min(m.created_at))::float8 * 1000 as at
     from contacts p join messages m on m.account_id = p.account_id and m.contact_id = p.id
     where p.account_id = (select owner_account_id from installation) and m.direction = 'outgoing'
     group by p.external_id`,
  )
  const at = new Map(rows.map((row) => [row.contact, row.at]))
  for (const one of sent) one.answeredAt = at.get(one.contact)
}
