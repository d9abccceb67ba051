// Runs alone: takes long, it kills servers under load

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { hashToken, newToken } from '../../../src/business/sessions/session-cookie.ts'
import { insertSession } from '../../../src/business/sessions/session-store.ts'
import { acrossAccounts, type Db, openDb } from '../../../src/platform/database/db.ts'
import { openClient } from '../../helpers/https-client.ts'
import { countsOf, makePeople, start, untilImport, upload } from '../../helpers/imports.ts'
import { type DataFolder, makeDataFolder, type ServerProcess, startProcess } from '../../helpers/server-process.ts'

const rows = 3_000
const bad = new Map([
  [7, 'Bad,Phone,0770,,'],
  [2_500, 'No,Body,,,'],
])

/** At random moments; `npm run soak -- --only import` has the long version. */
const kills = 2

test('SIGKILL of the server while it imports: every row is imported once, and the numbers add up', async () => {
  await using folder = await makeDataFolder()
  let server = await startProcess({ DATA_DIR: folder.path })
  await using db = openRows(folder)
  const cookie = await openSession(db)
  const id = await upload(browserOf(server, cookie), makePeople(rows, bad))
  await untilImport(browserOf(server, cookie), id, 'ready')
  await start(browserOf(server, cookie), id)
  for (let kill = 1; kill <= kills; kill += 1) {
    while ((await doneRows(db)) < (rows * kill) / (kills + 2)) await sleep(5)
    server.child.kill('SIGKILL')
    await server.exited
    assert.ok((await doneRows(db)) < rows, 'it was killed in the middle')
    server = await startProcess({ DATA_DIR: folder.path })
  }
  await using last = server
  const done = await untilImport(browserOf(last, cookie), id, 'finished')
  assert.deepEqual(countsOf(done), { rows, done: rows, added: rows - 2, changed: 0, same: 0, failed: 2 })
  const { rows: found } = await sql<{ all: number; one: number }>`
    select count(*)::integer as all, count(distinct external_id)::integer as one from contacts
  `.execute(db)
  assert.deepEqual(found, [{ all: rows - 2, one: rows - 2 }])
  const errors = await db.selectFrom('importErrors').select('n').orderBy('n').execute()
  assert.deepEqual(
    errors.map(({ n }) => n),
    [7, 2_500],
  )
})

/** The database stays up while its server is killed. */
function openRows(folder: DataFolder): Db & AsyncDisposable {
  const address = { host: join(folder.path, 'postgres'), user: 'patchbay', database: 'postgres' }
  const db = openDb(address, pino({ enabled: false }), 2)
  return Object.assign(acrossAccounts(db), { [Symbol.asyncDispose]: () => db.destroy() })
}

async function openSession(db: Db): Promise<string> {
  const token = newToken()
  const user = await db.selectFrom('users').select(['accountId', 'id']).executeTakeFirstOrThrow()
  await insertSession(db, { tokenHash: hashToken(token), accountId: user.accountId, userId: user.id, address: null })
  return `__Host-patchbay=${token}`
}

async function doneRows(db: Db): Promise<number> {
  const { done } = await db.selectFrom('imports').select('done').executeTakeFirstOrThrow()
  return done
}

function browserOf({ url }: ServerProcess, cookie: string) {
  return {
    call: async (method: string, path: string, body?: unknown) => {
      const client = openClient({ connections: 1 })
      const headers = { cookie, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const { status, headers: answered, text } = await client.send(url + path, { method, headers, ...sent })
      client.close()
      return { status, headers: answered, body: JSON.parse(text) }
    },
  }
}
