import assert from 'node:assert/strict'
import { chmod, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../../src/platform/config/config.ts'
import { lockPath } from '../../../src/platform/embedded-postgres/start.ts'
import { tryFileLock } from '../../../src/platform/file-lock.ts'
import { OperatorError } from '../../../src/platform/operator-error.ts'
import { findKeyText, readOrMakeSecretKey } from '../../../src/platform/secrets/secret-key.ts'
import { makeScratch } from '../../helpers/backups.ts'
import { runHere } from '../../helpers/commands.ts'
import { startApp } from '../../helpers/harness.ts'
import { makeDataFolder, runCli, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

test('processes that need the key of a new database at the same time make one, and leave no other files', async () => {
  await using app = await startApp()
  await using folder = await makeDataFolder({ bare: true })
  const config = readConfig({ DATA_DIR: folder.path })
  const make = () => app.db.transaction().execute((tx) => readOrMakeSecretKey(tx, config))
  const keys = await Promise.all(Array.from({ length: 8 }, make))
  assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, 1)
  assert.deepEqual(await readdir(folder.path), ['secret.key'])
})

test('beside a database that was set up, a missing key is never made anew: server and commands say what to put back', async () => {
  await using folder = await makeDataFolder()
  const environment = { DATA_DIR: folder.path }
  await (await startProcess(environment))[Symbol.asyncDispose]()
  await using scratch = await makeScratch()
  await chmod(scratch.path, 0o711)
  const [key, away] = [join(folder.path, 'secret.key'), join(scratch.path, 'secret.key')]
  await rename(key, away)
  const hasKey = async () => (await readdir(folder.path)).includes('secret.key')
  for (const command of [
    'start',
    'webhook show --account owner@patchbay.local',
    'backup --to /tmp --with-secret-key',
  ]) {
    const run = command === 'start' ? runCli : runHere
    const { code, stderr } = await run(environment, ...command.split(' '))
    assert.equal(code, 1, command)
    assert.match(stderr, /secret\.key is missing, and the secrets in the database cannot .*put back the key that/)
    assert.equal(await hasKey(), false, command)
  }

  // As a restore that is still running: it holds the lock, and puts the database in place at its end.
  const [home, unfinished] = [join(folder.path, 'postgres'), join(folder.path, 'postgres.unfinished-restore')]
  const lock = await tryFileLock(lockPath(home))
  await rename(home, unfinished)
  const started = startProcess({ ...environment, ARCHIVE_DIR: scratch.path })
  const refused = assert.rejects(started, /secret\.key is missing/)
  const isAtTheLock = async () => (await readdir(folder.path)).includes('archive-folder') // written just before
  await until(isAtTheLock, 'the start did not come to the lock')
  assert.equal(await hasKey(), false)
  await rename(unfinished, home)
  lock?.[Symbol.dispose]()
  await refused
  assert.equal(await hasKey(), false)

  await rename(away, key)
  await using server = await startProcess(environment)
  assert.equal(await server.get('/readyz'), 200)
})

test('a secret key file that is empty or cut short is refused with what to do, and not changed', async () => {
  await using folder = await makeDataFolder({ bare: true })
  const config = readConfig({ DATA_DIR: folder.path })
  for (const text of ['', '\n', '  \n', 'half-a-key']) {
    await writeFile(join(folder.path, 'secret.key'), text)
    await assert.rejects(
      findKeyText(config),
      (error) =>
        error instanceof OperatorError && /is empty or cut short.*put it back from your backup/.test(error.message),
    )
    assert.equal(await readFile(join(folder.path, 'secret.key'), 'utf8'), text)
  }
})
