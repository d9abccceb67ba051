// Runs alone: takes long, it kills servers under load

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { optOut } from '../../../src/journey/conversations/consent.ts'
import { setWebhook } from '../../../src/journey/delivery/transports/webhook/webhooks.ts'
import { createList } from '../../../src/people/lists/change.ts'
import type { Db } from '../../../src/platform/database/db.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import { makeMembers, news, readersOf } from '../../helpers/broadcasts.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { startShared } from '../../helpers/shared-processes.ts'
import { until } from '../../helpers/until.ts'

/** At the rate below they take longer than a busy machine needs to start a worker. */
const members = 120
const ratePerMinute = 300

test('with two workers of which one is killed twice, every recipient gets one message, and only what was in flight arrives twice', async () => {
  await using receiver = await startReceiver(async (_request, response) => {
    await sleep(30)
    response.end()
  })
  await using world = await startShared()
  const { db, accountId, ctx, api, start } = world
  await setWebhook(ctx, { accountId, receiverId: 'reply' }, { url: receiver.url })
  const listId = await createList(db, accountId, 'Everybody')
  const ids = await makeMembers(db, { accountId, listId }, members)
  const [first] = [await start('worker'), await start('worker')]
  const started = await api.post('/broadcasts', { listId, ...news, ratePerMinute })
  assert.equal(started.status, 201)
  const arrived = () => new Set(readersOf(receiver)).size
  await until(() => arrived() > 20, 'it does not run')
  await optOut(db, { accountId, contactId: ids[members - 1] as ContactId })
  first.child.kill('SIGKILL')
  await first.exited
  await endLeases(db)
  const second = await start('worker')
  await until(() => arrived() > 60, 'it does not go on')
  second.child.kill('SIGKILL')
  await second.exited
  await endLeases(db)
  await start('worker')
  const state = () => db.selectFrom('broadcasts').selectAll().executeTakeFirstOrThrow()
  await until(async () => (await state()).state === 'finished' && (await state()).open === 0, 'it does not finish')
  const { recipients, sent, failed, optedOut } = await state()
  assert.deepEqual(
    { recipients, sent, failed, optedOut },
    { recipients: members, sent: members - 1, failed: 0, optedOut: 1 },
  )
  const messages = await db.selectFrom('messages').select(['id', 'contactId']).execute()
  assert.equal(messages.length, members - 1)
  assert.equal(new Set(messages.map(({ contactId }) => contactId)).size, members - 1)
  const received = receiver.requests.map(({ headers }) => String(headers['webhook-id']))
  assert.deepEqual(new Set(received), new Set(messages.map(({ id }) => id)), 'the receiver has each of them')
  assert.ok(!readersOf(receiver).includes(`to-${members}`), 'who opted out between start and turn got nothing')
  assert.ok(received.length - new Set(received).size <= 4, 'twice: at most what was in flight at the two kills')
})

/**
 * The leases of the dead run out at once, not after half a minute: also those that its last transaction wrote, which the
 * database may finish after the process is gone. What the other worker has in flight at this moment may arrive twice too:
 * both together have two deliveries at most.
 */
async function endLeases(db: Db): Promise<void> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(db)
  const isOver = async () => {
    const open = sql`
      select from pg_stat_activity
      where datname = current_database() and xact_start < ${rows[0]?.at} and pid <> pg_backend_pid()
        and backend_type = 'client backend'`
    return (await open.execute(db)).rows.length === 0
  }
  await until(isOver, 'a transaction from before the kill is still open')
  await sql`update deliveries set leased_until = now() where leased_until is not null`.execute(db)
}
