import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { runCli, startProcess } from '../../../server/test/helpers/server-process.ts'
import { until } from '../../../server/test/helpers/until.ts'

test('on a full disk writes get 500 with Retry-After and /readyz is 500, both heal by themselves, and nothing acknowledged is lost', async () => {
  await using disk = await mountDisk('size=300m')
  const dataDir = join(disk.path, 'data')
  await using server = await startProcess({ DATA_DIR: dataDir })
  const acknowledged: string[] = []
  const save = async () => {
    const answer = await server.post('/contacts', {
      email: `${crypto.randomUUID()}@example.com`,
      firstName: 'x'.repeat(200),
    })
    if (answer.status === 201) acknowledged.push(String(answer.body.id))
    else
      assert.deepEqual([answer.status, Number(answer.headers['retry-after']) > 0], [500, true], JSON.stringify(answer))
    return answer.status
  }
  for (let n = 0; n < 20; n += 1) assert.equal(await save(), 201)
  for (let round = 0; round < 2; round += 1) {
    const ballast = join(disk.path, 'ballast')
    await fill(disk.path, ballast)
    await until(async () => (await server.get('/readyz')) === 500, '/readyz does not say that the disk is full')
    // Until the pages that tables have are used up, and the log must grow.
    let refused = 0
    while (refused < 40) {
      const statuses = await Promise.all(Array.from({ length: 16 }, save))
      refused += statuses.filter((status) => status === 500).length
    }
    assert.equal(await server.get('/readyz'), 500)
    await rm(ballast)
    await until(async () => (await server.get('/readyz')) === 200, '/readyz does not heal')
    await until(async () => (await save()) === 201, 'writes do not heal')
  }
  const client = new Client({ host: join(dataDir, 'postgres'), user: 'patchbay', database: 'postgres' })
  await client.connect()
  const { rows } = await client.query('select id from contacts')
  await client.end()
  const kept = new Set(rows.map(({ id }) => id))
  assert.deepEqual(
    acknowledged.filter((id) => !kept.has(id)),
    [],
  )
})

test('a DATA_DIR on a file system that is read-only is one sentence', async () => {
  await using disk = await mountDisk('ro')
  for (const args of [['start'], ['account', 'show']]) {
    const { code, stderr } = await runCli({ DATA_DIR: disk.path }, ...args)
    assert.equal(code, 1)
    assert.match(stderr, /^Cannot write DATA_DIR \(.*\): the file system is read-only; .*\n$/)
  }
})

/** A disk in memory. */
async function mountDisk(options: string): Promise<{ path: string; [Symbol.asyncDispose]: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'patchbay-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `mode=0755,${options}`, 'tmpfs', path], { stdio: 'pipe' })
  } catch (cause) {
    await rm(path, { recursive: true })
    throw new Error('This test mounts a small disk, and needs permission to do so: run it as root.', { cause })
  }
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      execFileSync('umount', ['--lazy', path])
      await rm(path, { recursive: true })
    },
  }
}

/** Leaves no byte. */
async function fill(path: string, ballast: string): Promise<void> {
  const { bavail, bsize } = await statfs(path)
  execFileSync('fallocate', ['-l', String(bavail * bsize), ballast])
}
