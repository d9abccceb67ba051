import type { Act } from '@patchbay/contract/app/audit.ts'
import { sql } from 'kysely'
import { type By, noteAct } from '../../business/audit/store.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { firstAtOnce } from './queue/pace.ts'
import {
  type Broadcast,
  type BroadcastChange,
  type BroadcastState,
  lockBroadcast,
  saveBroadcast,
} from './record/store.ts'

type Ref = { accountId: AccountId; broadcastId: string }

/** From the commit on no message is made; what is in flight arrives. */
export async function pauseBroadcast(db: Db, ref: Ref, by: By): Promise<void> {
  await change(db, ref, { from: ['preparing', 'running'], act: 'broadcast paused', by }, () => ({
    state: 'paused',
    waitingSince: null,
    waitingReason: null,
  }))
}

/** Goes on where it was, at the rate: what could have been sent meanwhile is not made up for. */
export async function resumeBroadcast(db: Db, ref: Ref, by: By): Promise<void> {
  await change(db, ref, { from: ['paused'], act: 'broadcast resumed', by }, ({ preparedAt, ratePerMinute }) => ({
    state: preparedAt === null ? 'preparing' : 'running',
    resumedAt: sql<Date>`now()`,
    haltedAt: null,
    haltedReason: null,
    pacedAt: firstAtOnce(ratePerMinute),
  }))
}

/** Stops it for good: who has no message yet gets none. One that waits for its time is cancelled with this. */
export async function stopBroadcast(db: Db, ref: Ref, by: By): Promise<void> {
  await change(
    db,
    ref,
    { from: ['scheduled', 'preparing', 'running', 'paused'], act: 'broadcast stopped', by },
    () => ({
      state: 'stopped',
      endedAt: sql<Date>`now()`,
      waitingSince: null,
      waitingReason: null,
      haltedAt: null,
      haltedReason: null,
    }),
  )
}

type Step = { from: BroadcastState[]; act: Act; by: By }

async function change(db: Db, ref: Ref, step: Step, changed: (broadcast: Broadcast) => BroadcastChange): Promise<void> {
  const { accountId, broadcastId } = ref
  if (!isId('brc', broadcastId)) throw noBroadcast()
  await db.transaction().execute(async (tx) => {
    const broadcast = await lockBroadcast(tx, { accountId, broadcastId })
    if (!broadcast) throw noBroadcast()
    if (!step.from.includes(broadcast.state)) throw new Refusal('CONFLICT', `The broadcast is ${broadcast.state}.`)
    await saveBroadcast(tx, { accountId, broadcastId }, changed(broadcast))
    await noteAct(tx, accountId, { act: step.act, ...step.by, details: { broadcastId, name: broadcast.name } })
  })
}

export function noBroadcast(): Refusal {
  return new Refusal('NOT_FOUND', 'There is no such broadcast.')
}
