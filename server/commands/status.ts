import { readStatus } from '../src/inbox/status-store.ts'
import { version } from '../src/platform/version.ts'
import type { Run } from './declarations.ts'

export const status: Run<'status'> = ({ withDatabase }) =>
  withDatabase(async (db) => ({ version, ...(await readStatus(db)) }))
