import assert from 'node:assert/strict'
import { constants, getPriority } from 'node:os'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { openDb } from '../../../src/platform/database/db.ts'
import { yieldToOthers } from '../../../src/platform/database/low-priority.ts'
import { makeDatabase } from '../../helpers/databases.ts'

test('a connection that yields goes after everything else on the machine, and the others of its database do not', async () => {
  await using database = await makeDatabase()
  const [yielding, other] = [0, 1].map(() => openDb(database.address, pino({ enabled: false }), 1))
  assert.ok(yielding && other)
  const priorityOf = async (db: typeof other) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
    return getPriority(rows[0]?.pid)
  }
  try {
    await yieldToOthers(yielding)
    assert.deepEqual(
      [await priorityOf(yielding), await priorityOf(other)],
      [constants.priority.PRIORITY_LOW, constants.priority.PRIORITY_NORMAL],
    )
  } finally {
    await Promise.all([yielding.destroy(), other.destroy()])
  }
})
