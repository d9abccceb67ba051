import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { makeScratch } from '../helpers/backups.ts'
import { serverEnvironment } from '../helpers/server-process.ts'
import { until } from '../helpers/until.ts'

const root = resolve(import.meta.dirname, '../../..')

const demo = ['--import=./server/process/resolve-imports.ts', 'demo/run.ts', '--port', '0']

/** `npm run demo` with a shell in the place of npm, so that the one can be killed without the other. */
function startDemo(folder: string): ChildProcess {
  const line = `"${process.execPath}" ${demo.join(' ')} --folder "$0"; true`
  return spawn('sh', ['-c', line, folder], { cwd: root, env: serverEnvironment({}), stdio: 'ignore' })
}

const isThere = (pid: number) => existsSync(`/proc/${pid}`)

test('a demo whose parent is killed ends its server and its database, and the next one begins anew', async () => {
  await using scratch = await makeScratch()
  const folder = join(scratch.path, 'demo')
  const shell = startDemo(folder)
  await until(() => existsSync(join(folder, 'postgres/postmaster.pid')), 'the database does not start')
  assert.ok(isThere(shell.pid ?? 0))
  const second = spawnSync(process.execPath, [...demo, '--folder', folder], { cwd: root, encoding: 'utf8' })
  assert.equal(second.status, 1)
  assert.match(second.stderr, /^Another demo, or its database, runs in \S+; end it first, or give another folder\.\n$/)
  assert.ok(existsSync(join(folder, 'postgres/postmaster.pid')), 'its data stay')
  shell.kill('SIGKILL')
  await once(shell, 'exit')
  await until(() => !existsSync(join(folder, 'postgres/postmaster.pid')), 'the database still runs')
  assert.ok(existsSync(join(folder, 'demo-unfinished.txt')), 'the next one may remove what this one began')
})
