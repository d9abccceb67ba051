import { readStatus } from '../src/inbox/status-store.ts'
import { version } from '../src/platform/version.ts'
import { command } from './shared/command.ts'

export const status = command({
  summary: 'show pending replies and events, queues, and failing receivers of the whole installation',
  run: ({ withDatabase }) => withDatabase(async (db) => ({ version, ...(await readStatus(db)) })),
})
