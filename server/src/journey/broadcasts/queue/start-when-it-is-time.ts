import { sql } from 'kysely'
import type { Tx } from '../../../platform/database/db.ts'
import { type Broadcast, readLateness, saveBroadcast } from '../record/store.ts'
import { readListName } from './prepare-store.ts'

/** Who planned it for the morning does not want it at night. */
const latestSeconds = 3_600

/**
 * Starts a broadcast whose time has come, which the transaction has locked: its people are those who are on the list from now on. Where
 * no server ran for too long, it is halted, and somebody is told. False: it is not time yet.
 */
export async function startWhenItIsTime(tx: Tx, broadcast: Broadcast): Promise<boolean> {
  const { accountId, id: broadcastId, listId, listName } = broadcast
  const ref = { accountId, broadcastId }
  const lateSeconds = await readLateness(tx, ref)
  if (lateSeconds < 0) return false
  if (lateSeconds > latestSeconds) {
    await saveBroadcast(tx, ref, { state: 'paused', haltedAt: sql<Date>`now()`, haltedReason: 'missed_start' })
  } else {
    const name = (await readListName(tx, { accountId, listId })) ?? listName
    await saveBroadcast(tx, ref, { state: 'preparing', listName: name })
  }
  return true
}
