import type { Pool } from 'pg'
import { prepared } from '../../platform/database/prepared.ts'

/** For how long the answer counts: a message is removed a minute after its account is listed, at the earliest. */
const knownForMs = 10_000

/**
 * Returns which accounts have had messages removed, so that a late copy of one must be looked for. It asks every ten seconds
 * while messages come, so that storing one need not.
 */
export function openRemovalCheck(): (pool: Pool) => Promise<ReadonlySet<string>> {
  let known: ReadonlySet<string> = new Set()
  let knownUntil = 0
  let asking: Promise<ReadonlySet<string>> | undefined

  async function ask(pool: Pool): Promise<ReadonlySet<string>> {
    const askedAt = performance.now()
    const { rows } = await pool.query<{ id: string }>(prepared(statements, 'find-removing'))
    knownUntil = askedAt + knownForMs
    known = new Set(rows.map(({ id }) => id))
    return known
  }

  return async (pool) => {
    if (performance.now() < knownUntil) return known
    asking ??= ask(pool).finally(() => {
      asking = undefined
    })
    return asking
  }
}

export const statements = { 'find-removing': 'select account_id as id from retention_marks' }
