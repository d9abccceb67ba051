import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../../src/platform/config/config.ts'
import { OperatorError } from '../../../src/platform/operator-error.ts'
import { readSecretKey } from '../../../src/platform/secrets/secret-key.ts'
import { makeDataFolder } from '../../helpers/server-process.ts'

test('servers that start at the same time in one folder make one secret key, and leave no other files', async () => {
  await using folder = await makeDataFolder({ bare: true })
  const config = readConfig({ DATA_DIR: folder.path })
  const keys = await Promise.all(Array.from({ length: 8 }, () => readSecretKey(config)))
  assert.equal(new Set(keys.map((key) => key.toString('hex'))).size, 1)
  assert.deepEqual(await readdir(folder.path), ['secret.key'])
})

test('a secret key file that is empty or cut short is refused with what to do, and not changed', async () => {
  await using folder = await makeDataFolder({ bare: true })
  const config = readConfig({ DATA_DIR: folder.path })
  for (const text of ['', '\n', '  \n', 'half-a-key']) {
    await writeFile(join(folder.path, 'secret.key'), text)
    await assert.rejects(
      readSecretKey(config),
      (error) =>
        error instanceof OperatorError && /is empty or cut short.*put it back from your backup/.test(error.message),
    )
    assert.equal(await readFile(join(folder.path, 'secret.key'), 'utf8'), text)
  }
})
