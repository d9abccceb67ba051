// Runs alone: takes long, it backs up and restores whole databases

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdir, open, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { checkBackup } from '../../../commands/checks/check-backup.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { version } from '../../../src/platform/version.ts'
import { makeScratch, queryData, restoreTo, runJson, sendMessage, startSenders } from '../../helpers/backups.ts'
import { commandsWith, runHere } from '../../helpers/commands.ts'
import { startApp } from '../../helpers/harness.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { makeDataFolder, serverEnvironment, startProcess } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

/** A session, and a link, which a restored copy must not have. */
const waysIn = [
  "insert into sessions (token_hash, account_id, user_id) select '\\x01', account_id, id from users limit 1",
  `insert into account_links (token_hash, account_id, made_by, id, makes_owner, ends_at)
   select '\\x02', account_id, id, 'lnk_1', true, now() + interval '1 day' from users limit 1`,
]

test('a backup that is taken while messages arrive has all that were acknowledged before, each once, and starts', async () => {
  await using folder = await makeDataFolder()
  await using scratch = await makeScratch()
  await using server = await startProcess({ DATA_DIR: folder.path })
  const senders = startSenders(server, 4)
  await until(() => senders.acknowledged.length > 50, 'nothing was sent')
  const before = [...senders.acknowledged]
  for (const statement of waysIn) await queryData(folder.path, statement)
  const backup = await runJson({ DATA_DIR: folder.path }, 'backup', '--to', join(scratch.path, 'backups'))
  await senders.stop()
  assert.ok(senders.acknowledged.length > before.length, 'messages arrived meanwhile')
  assert.match(backup.note, /secret key is not in it: keep .*secret\.key/)
  assert.deepEqual((await readdir(backup.backup)).sort(), ['backup.json', 'backup_manifest', 'base.tar.zst'])
  const facts = JSON.parse(await readFile(join(backup.backup, 'backup.json'), 'utf8'))
  assert.equal(facts.patchbayVersion, version)
  assert.equal((await stat(backup.backup)).mode & 0o777, 0o700)
  for (const name of await readdir(backup.backup)) {
    assert.equal((await stat(join(backup.backup, name))).mode & 0o777, 0o600, name)
  }
  const status = await runJson({ DATA_DIR: folder.path }, 'status')
  assert.equal(status.lastBackupAt, backup.endedAt)

  const copy = { DATA_DIR: join(scratch.path, 'copy') }
  await mkdir(copy.DATA_DIR)
  await cp(join(folder.path, 'secret.key'), join(copy.DATA_DIR, 'secret.key'))
  const restored = await runJson(copy, 'restore', '--from', join(scratch.path, 'backups'))
  assert.equal(restored.backup, backup.backup)
  assert.equal(restored.hasSecretKey, true)
  assert.deepEqual((await readdir(copy.DATA_DIR)).sort(), ['postgres', 'postgres.lock', 'secret.key'])
  await using second = await startProcess(copy)
  const kept = await queryData<{ sid: string; id: string }>(
    copy.DATA_DIR,
    'select message_sid as sid, id from messages where message_sid is not null',
  )
  const ids = new Map(kept.map(({ sid, id }) => [sid, id]))
  assert.equal(ids.size, kept.length, 'none is there twice')
  for (const { messageSid, messageId } of before) assert.equal(ids.get(messageSid), messageId)
  const [one] = before
  assert.equal(await sendMessage(second, one?.messageSid ?? ''), one?.messageId)
  assert.deepEqual(await queryData(copy.DATA_DIR, 'select from sessions'), [])
  assert.deepEqual(await queryData(copy.DATA_DIR, 'select from account_links'), [])
  assert.equal((await runHere(copy, 'ledger', 'check')).code, 0)
})

test('a copy that is restored with --paused posts nothing until it is resumed, and then only what was not sent yet', async () => {
  let isUp = true
  await using receiver = await startReceiver((_request, response) => response.writeHead(isUp ? 200 : 500).end())
  await using folder = await makeDataFolder()
  await using scratch = await makeScratch()
  const environment = { DATA_DIR: folder.path, DELIVERY_RETRY_SECONDS: '1,1,1,1,1,1,1,1' }
  const to = join(scratch.path, 'backups')
  {
    await using server = await startProcess(environment)
    const email = String(server.facts.email)
    await runJson(environment, 'webhook', 'set', '--account', email, '--url', receiver.url)
    const send = async (body: string) => {
      const customData = { fromId: 'ana', customChannel: 'shop', body }
      const { status } = await server.post('/send_custom_channel_message', { customData })
      assert.equal(status, 200)
    }
    await send('arrives')
    await until(() => receiver.requests.length > 0, 'it was not delivered')
    isUp = false
    await send('does not arrive yet')
    await until(() => receiver.requests.length > 1, 'it was not tried')
  }
  const backup = await runJson(environment, 'backup', '--to', to, '--with-secret-key') // without a server
  assert.match(backup.note, /whoever has this folder can read/)
  isUp = true
  const tried = receiver.requests.length

  const copy = { ...environment, DATA_DIR: join(scratch.path, 'copy') }
  const { notes, isPaused } = await runJson(copy, 'restore', '--from', backup.backup, '--paused')
  assert.ok(isPaused)
  assert.match(notes.join(), /sends nothing .* until `npx patchbay resume`/)
  {
    await using server = await startProcess(copy)
    assert.ok(server.facts.isPaused)
    await until(() => /this restored copy is paused/.test(server.output()), 'it does not say that it is paused')
    await sleep(2_000)
    assert.equal(receiver.requests.length, tried)
    assert.ok((await runJson(copy, 'status')).workPausedAt)
  }
  assert.deepEqual((await runJson(copy, 'resume')).wasPaused, true)
  await using server = await startProcess(copy)
  await until(() => receiver.requests.length > tried, 'it was not delivered')
  await sleep(500)
  const [first, second] = receiver.requests
  const [again, ...more] = receiver.requests.slice(tried)
  assert.deepEqual(more, [])
  assert.equal(again?.headers['webhook-id'], second?.headers['webhook-id'])
  assert.deepEqual(again?.body, second?.body)
  assert.notEqual(first?.headers['webhook-id'], second?.headers['webhook-id'])
  assert.equal(server.child.exitCode, null)
})

test('what is no whole and undamaged backup of this PostgreSQL is refused with one sentence, and nothing is left', async () => {
  await using folder = await makeDataFolder()
  await using scratch = await makeScratch()
  const whole = (await runJson({ DATA_DIR: folder.path }, 'backup', '--to', join(scratch.path, 'backups'))).backup
  const dataDir = join(scratch.path, 'copy')
  const changed = async (change: (folder: string) => Promise<void>) => {
    const copy = join(scratch.path, '2026-01-01T000000Z')
    await rm(copy, { recursive: true, force: true })
    await cp(whole, copy, { recursive: true })
    await change(copy)
    return copy
  }
  const edit = (copy: string, name: string, from: string | RegExp, to: string) =>
    readFile(join(copy, name), 'utf8').then((text) => writeFile(join(copy, name), text.replace(from, to)))
  const size = (await stat(join(whole, 'base.tar.zst'))).size
  const cases: [sentence: RegExp, change: (copy: string) => Promise<void>][] = [
    [/cannot be used: /, (copy) => flipByte(join(copy, 'base.tar.zst'), Math.floor(size / 2))],
    [/cannot be used: .*(cut off|unexpected end)/, (copy) => truncate(join(copy, 'base.tar.zst'), size - 1_000)],
    [
      /cannot be used: base\.tar\.zst is not as it was written/,
      (copy) => edit(copy, 'backup.json', /"sha256": "./, '"sha256": "x'),
    ],
    [/cannot be used: backup_manifest is damaged/, (copy) => edit(copy, 'backup_manifest', 'PG_VERSION', 'PG_VERSIOM')],
    [/cannot be used: base\.tar\.zst is missing; restore another/, (copy) => rm(join(copy, 'base.tar.zst'))],
    [/cannot be used: backup_manifest is missing; restore another/, (copy) => rm(join(copy, 'backup_manifest'))],
    [/There is no whole backup in /, (copy) => rm(join(copy, 'backup.json'))],
    [/of PostgreSQL 17 and this Patchbay has 18; .*docs\/upgrade\.md/, (copy) => edit(copy, 'backup.json', '18', '17')],
  ]
  for (const [sentence, change] of cases) {
    await assert.rejects(restoreTo(dataDir, await changed(change)), { name: 'OperatorError', message: sentence })
    assert.deepEqual(
      (await readdir(dataDir).catch(() => [])).filter((name) => name !== 'postgres.lock'),
      [],
    )
  }
  await rename(await changed(async () => {}), join(scratch.path, '2026-01-01T000000Z.unfinished'))
  await assert.rejects(restoreTo(dataDir, scratch.path), /There is no whole backup/)
  await assert.rejects(restoreTo(dataDir, whole, { until: new Date(0) }), /ended at .*, after 1970.*needs an older one/)
  await assert.rejects(restoreTo(dataDir, whole, { until: new Date() }), /without ARCHIVE_DIR, so only/)
  await writeFile(join(dataDir, 'notes.txt'), 'mine')
  await assert.rejects(restoreTo(dataDir, whole), /is not empty: it has notes\.txt in it/)
  await assert.rejects(restoreTo(folder.path, whole), /is not empty: it has postgres in it; move it away, /)
})

test('a backup that cannot be written ends with one sentence and leaves nothing, and the next one cleans up', async () => {
  await using folder = await makeDataFolder()
  await using scratch = await makeScratch()
  await using _server = await startProcess({ DATA_DIR: folder.path })
  const commands = commandsWith({ DATA_DIR: folder.path })
  const to = join(scratch.path, 'backups')
  const cli = resolve(import.meta.dirname, '../../../cli.ts')
  // A limit on the size of files stands for a disk that is full.
  const limited = spawnSync('prlimit', ['--fsize=1000000', process.execPath, cli, 'backup', '--to', to], {
    env: serverEnvironment({ DATA_DIR: folder.path }),
    encoding: 'utf8',
  })
  assert.equal(limited.status, 1)
  assert.match(limited.stderr, /^Cannot write .*: the largest size of a file is reached, .*\n$/)
  assert.deepEqual(await readdir(to), ['backup.lock'])
  const inFile = await commands.run('backup', '--to', join(to, 'backup.lock/x'))
  assert.match(inFile.stderr, /^Cannot write .*: a file is in the way; give the path of a folder\.\n$/)
  const inside = await commands.run('backup', '--to', join(folder.path, 'backups'))
  assert.match(inside.stderr, /is inside DATA_DIR .*give a folder outside of it/)
  assert.equal((await commands.run('backup', '--to', '/proc/none')).code, 1)

  await mkdir(join(to, '2026-01-01T000000Z.unfinished'))
  await mkdir(join(to, 'something else'))
  const first = await commands.run('backup', '--to', to, '--json')
  assert.equal(first.code, 0, first.stderr)
  const ahead = join(to, '2099-01-01T000000Z') // made while the clock was ahead
  await rename(JSON.parse(first.stdout).backup, ahead)
  await mkdir(join(to, '2026-01-02T000000Z'))
  await writeFile(join(to, '2026-01-02T000000Z/backup.json'), '{ "format": 1, "sta')
  await sleep(1_000) // the name has its second
  const second = JSON.parse((await commands.run('backup', '--to', to, '--keep', '1', '--json')).stdout)
  assert.equal(second.removed, 1)
  const expected = ['2026-01-02T000000Z', 'backup.lock', 'something else', second.backup.split('/').at(-1)].sort()
  assert.deepEqual((await readdir(to)).sort(), expected, `the first is gone: ${first.stdout}`)
  const { stdout } = await commands.run('doctor')
  assert.match(stdout, /ok +backup +\d+ (seconds?|minutes?) ago/)
})

test('doctor says that there is no backup, and complains about it after a week', async () => {
  await using app = await startApp()
  const config = readConfig({})
  const check = (days: number, backedUpDays: number | null) =>
    app.db.transaction().execute(async (tx) => {
      await sql`insert into installation (secret_key_check, created_at, backed_up_at)
        values ('none', now() - ${days} * interval '1 day', now() - ${backedUpDays}::float8 * interval '1 day')
        on conflict (one) do update set created_at = excluded.created_at, backed_up_at = excluded.backed_up_at`.execute(
        tx,
      )
      return checkBackup(tx, config).catch((error) => `refused: ${error.message}`)
    })
  assert.equal(await check(1, null), 'never made; set BACKUP_TO, or run daily: npx patchbay backup --to FOLDER')
  assert.equal(
    await check(9, null),
    'refused: never made; set BACKUP_TO, or run daily: npx patchbay backup --to FOLDER',
  )
  assert.equal(await check(20, 3), '3 days ago')
  assert.equal(await check(20, 9), 'refused: 9 days ago; set BACKUP_TO, or run daily: npx patchbay backup --to FOLDER')
  assert.equal(await check(20, -1), '0 seconds ago', 'the clock was set back')
})

async function flipByte(file: string, at: number): Promise<void> {
  await using handle = await open(file, 'r+')
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at)
  await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 0xff]), 0, 1, at)
}
