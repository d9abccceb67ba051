import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from './helpers/harness.ts'
import { holdLock, untilLockWait } from './helpers/rows.ts'

test('waiting for a statement that never waits for a lock fails, and says so', async () => {
  await using app = await startApp()
  const { accountId } = await app.makeAccount()
  await assert.rejects(untilLockWait(app, { withinMs: 100 }), /fewer than 1 statements wait for a lock/)
  await using lock = await holdLock(app, 'accounts', accountId)
  await assert.rejects(lock.untilWaiting(1, undefined, 100), /fewer than 1 statements wait for a lock/)
})
