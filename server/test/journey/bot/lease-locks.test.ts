import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openClaim } from '../../../src/journey/bot/turns/claim-store.ts'
import { renewLeases } from '../../../src/journey/conversations/turn-store.ts'
import { type IncomingRow, keepMessages } from '../../../src/journey/intake/store.ts'
import { openBatchPool } from '../../../src/platform/database/pools.ts'
import { newId } from '../../../src/platform/ids.ts'
import { startApp } from '../../helpers/harness.ts'
import { silentLog } from '../../helpers/knowledge.ts'

const contacts = 32

async function startWorld() {
  const started = new AsyncDisposableStack()
  const app = started.use(await startApp())
  const pool = openBatchPool(app.database.address, silentLog)
  started.defer(() => pool.end())
  const { accountId } = await app.makeAccount()
  const rowOf = (fromId: string): IncomingRow => ({
    accountId,
    messageId: newId('msg'),
    contactId: newId('con'),
    messageSid: newId('msg'),
    fromId,
    toId: 'shop',
    body: 'Hello',
    status: 'received',
    kind: 'text',
    owesAnswer: true,
    ...{
      channel: undefined,
      campaignId: undefined,
      firstName: undefined,
      lastName: undefined,
      trace: undefined,
      email: undefined,
    },
  })
  /** All of them write once more. */
  const writeAll = () =>
    keepMessages(
      pool,
      Array.from({ length: contacts }, (_, n) => rowOf(`contact ${n}`)),
      'keep-messages',
    )
  await writeAll()
  await sql`update turns set due_at = now()`.execute(app.db)
  const { turns } = await openClaim(pool)({ mostAtOnce: contacts, perAccount: contacts, without: [] })
  assert.equal(turns.length, contacts)
  return { app, turns, writeAll, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

/** On a busy machine a lock may be held for longer than a group commit waits; then it is written again, elsewhere. */
function unlessLate(error: unknown): void {
  if ((error as { code?: string }).code !== '55P03') throw error
}

test('renewing leases and taking in messages for the same turns never deadlock', async () => {
  await using world = await startWorld()
  const { app, turns, writeAll } = world
  const renewAll = async (order: typeof turns) => {
    assert.equal((await renewLeases(app.db, order)).size, contacts)
  }
  const again = async (work: () => Promise<unknown>) => {
    for (let n = 0; n < 100; n += 1) await work()
  }
  // A deadlock fails one of the two.
  await Promise.all([
    again(() => writeAll().catch(unlessLate)),
    again(() => renewAll(turns)),
    again(() => renewAll(turns.toReversed())),
    again(() => renewAll(turns.toSorted(() => Math.random() - 0.5))),
  ])
})

test('a lease whose row is locked is not lost, and the others are renewed', async () => {
  await using world = await startWorld()
  const { app, turns } = world
  const [first] = turns
  assert.ok(first)
  await sql`update turns set leased_until = now() + interval '5 s'`.execute(app.db)
  const alive = await app.db.transaction().execute(async (tx) => {
    await tx.selectFrom('turns').selectAll().where('contactId', '=', first.contactId).forUpdate().execute()
    return renewLeases(app.db, turns)
  })
  assert.equal(alive.size, contacts, 'every turn is still known to be ours')
  const { rows } = await sql<{ contactId: string }>`
    select contact_id from turns where leased_until < now() + interval '20 s'
  `.execute(app.db)
  assert.deepEqual(rows, [{ contactId: first.contactId }])
})
