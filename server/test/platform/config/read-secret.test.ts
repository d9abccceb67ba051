import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../../src/platform/config/config.ts'

test('the secret key and the address of the database are read from files that containers and systemd hand over', async () => {
  await using folder = await makeFolder()
  const SECRET_KEY_FILE = await folder.write('secret-key', 'the same on every machine\n')
  const DATABASE_URL_FILE = await folder.write('database-url', '\npostgres://user:secret@db/patchbay\n')
  const { secretKey, databaseUrl } = readConfig({ SECRET_KEY_FILE, DATABASE_URL_FILE })
  assert.equal(secretKey, 'the same on every machine')
  assert.equal(databaseUrl, 'postgres://user:secret@db/patchbay')
  assert.equal(readConfig({ SECRET_KEY_FILE: ' ' }).secretKey, undefined)
})

test('a file of a secret that is missing, empty or malformed, or a second value, stops the start and is not quoted', async () => {
  await using folder = await makeFolder()
  const missing = join(folder.path, 'missing')
  const empty = await folder.write('empty', ' \n')
  const short = await folder.write('short', 'hunter2')
  const whole = await folder.write('whole', 'the same on every machine')
  for (const [environment, reason] of [
    [{ SECRET_KEY_FILE: missing }, /^SECRET_KEY_FILE names .*missing, which cannot be read \(ENOENT\)\.$/],
    [{ SECRET_KEY_FILE: folder.path }, /cannot be read \(EISDIR\)/],
    [{ DATABASE_URL_FILE: empty }, /^DATABASE_URL_FILE names .*empty, which is empty\.$/],
    [{ SECRET_KEY_FILE: short }, /^SECRET_KEY must have at least 16 characters/],
    [{ SECRET_KEY_FILE: whole, SECRET_KEY: 'another of some length' }, /^SECRET_KEY and SECRET_KEY_FILE are both set/],
  ] as const) {
    assert.throws(() => readConfig(environment), isRefusal(reason))
  }
})

function isRefusal(reason: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof Error)
    assert.match(error.message, reason)
    assert.doesNotMatch(error.message, /hunter2|another of some length/)
    return true
  }
}

async function makeFolder() {
  const path = await mkdtemp(join(tmpdir(), 'patchbay-secrets-'))
  return {
    path,
    write: async (name: string, text: string) => {
      await writeFile(join(path, name), text)
      return join(path, name)
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  }
}
