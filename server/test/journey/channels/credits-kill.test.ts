// Runs alone: takes long, it kills the server in the middle of each step

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertAccount } from '../../../src/business/accounts/store.ts'
import { grantWithin } from '../../../src/business/credits/grant.ts'
import { showBalance } from '../../../src/business/credits/history.ts'
import { newId } from '../../../src/platform/ids.ts'
import { assertLedgerHolds } from '../../helpers/credits.ts'
import { openClient } from '../../helpers/https-client.ts'
import { openOwnerCalls } from '../../helpers/owner-calls.ts'
import { pauseAt, resume, untilPaused } from '../../helpers/pause-at.ts'
import { castProviders } from '../../helpers/providers/cast-audience.ts'
import { startShared } from '../../helpers/shared-processes.ts'

/** Where a message that costs something is paused: while it is kept, while it is charged, and at its commit. */
const points: [name: string, trigger: string][] = [
  ['while it is kept', 'after insert on messages for each row'],
  ['before the balance moves', 'before update on balances for each row'],
  ['before the movement is written', 'before insert on ledger for each row'],
  ['at the commit', 'deferred'],
]

/** A sub-account with 100 credits and a person who can be written to over its channel, where a message costs 1. */
async function startPriced() {
  await using starting = new AsyncDisposableStack()
  const provider = starting.use(await castProviders.telegram())
  const world = starting.use(await startShared(provider.environment))
  const { db, accountId } = world
  const agencyId = newId('acc')
  await db.transaction().execute((tx) => insertAccount(tx, { id: agencyId, kind: 'agency', agencyId: null }))
  await db.updateTable('accounts').set({ kind: 'subaccount', agencyId }).where('id', '=', accountId).execute()
  const { email } = await db
    .selectFrom('users')
    .select('email')
    .where('accountId', '=', accountId)
    .executeTakeFirstOrThrow()
  const order = {
    agency: { id: agencyId, kind: 'agency' as const },
    email: email ?? '',
    amount: 100,
    actor: 'operator' as const,
  }
  await db.transaction().execute((tx) => grantWithin(tx, order))
  const client = starting.adopt(openClient({ connections: 4 }), (one) => void one.close())
  const running = { api: world.api }
  const call = await openOwnerCalls(db, client, () => running.api.url)
  const worker = await world.start('worker')
  const { contactIds } = await provider.meet({ db, accountId, call }, 1)
  worker.child.kill('SIGKILL') // what is sent from now on is kept, and leaves another day
  await worker.exited
  await db.updateTable('channels').set({ creditsPerMessage: '10000' }).execute()
  const started = starting.move()
  return {
    ...{ db, accountId },
    reply: (clientId: string) =>
      call('POST', `/api/conversations/${contactIds[0]}/replies`, { body: clientId, clientId }),
    kill: async () => {
      running.api.child.kill('SIGKILL')
      await running.api.exited
    },
    restart: async () => {
      running.api = await world.start('api')
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

test('SIGKILL in the middle of a message that costs something leaves it with its charge or neither, and a retry completes both once', async () => {
  await using world = await startPriced()
  const { db, accountId, reply, kill, restart } = world
  const read = async () => ({
    messages: (await db.selectFrom('messages').select('id').where('direction', '=', 'outgoing').execute()).length,
    charges: (await db.selectFrom('ledger').select('id').where('kind', '=', 'usage').execute()).length,
  })
  for (const [n, [point, trigger]] of points.entries()) {
    const clientId = `client-id-${point.replaceAll(' ', '-')}`
    await pauseAt(db, trigger)
    const cut = reply(clientId).catch(() => undefined)
    await untilPaused(db)
    await kill()
    assert.equal(await cut, undefined, 'there was no answer')
    await resume(db)
    const { messages, charges } = await read()
    assert.equal(messages, charges, point)
    await assertLedgerHolds(db)
    await restart()
    const { status, text } = await reply(clientId)
    assert.equal(status, 200, text)
    assert.deepEqual(await read(), { messages: n + 1, charges: n + 1 }, point)
    assert.equal((await showBalance(db, accountId)).balance, 99 - n)
    await assertLedgerHolds(db)
  }
})
