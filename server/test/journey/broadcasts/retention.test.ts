import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { isFinished, makeMembers, startCast, untilCast } from '../../helpers/broadcasts.ts'
import { saveUrl, startDelivering } from '../../helpers/deliveries.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { removeOld } from '../../helpers/retention.ts'

test('recipients are removed with messages of their age and the results stay; whose turn has not come is kept however old', async () => {
  await using receiver = await startReceiver()
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  await makeMembers(app.db, account, 10)
  const over = await startCast(account)
  const { counts } = await untilCast(account, over, isFinished)
  const slow = await startCast(account, { ratePerMinute: 1 })
  await untilCast(account, slow, (broadcast) => broadcast.counts.sent === 1)
  await sql`update broadcast_recipients set settled_at = settled_at - interval '31 days'`.execute(app.db)
  const left = async (id: string) => {
    const { rows } = await sql`select from broadcast_recipients where broadcast_id = ${id}`.execute(app.db)
    return rows.length
  }
  await removeOld(app.db)
  assert.equal(await left(over), 10, 'without a setting they are kept for ever')
  await removeOld(app.db, { messages: 30 })
  assert.deepEqual([await left(over), await left(slow)], [0, 9])
  assert.deepEqual((await account.get(`/broadcasts/${over}`)).body.counts, counts)
})
