import { limits } from '@patchbay/contract/limits.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import type { Tx } from '../../platform/database/db.ts'
import { type AccountId, type BroadcastId, newId, type UserId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { defaultRate, type GivenBroadcast, readBroadcast } from './read-broadcast.ts'
import { type Broadcast, countOf, insertBroadcast } from './record/store.ts'

/**
 * Starts a broadcast, at once or when it is time: from then on a worker copies the list and sends. `userId`: who started it in the
 * app. The caller wakes the workers after the commit.
 */
export async function startBroadcast(
  tx: Tx,
  { accountId, userId, by }: { accountId: AccountId; userId: UserId | null; by: By },
  given: GivenBroadcast,
): Promise<BroadcastId> {
  const { way: _, ...read } = await readBroadcast(tx, accountId, given)
  await refuseTooMany(tx, accountId, read.startsAt)
  const id = newId('brc')
  const name = given.name?.trim() || read.listName
  const { ratePerMinute = defaultRate } = given
  await insertBroadcast(tx, { accountId, id, name, ratePerMinute, userId, ...read })
  await noteAct(tx, accountId, {
    act: read.startsAt === null ? 'broadcast started' : 'broadcast scheduled',
    ...by,
    details: { broadcastId: id, name, list: read.listName },
  })
  return id
}

export async function refuseTooMany(tx: Tx, accountId: AccountId, startsAt: Broadcast['startsAt']): Promise<void> {
  const { atOnce, scheduled } = limits.broadcast
  if (startsAt === null) {
    if ((await countOf(tx, accountId, 'under way')) < atOnce) return
    throw new Refusal('INVALID_REQUEST', `At most ${atOnce} broadcasts can be under way at once; stop one, or wait.`)
  }
  if ((await countOf(tx, accountId, 'scheduled')) < scheduled) return
  throw new Refusal('INVALID_REQUEST', `At most ${scheduled} broadcasts can wait for their time; cancel one.`)
}
