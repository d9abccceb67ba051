import assert from 'node:assert/strict'
import { test } from 'node:test'
import { write } from '../../helpers/bots.ts'
import { isFinished, makeMembers, startCast, untilCast } from '../../helpers/broadcasts.ts'
import { saveUrl, startDelivering } from '../../helpers/deliveries.ts'
import { startReceiver } from '../../helpers/receivers.ts'

test('a broadcast opens no conversation that has nothing else in it, and closes none; an answer opens it', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  const ids = await makeMembers(app.db, account, 6)
  await write(account, 'Hello', { fromId: 'to-1' })
  await untilCast(account, await startCast(account), isFinished)
  const opened = async () => {
    const open = await app.db.selectFrom('conversations').select('contactId').where('state', '=', 'open').execute()
    return new Set(open.map(({ contactId }) => contactId))
  }
  assert.deepEqual(await opened(), new Set([ids[0]]))
  await write(account, 'Thanks', { fromId: 'to-4' })
  assert.deepEqual(await opened(), new Set([ids[0], ids[3]]))
  await untilCast(account, await startCast(account), isFinished)
  assert.deepEqual(await opened(), new Set([ids[0], ids[3]]))
})
