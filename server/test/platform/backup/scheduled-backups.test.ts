// Runs alone: takes long, it waits for backups that are due

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { readLastDone } from '../../../src/app/operations/queue-store.ts'
import {
  noteBackup,
  readBackupAge,
  readBackupFailure,
  secondsToBackup,
} from '../../../src/platform/backup/installation.ts'
import { startScheduledBackups } from '../../../src/platform/backup/scheduled-backups.ts'
import { openDb } from '../../../src/platform/database/db.ts'
import { makeScratch, queryData, runJson } from '../../helpers/backups.ts'
import { runHere } from '../../helpers/commands.ts'
import { makeDatabase } from '../../helpers/databases.ts'
import { silentLog } from '../../helpers/knowledge.ts'
import { scrape } from '../../helpers/metrics.ts'
import { makeDataFolder, runCli, type ServerProcess, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

/** A backup is a process of its own, which takes its time on a busy machine. */
const untilMade = (condition: () => boolean | Promise<boolean>, otherwise: string) =>
  until(condition, otherwise, 240_000)

/** As `flock` holds it for another backup that is running. */
async function holdLock(file: string) {
  const child = spawn('flock', [file, 'cat'], { stdio: ['pipe', 'ignore', 'ignore'] })
  await until(async () => (await tryLock(file)) === 1, 'the lock is not held')
  return {
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

async function tryLock(file: string): Promise<number | null> {
  const [code] = await once(spawn('flock', ['--nonblock', file, 'true']), 'exit')
  return code
}

const logged = (server: ServerProcess, msg: string) =>
  server
    .output()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${msg}"`))
    .map((line) => JSON.parse(line))

const wholeOnes = async (to: string) => (await readdir(to).catch(() => [])).filter((name) => /Z$/.test(name))

test('with BACKUP_TO one process makes backups when they are due and keeps so many; a failure is told and removes none', async () => {
  await using folder = await makeDataFolder()
  await using scratch = await makeScratch()
  const to = join(scratch.path, 'backups')
  const environment = { DATA_DIR: folder.path, BACKUP_TO: to, BACKUP_EVERY: '6h', BACKUP_KEEP: '1' }
  await using server = await startProcess({ ...environment, PROCESSES: '2', METRICS_PORT: '0' })
  const status = () => runJson({ DATA_DIR: folder.path }, 'status')
  const age = (column: string) =>
    queryData(folder.path, `update installation set ${column} = ${column} - interval '6 hours 1 minute'`)
  const [metrics] = logged(server, 'metrics are served')
  const failed = async () => (await scrape(`http://127.0.0.1:${metrics.port}/metrics`)).value('patchbay_backup_failed')
  await untilMade(() => logged(server, 'a backup was made').length === 1, 'the first is not made at once')
  const [first = '', ...none] = await wholeOnes(to)
  assert.deepEqual(none, [], 'however many processes serve, one makes it')
  assert.equal((await runHere({}, 'backup', 'verify', '--from', to)).code, 0)
  assert.equal((await status()).backupFailure, null)

  {
    await using _ = await holdLock(join(to, 'backup.lock'))
    await age('backed_up_at')
    await untilMade(() => logged(server, 'the backup failed').length === 1, 'the failure is not logged')
    assert.deepEqual(await wholeOnes(to), [first], 'the older one stays')
    await until(async () => (await failed()) === 1, 'the metric does not say so')
    const { backupFailedAt, backupFailure } = await status()
    assert.match(backupFailure, /^Another backup to .* is running/)
    assert.ok(Math.abs(Date.parse(backupFailedAt) - Date.now()) < 120_000)
    const { code, stdout } = await runHere({ DATA_DIR: folder.path }, 'doctor')
    assert.equal(code, 1)
    assert.match(stdout, /PROBLEM +backup +failed at .*: Another backup/)
  }
  await age('backup_failed_at')
  await untilMade(() => logged(server, 'a backup was made').length === 2, 'it is not tried again')
  assert.equal((await wholeOnes(to)).length, 1, 'BACKUP_KEEP=1')
  assert.notDeepEqual(await wholeOnes(to), [first])
  await until(async () => (await failed()) === 0, 'the metric still says that it failed')
  assert.equal((await status()).backupFailure, null)
})

test('backup verify names each damaged backup in a folder, and exits with 1', async () => {
  await using folder = await makeDataFolder()
  await using scratch = await makeScratch()
  const to = join(scratch.path, 'backups')
  const { backup: whole } = await runJson({ DATA_DIR: folder.path }, 'backup', '--to', to)
  const verified = await runJson({}, 'backup', 'verify', '--from', to)
  assert.deepEqual(
    verified.backups.map(({ backup, problem }: Record<string, string>) => [backup, problem]),
    [[whole, null]],
  )
  assert.ok(verified.backups[0].files > 900 && verified.backups[0].databaseBytes > 1e6)
  const damaged = ['2026-01-01T000000Z', '2026-01-02T000000Z', '2026-01-03T000000Z'].map((name) => join(to, name))
  for (const [at, text] of ['{ "format": 1, "start', 'null', undefined].entries()) {
    await cp(whole, damaged[at] ?? '', { recursive: true })
    await (text === undefined
      ? rm(join(damaged[at] ?? '', 'backup.json'))
      : writeFile(join(damaged[at] ?? '', 'backup.json'), text))
  }
  const all = await runCli({}, 'backup', 'verify', '--from', to, '--json')
  assert.deepEqual([all.code, all.stderr], [1, ''])
  const noFacts = 'backup.json is missing or damaged'
  assert.deepEqual(
    JSON.parse(all.stdout).backups.map(({ backup, problem }: Record<string, string>) => [backup, problem]),
    [...damaged.map((folder) => [folder, noFacts]), [whole, null]],
  )
  assert.match(
    (await runHere({}, 'backup', 'verify', '--from', damaged[0] ?? '')).stdout,
    /backup\.json is missing or damaged\n$/,
  )
  await symlink('loop', join(scratch.path, 'loop'))
  const unreadable = await runHere({}, 'backup', 'verify', '--from', join(scratch.path, 'loop'))
  assert.deepEqual([unreadable.code, unreadable.stdout], [1, ''])
  assert.match(unreadable.stderr, /loop cannot be read \(ELOOP\); [^\n]+\n$/)
  for (const folder of damaged) await rm(folder, { recursive: true })
  await rm(join(whole, 'backup_manifest'))
  const missing = await runHere({}, 'backup', 'verify', '--from', whole)
  assert.equal(missing.code, 1)
  assert.match(missing.stdout, /backup_manifest is missing\n/)
  await writeFile(join(whole, 'backup_manifest'), '{}')
  assert.match((await runHere({}, 'backup', 'verify', '--from', to)).stdout, /backup_manifest is damaged\n/)
  const nothing = await runHere({}, 'backup', 'verify', '--from', scratch.path)
  assert.match(nothing.stderr, /^There is no whole backup in .*\n$/)
})

test('BACKUP_TO beside DATABASE_URL stops the start with a sentence', async () => {
  await using folder = await makeDataFolder({ bare: true })
  const given = { DATABASE_URL: 'postgres://127.0.0.1:9/none', SECRET_KEY: 'sixteen letters!' }
  const refused = await runCli({ DATA_DIR: folder.path, BACKUP_TO: '/tmp/none', ...given }, 'start')
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^BACKUP_TO is for the embedded database, and DATABASE_URL is set; [^\n]+\n$/)
})

/** Scheduled backups by a program that stands for the command, on a database of their own. */
async function startSchedule(scratch: string, source: string, { to = scratch, retrySeconds = 60 } = {}) {
  await using started = new AsyncDisposableStack()
  const program = join(scratch, 'program.mjs')
  await writeFile(
    program,
    `import { appendFileSync } from 'node:fs'\nappendFileSync('${scratch}/runs', 'x')\n${source}`,
  )
  const database = started.use(await makeDatabase())
  const db = started.use(openDb(database.address, silentLog))
  await sql`insert into installation (secret_key_check) values ('none')`.execute(db)
  const schedule = { to, everySeconds: 3_600, keep: 7 }
  const times = { lookEveryMs: 50, retrySeconds }
  const all = started.move()
  const start = () => all.use(startScheduledBackups({ db, log: silentLog, schedule, program, times }))
  return {
    db,
    start,
    runs: async () => (await readFile(join(scratch, 'runs'), 'utf8').catch(() => '')).length,
    failure: async () => (await readBackupFailure(db)).backupFailure,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

const failures: [name: string, source: string, reason: RegExp][] = [
  [
    'the error of its document',
    'console.error("/srv/cli.ts:12\\n  code"); console.log(JSON.stringify({ error: { message: "The disk is full." } })); process.exitCode = 1',
    /^The disk is full\.$/,
  ],
  ['the sentence of an error that nobody caught', 'throw new TypeError("nothing is there")', /^TypeError: nothing is/],
  ['how it ended', 'process.exitCode = 3', /^it ended by 3$/],
  ['that it printed no document', 'console.log("done")', /^it ended without saying what it made$/],
]

test('the reason of a failed backup is what the command says, whichever way it says it', async () => {
  for (const [name, source, reason] of failures) {
    await using scratch = await makeScratch()
    await using world = await startSchedule(scratch.path, source)
    world.start()
    await untilMade(async () => (await world.failure()) !== null, `not noted: ${name}`)
    assert.match((await world.failure()) ?? '', reason, name)
  }
})

test('a backup that cannot even begin is noted, and one whose failure cannot be noted waits before the next try', async () => {
  await using scratch = await makeScratch()
  {
    await using world = await startSchedule(scratch.path, '', { to: 'a\0b' })
    world.start()
    await untilMade(async () => /without null bytes/.test((await world.failure()) ?? ''), 'it is not noted')
  }
  await using world = await startSchedule(scratch.path, 'process.exitCode = 3', { retrySeconds: 3 })
  await sql`create function refuse() returns trigger language plpgsql as 'begin raise ''no''; end'`.execute(world.db)
  await sql`create trigger t before update on installation execute function refuse()`.execute(world.db)
  world.start()
  await untilMade(async () => (await world.runs()) === 1, 'it does not begin')
  await sleep(1_500)
  assert.equal(await world.runs(), 1, 'as long as after any other failure')
  await untilMade(async () => (await world.runs()) > 1, 'it is not tried again')
})

test('a backup that a clock noted in the future does not stop those to come, and is due once', async () => {
  await using database = await makeDatabase()
  await using db = openDb(database.address, silentLog)
  await sql`insert into installation (secret_key_check, created_at, backed_up_at, backup_failed_at)
    values ('none', now() + interval '1 year', now() + interval '1 year', now() + interval '1 year')`.execute(db)
  const due = () => secondsToBackup(db, { everySeconds: 3_600, retrySeconds: 600 })
  assert.ok((await due()) <= 0)
  assert.deepEqual(await readBackupAge(db), { backupSeconds: 0, installationSeconds: 0 })
  const { backedUpAt, firstStartedAt } = (await readLastDone(db)) ?? {}
  const [backupAge, age] = [backedUpAt, firstStartedAt].map((at) => Date.now() / 1_000 - Number(at))
  assert.ok(Math.abs(Number(backupAge)) < 60 && Math.abs(Number(age)) < 60, 'the metrics have no time in the future')
  await noteBackup(db, new Date().toISOString())
  assert.ok((await due()) > 3_000)
})
