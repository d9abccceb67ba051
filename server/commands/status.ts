import { readStatus } from '../src/inbox/status-store.ts'
import { version } from '../src/platform/version.ts'
import { command } from './shared/command.ts'

export const status = command({
  summary: 'what is owed, what waits and what is in trouble, in the whole installation',
  run: ({ withDatabase }) => withDatabase(async (db) => ({ version, ...(await readStatus(db)) })),
})
