import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStatus } from '../../../src/app/operations/status-store.ts'
import { backfill, indexNewMessages } from '../../../src/app/search/index-messages.ts'
import { write } from '../../helpers/bots.ts'
import { startApp } from '../../helpers/harness.ts'

test('the status says for how long the oldest message waits to be searchable, and how many accounts have older ones to add', async () => {
  await using app = await startApp()
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  const status = async () => {
    const { searchBehindSeconds, accountsToBackfill } = await readStatus(app.db)
    return [searchBehindSeconds, accountsToBackfill]
  }
  assert.deepEqual(await status(), [0, 0])

  for (const [account, minutes] of [
    [shop, 10],
    [other, 3],
  ] as const) {
    await write(account, 'Long ago')
    await app.pools.keys.query(
      `update messages set created_at = now() - $2 * interval '1 minute' where account_id = $1`,
      [account.accountId, minutes],
    )
  }
  const [behind = 0] = await status()
  assert.ok(behind >= 600 && behind < 660, `${behind} s`)
  await indexNewMessages(app.db)
  assert.deepEqual(await status(), [0, 0])
  await write(other, 'Now')
  const [soon = 60] = await status()
  assert.ok(soon < 60, `${soon} s`)

  // As an upgrade leaves them: the messages that were there before are added from the newest to the oldest.
  await app.pools.keys.query(
    `insert into search_backfills (account_id, before_id) select id, 'msg_g' from accounts where id = any ($1)`,
    [[shop.accountId, other.accountId]],
  )
  assert.equal((await status())[1], 2)
  while (await backfill(app.db));
  assert.equal((await status())[1], 0)
})
