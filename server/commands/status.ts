import { readStatus } from '../src/inbox/status-store.ts'
import { readLastBackup, readWorkPause } from '../src/platform/backup/installation.ts'
import { version } from '../src/platform/version.ts'
import type { Run } from './declarations.ts'

export const status: Run<'status'> = ({ withDatabase }) =>
  withDatabase(async (db) => ({
    version,
    ...(await readStatus(db)),
    lastBackupAt: await readLastBackup(db),
    workPausedAt: await readWorkPause(db),
  }))
