// Runs alone: takes long, it backs up and restores whole databases

import assert from 'node:assert/strict'
import { chmod, cp, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { restoreBackup } from '../../../src/platform/backup/restore-backup.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { acrossAccounts } from '../../../src/platform/database/db.ts'
import { makeScratch, queryData, restoreTo, runJson, sendMessage } from '../../helpers/backups.ts'
import { commandsWith, runHere } from '../../helpers/commands.ts'
import { makeDataFolder, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

test('a restore to a point in time has every message acknowledged before it, and none that was sent after it', async () => {
  await using folder = await makeDataFolder()
  await using scratch = await makeScratch()
  await chmod(scratch.path, 0o711) // PostgreSQL may run as another user
  const environment = { DATA_DIR: folder.path, ARCHIVE_DIR: join(scratch.path, 'archive') }
  await using server = await startProcess(environment)
  const commands = commandsWith({ DATA_DIR: folder.path }) // as from a shell that does not have ARCHIVE_DIR
  const run = async (...words: string[]) => JSON.parse((await commands.run(...words, '--json')).stdout)
  const to = join(scratch.path, 'backups')
  const sent: string[] = []
  const send = async (count: number) => {
    for (let n = 0; n < count; n += 1) sent.push(await sendMessage(server, `sid ${sent.length}`))
    return Date.now()
  }
  await send(5)
  const first = await run('backup', '--to', to)
  const time = new Date((await send(20)) + 1)
  await sleep(20)
  await archiveAll(folder.path)
  await send(20)
  await archiveAll(folder.path)
  const { archive } = await run('status')
  assert.deepEqual([archive.failing, archive.waiting], [null, 0])

  const wanted = { DATA_DIR: join(scratch.path, 'copy') }
  await mkdir(wanted.DATA_DIR)
  await cp(join(folder.path, 'secret.key'), join(wanted.DATA_DIR, 'secret.key'))
  const restored = await runJson(wanted, 'restore', '--from', to, '--until', time.toISOString())
  assert.ok(new Date(restored.restoredTo) <= time)
  {
    await using copy = await startProcess(wanted)
    const kept = await queryData<{ id: string }>(
      wanted.DATA_DIR,
      'select id from messages where message_sid is not null order by id',
    )
    assert.deepEqual(
      kept.map(({ id }) => id),
      sent.slice(0, 25),
    )
    assert.equal(copy.child.exitCode, null)
    assert.equal((await runHere(wanted, 'ledger', 'check')).code, 0)
  }

  const everything = await countAfter(join(scratch.path, 'all'), first.backup)
  assert.equal(everything, sent.length)
  const tooLate = restoreTo(join(scratch.path, 'none'), to, { until: new Date(Date.now() + 60_000) })
  await assert.rejects(
    tooLate,
    /^OperatorError: The archive ends at \d{4}-.*Z, before .*; give an earlier --until, or leave/,
  )

  const moved = join(scratch.path, 'elsewhere')
  await rename(archive.folder, moved)
  await assert.rejects(
    restoreTo(join(scratch.path, 'none'), to, { until: time }),
    /The archive of this backup was .*, which is not here; give its place with --archive/,
  )
  const segments = (await readdir(moved)).filter((name) => /^[0-9A-F]{24}$/.test(name)).sort()
  await rm(join(moved, segments.at(-2) ?? ''))
  const gap = await restoreTo(join(scratch.path, 'gap'), first.backup, { archive: moved })
  assert.equal(gap.archive?.missing, segments.at(-2)?.slice(8))
})

test('segments go to a folder of this DATA_DIR alone; what the oldest kept backup does not need is removed; a failure is reported', async () => {
  await using folder = await makeDataFolder()
  await using scratch = await makeScratch()
  await chmod(scratch.path, 0o711)
  const archiveDir = join(scratch.path, 'archive')
  const environment = { DATA_DIR: folder.path, ARCHIVE_DIR: archiveDir }
  const to = join(scratch.path, 'backups')
  {
    await using server = await startProcess(environment)
    const commands = commandsWith({ DATA_DIR: folder.path })
    const run = async (...words: string[]) => JSON.parse((await commands.run(...words, '--json')).stdout)
    const { archive } = await run('status')
    assert.equal(join(archive.folder, '..'), archiveDir)
    await run('backup', '--to', to)
    await sendMessage(server, 'one')
    await archiveAll(folder.path)
    const before = await readdir(archive.folder)
    await run('backup', '--to', to, '--keep', '1')
    await archiveAll(folder.path)
    const after = await readdir(archive.folder)
    assert.ok(!before.every((name) => after.includes(name)), 'older segments are gone')
    assert.match((await commands.run('doctor')).stdout, /ok +archive +to .*, \d+ segments to go/)

    await rename(archive.folder, `${archive.folder}.gone`)
    await sendMessage(server, 'two') // an empty segment would not be switched
    await queryData(folder.path, 'select pg_switch_wal()')
    await until(async () => (await run('status')).archive.failing !== null, 'the failure is not seen')
    const doctor = await commands.run('doctor')
    assert.equal(doctor.code, 1)
    assert.match(
      doctor.stdout,
      /PROBLEM +archive +[0-9A-F]{24} could not be copied to .*the reason is in .*postgres\/log/,
    )
    await rename(`${archive.folder}.gone`, archive.folder)
    await archiveAll(folder.path)
  }
  // A command that starts the database itself goes on archiving, though it does not have ARCHIVE_DIR.
  const [own = ''] = await readdir(archiveDir)
  const { archive } = await runJson({ DATA_DIR: folder.path }, 'status')
  assert.equal(basename(archive.folder), own)
  {
    await using _without = await startProcess({ DATA_DIR: folder.path })
    assert.deepEqual(await queryData(folder.path, 'show archive_mode'), [{ archive_mode: 'off' }])
  }
  await using _again = await startProcess(environment)
  assert.equal((await readdir(archiveDir)).length, 2, 'after a gap, a folder of its own')
})

test('an ARCHIVE_DIR inside DATA_DIR, or beside DATABASE_URL, is refused', () => {
  assert.throws(() => readConfig({ DATA_DIR: '/srv/data', ARCHIVE_DIR: '/srv/data/archive' }), /outside of DATA_DIR/)
  assert.throws(() => readConfig({ DATABASE_URL: 'postgres://x/y', ARCHIVE_DIR: '/srv/archive' }), /unset one of them/)
  assert.equal(readConfig({ DATA_DIR: '/srv/data', ARCHIVE_DIR: '/srv/data2' }).archiveDir, '/srv/data2')
})

/** Restores, and counts the messages that came in. */
async function countAfter(dataDir: string, from: string): Promise<number> {
  let count = 0
  await restoreBackup({
    dataDir,
    from,
    archive: undefined,
    until: undefined,
    finish: async (db) => {
      const rows = acrossAccounts(db).selectFrom('messages').where('messageSid', 'is not', null).select('id') // of all
      count = (await rows.execute()).length
    },
  })
  return count
}

/** Ends the current segment, and waits until all are archived. */
async function archiveAll(dataDir: string): Promise<void> {
  await queryData(dataDir, 'select pg_switch_wal()')
  await until(async () => {
    const waiting = await queryData(dataDir, "select from pg_ls_archive_statusdir() where name like '%.ready'")
    return waiting.length === 0
  }, 'the archive is not complete')
}
