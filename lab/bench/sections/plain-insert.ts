import type { Client } from 'pg'
import { newId } from '../../../server/src/platform/ids.ts'
import { activeContacts, contactsPerActive, text as messageText } from '../load/traffic.ts'
import { readCpu } from '../measure.ts'
import type { RunningServer } from '../servers/start.ts'

/** One stretch of plain inserts. */
export type InsertOutcome = { rows: number; seconds: number; postgresMicros: number; batchRows: number }

export type PlainInsert = {
  /** Inserts batches of so many rows, one after another. */
  run: (batchRows: number, times: { warmupMs: number; measuredMs: number }) => Promise<InsertOutcome>
  end: () => Promise<void>
}

const table = 'bench_plain_messages'
const columns = ['account_id', 'id', 'contact_id', 'seq', 'kind', 'status', 'body', 'channel', 'message_sid', 'to_id']

/**
 * What storing messages costs PostgreSQL at least: rows as the product keeps them, with nothing found, updated or returned,
 * in the product's own database, in a table with the columns, checks and indexes of `messages`.
 */
export async function openPlainInsert({ connect, processes }: RunningServer): Promise<PlainInsert> {
  const client = await connect()
  await client.query(`create table ${table} (like messages including all)`)
  const { rows } = await client.query<{ id: string }>('select owner_account_id as id from installation')
  const makeRow = openRows(rows[0]?.id ?? '')

  async function insertFor(ms: number, batchRows: number): Promise<number> {
    const endsAt = performance.now() + ms
    let inserted = 0
    for (; performance.now() < endsAt; inserted += batchRows) await insert(client, batchRows, makeRow)
    return inserted
  }

  return {
    run: async (batchRows, { warmupMs, measuredMs }) => {
      await insertFor(warmupMs, batchRows)
      const [before, startedAt] = [readCpu(processes), performance.now()]
      const inserted = await insertFor(measuredMs, batchRows)
      const seconds = (performance.now() - startedAt) / 1_000
      const postgresMicros = (readCpu(processes).postgres - before.postgres) / inserted
      return { rows: inserted, seconds, postgresMicros, batchRows }
    },
    end: () => client.end(),
  }
}

/** Prepared once for each size, as the product's statement is: planning would take longer than writing. */
async function insert(client: Client, batchRows: number, makeRow: () => unknown[]): Promise<void> {
  const places = Array.from({ length: batchRows }, (_, row) => {
    const given = columns.map((_column, at) => `$${row * columns.length + at + 1}`)
    return `(${given.join(', ')}, 'incoming', 'contact')`
  })
  await client.query({
    name: `insert-${batchRows}`,
    text: `insert into ${table} (${columns.join(', ')}, direction, author) values ${places.join(', ')}`,
    values: Array.from({ length: batchRows }, makeRow).flat(),
  })
}

/** Of any of the contacts that write, each with numbers of its own; with ids of the product's form. */
function openRows(accountId: string): () => unknown[] {
  const lastSeqs = new Uint32Array(activeContacts)
  return () => {
    const contact = Math.floor(Math.random() * activeContacts)
    const seq = (lastSeqs[contact] ?? 0) + 1
    lastSeqs[contact] = seq
    const contactId = `con_${(contact * contactsPerActive).toString(16).padStart(32, '0')}`
    const sid = `SM${crypto.randomUUID().replaceAll('-', '')}`
    return [accountId, newId('msg'), contactId, seq, 'text', 'received', messageText, 'bench', sid, 'shop']
  }
}
