import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { readConfig } from '../../../src/platform/config/config.ts'
import { openForCommand } from '../../../src/platform/database-setup/open-database.ts'
import { askOnce } from '../../../src/platform/database-setup/server-lock.ts'
import { findProcesses } from '../../../src/platform/embedded-postgres/processes.ts'
import { makeDataFolder } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

test('a command that has started the database and is done leaves it to another one until that is done, and then stops it', async () => {
  await using folder = await makeDataFolder()
  const config = readConfig({ DATA_DIR: folder.path })
  const open = () => openForCommand(config, pino({ enabled: false }), () => {})
  const starter = await open()
  const other = await open()
  let isClosed = false
  const closing = starter.close().then(() => {
    isClosed = true
  })
  for (let tries = 0; tries < 10; tries += 1) {
    await askOnce(other.address, 'select 1') // one that is told to stop would let nobody in
    await sleep(50)
  }
  assert.equal(isClosed, false)
  await other.close()
  await closing
  const isThere = () =>
    Object.values(findProcesses(join(folder.path, 'postgres')))
      .flat()
      .some(Boolean)
  await until(() => !isThere(), 'the database still runs')
})
