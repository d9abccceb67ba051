import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { lockForAnswer } from '../../../src/journey/bot/answer-store.ts'
import { openBotDb } from '../../../src/journey/bot/bot-db.ts'
import type { Turn } from '../../../src/journey/conversations/turn-store.ts'
import type { Tx } from '../../../src/platform/database/db.ts'
import { hasSqlState } from '../../../src/platform/database/errors.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { silentLog } from '../../helpers/knowledge.ts'

const turn: Turn = {
  ...{ accountId: 'acc_a', contactId: 'con_a', fromSeq: 1n, claimedSeq: 1n, attempts: 1, superseded: 0 },
  ...{ token: '5f5c2f0a-7f0f-4a51-9d2c-3f1a5b0c9d1e', trace: null, isParked: false },
}

async function startWorld() {
  const started = new AsyncDisposableStack()
  const { address } = started.use(await makeDatabase())
  const db = openBotDb(address, silentLog)
  started.defer(() => db.destroy())
  await sql`insert into accounts (id, kind) values ('acc_a', 'standard')`.execute(db)
  await sql`insert into contacts (account_id, id, external_id) values ('acc_a', 'con_a', 'a')`.execute(db)
  await sql`insert into conversations (account_id, contact_id, last_seq) values ('acc_a', 'con_a', 1)`.execute(db)
  await sql`insert into campaigns (account_id, id, name, status, is_default, settings)
    values ('acc_a', 'cmp_a', 'A', 'live', true, '{}')`.execute(db)
  await sql`insert into turns (account_id, contact_id, due_at, from_seq, last_seq, claimed_seq, lease_token, leased_until)
    values ('acc_a', 'con_a', now(), 1, 1, 1, ${turn.token}, now() + interval '1 minute')`.execute(db)
  const lock = (campaignId: 'cmp_a' | null = 'cmp_a', of = turn) =>
    db.transaction().execute((tx) => lockForAnswer(tx, of, campaignId))
  /** What the lock returns that waits while another transaction, which has the conversation, does this and commits. */
  const lockDuring = async (change: (tx: Tx) => Promise<unknown>) => {
    let locking: ReturnType<typeof lock> | undefined
    await db.transaction().execute(async (tx) => {
      await sql`select from conversations where account_id = 'acc_a' for update`.execute(tx)
      locking = lock()
      await untilOneWaits()
      await change(tx)
    })
    return locking
  }
  const untilOneWaits = async () => {
    for (;;) {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
      if (rows.length > 0) return
    }
  }
  return { db, lock, lockDuring, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

const unchanged = {
  conversation: { epoch: 0, botActive: true, isOnChannels: false },
  turn: { lastSeq: 1n },
  campaignStatus: 'live',
}

test('an answer is checked against what is there: conversation, turn and campaign', async () => {
  await using world = await startWorld()
  const { db, lock } = world
  assert.deepEqual(await lock(), unchanged)
  assert.deepEqual(await lock(null), { ...unchanged, campaignStatus: null })
  const others = { ...turn, token: '00000000-0000-4000-8000-000000000000' }
  assert.deepEqual(await lock('cmp_a', others), { ...unchanged, turn: undefined }, 'the lease is not ours')
  await sql`delete from conversations where account_id = 'acc_a'`.execute(db)
  assert.deepEqual(await lock(), { ...unchanged, conversation: undefined }, 'the contact was erased')
})

test('what was committed while it waited for the conversation counts: a message, a takeover, the end of the turn', async () => {
  await using world = await startWorld()
  const { lockDuring } = world
  const message = await lockDuring((tx) => sql`update turns set last_seq = 2 where account_id = 'acc_a'`.execute(tx))
  assert.deepEqual(message, { ...unchanged, turn: { lastSeq: 2n } })
  const takeover = await lockDuring(async (tx) => {
    await sql`update conversations set epoch = 1 where account_id = 'acc_a'`.execute(tx)
    await sql`update campaigns set status = 'paused' where account_id = 'acc_a'`.execute(tx)
  })
  assert.deepEqual(takeover, {
    conversation: { epoch: 1, botActive: true, isOnChannels: false },
    turn: { lastSeq: 2n },
    campaignStatus: 'paused',
  })
  const ended = await lockDuring((tx) => sql`delete from turns where account_id = 'acc_a'`.execute(tx))
  assert.equal(ended?.turn, undefined)
})

test('it does not wait for somebody who is changing the campaign', async () => {
  await using world = await startWorld()
  const { db, lock } = world
  await db.transaction().execute(async (tx) => {
    await sql`update campaigns set status = 'paused' where account_id = 'acc_a'`.execute(tx)
    await assert.rejects(lock(), (error) => hasSqlState(error, '55P03'))
    assert.deepEqual(await lock(null), { ...unchanged, campaignStatus: null })
  })
})
