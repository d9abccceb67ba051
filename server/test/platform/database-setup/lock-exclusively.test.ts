import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { lockExclusively } from '../../../src/platform/database-setup/lock-exclusively.ts'
import { tryServerLock } from '../../../src/platform/database-setup/server-lock.ts'
import { makeDatabase } from '../../helpers/databases.ts'

test('a database that took long to start and then broke the connection is not taken for one of another server', async () => {
  await using database = await makeDatabase()
  const gone = { host: '/tmp/no-database-listens-here', user: 'patchbay', database: 'postgres' }
  let tries = 0
  const lock = await lockExclusively(
    {
      ensureRunning: () => sleep(tries === 0 ? 2_500 : 0), // the recovery after a crash
      get connection() {
        tries += 1
        return tries === 1 ? gone : database.address
      },
    },
    '/srv/data',
    1,
  )
  await lock.release()
  assert.equal(tries, 2)
})

test('a predecessor has two seconds to end, from the first time that the database says no', async () => {
  await using database = await makeDatabase()
  const held = await tryServerLock(database.address, 'exclusive')
  assert.ok(held)
  let isFirst = true
  const slowly = async () => {
    if (isFirst) await sleep(2_500)
    isFirst = false
  }
  const take = () => lockExclusively({ ensureRunning: slowly, connection: database.address }, '/srv/data', 1)
  const taking = take()
  await sleep(3_500)
  await held.release()
  const lock = await taking
  await assert.rejects(take(), /^OperatorError: Another Patchbay server is running on \/srv\/data; /)
  await lock.release()
})
