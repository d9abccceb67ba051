import { readActivity, readStatus } from '../src/app/operations/status-store.ts'
import { readArchiveState } from '../src/platform/backup/archive-state.ts'
import { readBackupFailure, readLastBackup, readWorkPause } from '../src/platform/backup/installation.ts'
import type { Db } from '../src/platform/database/db.ts'
import { version } from '../src/platform/version.ts'
import type { Run } from './declarations.ts'
import { watchStatus } from './shared/watch-status.ts'

export const status: Run<'status'> = ({ withDatabase, json }, { watch }) =>
  withDatabase(async (db) => {
    if (!watch) return { version, ...(await readAll(db)) }
    await watchStatus(async () => ({ status: await readAll(db), activity: await readActivity(db) }), { json })
    return undefined
  })

async function readAll(db: Db): Promise<Record<string, unknown>> {
  return {
    ...(await readStatus(db)),
    lastBackupAt: await readLastBackup(db),
    ...(await readBackupFailure(db)),
    workPausedAt: await readWorkPause(db),
    archive: (await readArchiveState(db)) ?? null,
  }
}
