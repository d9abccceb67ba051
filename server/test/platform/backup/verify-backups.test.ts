import assert from 'node:assert/strict'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeScratch, runJson } from '../../helpers/backups.ts'
import { runHere } from '../../helpers/commands.ts'
import { makeDataFolder, startProcess } from '../../helpers/server-process.ts'

test('a backup that should have the secret key in it and has not is a problem, and refused with the name of the file', async () => {
  await using folder = await makeDataFolder()
  await using scratch = await makeScratch()
  const to = join(scratch.path, 'backups')
  await (await startProcess({ DATA_DIR: folder.path }))[Symbol.asyncDispose]() // the first start makes the key
  const { backup } = await runJson({ DATA_DIR: folder.path }, 'backup', '--to', to, '--with-secret-key')
  assert.equal((await runJson({}, 'backup', 'verify', '--from', to)).backups[0].problem, null)
  await rm(join(backup, 'secret.key'))
  const verified = await runHere({}, 'backup', 'verify', '--from', to)
  assert.equal(verified.code, 1)
  assert.match(verified.stdout, /secret\.key is missing\n$/)
  const copy = { DATA_DIR: join(scratch.path, 'copy') }
  const refused = await runHere(copy, 'restore', '--from', to)
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr,
    /^The backup in .* cannot be used: secret\.key is missing; put the key into .*copy\/secret\.key, /,
  )
  await cp(join(folder.path, 'secret.key'), join(copy.DATA_DIR, 'secret.key'))
  assert.equal((await runJson(copy, 'restore', '--from', to)).hasSecretKey, true)
})
