import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sayEvery } from '../../../src/platform/config/backup-schedule.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { OperatorError } from '../../../src/platform/operator-error.ts'

test('backups are off without BACKUP_TO, daily with it, and refused where the database is not the embedded one', () => {
  assert.equal(readConfig({ BACKUP_EVERY: '6h', BACKUP_KEEP: '3' }).backup, undefined)
  const to = '/mnt/backups'
  assert.deepEqual(readConfig({ BACKUP_TO: to }).backup, { to, everySeconds: 86_400, keep: 7 })
  const given = readConfig({ BACKUP_TO: to, BACKUP_EVERY: '90m', BACKUP_KEEP: '24' }).backup
  assert.deepEqual(given, { to, everySeconds: 5_400, keep: 24 })
  for (const text of ['10m', '90m', '6h', '36h', '1d', '31d']) {
    const read = readConfig({ BACKUP_TO: to, BACKUP_EVERY: text }).backup
    assert.equal(
      readConfig({ BACKUP_TO: to, BACKUP_EVERY: sayEvery(read?.everySeconds ?? 0) }).backup?.everySeconds,
      read?.everySeconds,
    )
  }
  const refused: [Record<string, string>, RegExp][] = [
    [
      { BACKUP_TO: to, DATABASE_URL: 'postgres://db/patchbay' },
      /^BACKUP_TO is for the embedded database, .*docs\/backup\.md/,
    ],
    [
      { BACKUP_TO: '/var/lib/patchbay/backups', DATA_DIR: '/var/lib/patchbay' },
      /^BACKUP_TO must be outside of DATA_DIR/,
    ],
    ...['9m', '32d', '1', 'daily', '1w', '-1h', '1.5h'].map((every): [Record<string, string>, RegExp] => [
      { BACKUP_EVERY: every },
      /^BACKUP_EVERY must be a time from 10m to 31d/,
    ]),
    [{ BACKUP_KEEP: '0' }, /^BACKUP_KEEP must be/],
  ]
  for (const [environment, sentence] of refused) {
    assert.throws(
      () => readConfig(environment),
      (error) => error instanceof OperatorError && sentence.test(error.message),
    )
  }
})
