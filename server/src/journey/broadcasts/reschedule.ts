import type { BroadcastChange } from '@patchbay/contract/app/broadcasts.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import { isChannelId } from '../../outbox/receivers.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { noBroadcast } from './control.ts'
import { type GivenBroadcast, readBroadcast } from './read-broadcast.ts'
import { type Broadcast, lockBroadcast, saveBroadcast } from './record/store.ts'
import { refuseTooMany } from './start.ts'

type Ref = { accountId: AccountId; broadcastId: string }

/**
 * Changes a broadcast that has not started: one that waits for its time, or whose start was missed. What is left out stays; all of
 * it is checked again, as it is now. The caller wakes the workers after the commit, because it may start at once.
 */
export async function changeBroadcast(
  db: Db,
  ref: Ref,
  { given, by }: { given: BroadcastChange; by: By },
): Promise<void> {
  const { accountId, broadcastId } = ref
  if (!isId('brc', broadcastId)) throw noBroadcast()
  await db.transaction().execute(async (tx) => {
    const before = await lockBroadcast(tx, { accountId, broadcastId })
    if (!before) throw noBroadcast()
    if (!isUnstarted(before)) throw new Refusal('CONFLICT', `The broadcast is ${before.state}.`)
    const { way: _, ...read } = await readBroadcast(tx, accountId, merge(before, given))
    if (before.state !== 'scheduled' || read.startsAt === null) await refuseTooMany(tx, accountId, read.startsAt)
    const name = given.name === undefined ? before.name : given.name?.trim() || read.listName
    await saveBroadcast(
      tx,
      { accountId, broadcastId },
      {
        ...read,
        name,
        ratePerMinute: given.ratePerMinute ?? before.ratePerMinute,
        ...{ state: read.startsAt === null ? 'preparing' : 'scheduled', haltedAt: null, haltedReason: null },
      },
    )
    const act = read.startsAt === null ? 'broadcast started' : 'broadcast changed'
    await noteAct(tx, accountId, { act, ...by, details: { broadcastId, name, list: read.listName } })
  })
}

function isUnstarted({ state, preparedAt, haltedReason }: Broadcast): boolean {
  return state === 'scheduled' || (state === 'paused' && preparedAt === null && haltedReason === 'missed_start')
}

function merge(before: Broadcast, given: BroadcastChange): GivenBroadcast {
  const { channel: custom, channelId } = given
  const isNamed = Boolean(custom) || channelId !== undefined
  const wasBuiltIn = isChannelId(before.channel)
  const names = isNamed
    ? { custom: custom ?? undefined, channelId }
    : { custom: wasBuiltIn ? undefined : before.channel, channelId: wasBuiltIn ? before.channel : undefined }
  return {
    listId: given.listId ?? before.listId,
    label: { field: 'channel', text: names.custom },
    channelId: names.channelId,
    body: given.body ?? before.body,
    campaignId: keep(given.campaignId, before.campaignId),
    idFrom: keep(given.idFrom, names.channelId === undefined ? before.idFrom : null),
    startsAt: keep(given.startsAt, before.startsAt?.toISOString() ?? null),
  }
}

/** Null takes away what there was. */
function keep(given: string | null | undefined, before: string | null): string | undefined {
  return (given === undefined ? before : given) ?? undefined
}
