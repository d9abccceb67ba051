import type { DatabaseAddress, Db } from '../../platform/database/db.ts'
import { openPlannedDb } from '../../platform/database/planned-db.ts'
import type { Log } from '../../platform/log.ts'

/** An answer takes a dozen statements; more connections than this would only make answers wait for each other. */
const connections = 8

/** Opens the database of the bot, on connections of its own: its statements are planned once, and no other work waits for it. */
export function openBotDb(address: DatabaseAddress, log: Log): Db {
  return openPlannedDb(address, log, { connections, name: 'patchbay bot' })
}
