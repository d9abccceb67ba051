import assert from 'node:assert/strict'
import { mkdir, open, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectionsFor } from '../../../src/platform/embedded-postgres/settings.ts'
import { openStartReport } from '../../../src/platform/embedded-postgres/start-report.ts'
import { openWaiting } from '../../../src/platform/embedded-postgres/waiting.ts'
import { makeScratch } from '../../helpers/backups.ts'

test('the embedded database allows what all pools of all processes may open, the supervisor, and commands besides', () => {
  const supervisor = 13
  for (const processes of [1, 2, 10, 13, 64]) {
    assert.ok(connectionsFor(processes) >= processes * 54 + supervisor + 20, `PROCESSES=${processes}`)
  }
})

test('of a log of gigabytes the last line and the reasons of a failed start are read all the same', async () => {
  await using scratch = await makeScratch()
  const folder = join(scratch.path, 'postgres')
  await mkdir(join(folder, 'log'), { recursive: true })
  const log = join(folder, 'log/postgresql-Mon.log')
  await writeFile(log, '')
  await truncate(log, 3 * 2 ** 30) // more than Node reads of a file at once; it takes no space
  const report = openStartReport(folder)
  await using handle = await open(log, 'a')
  await sleep(50) // the log that was written last is the one to read
  await handle.write('\n2026-11-16 [12] FATAL:  could not map memory\n2026-11-16 [12] LOG:  shut down\n')
  assert.match(report.failureReason(), /FATAL: {2}could not map memory$/)
  using waiting = openWaiting(folder, { onWait: () => {}, patienceMs: 30_000 })
  assert.match(waiting.describe(), /\(the last line of its log: LOG: {2}shut down\)$/)
})
