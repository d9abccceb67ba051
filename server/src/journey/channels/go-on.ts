import type { Channel } from '@patchbay/contract/app/channels.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import { setPaused } from '../../outbox/receiver-store.ts'
import type { Tx } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { notifyWorkers } from '../../platform/notify/notify.ts'
import type { ChannelCtx } from './ctx.ts'
import { showChannels } from './show.ts'
import { type ChannelRow, listChannels, lockChannel, writeResumed } from './store.ts'

/**
 * Somebody has said that this copy is the one that goes on: all channels of the account that are held send and fetch again. What
 * a person had paused stays paused. Said twice, it is done once.
 */
export async function goOnHere(ctx: ChannelCtx, accountId: AccountId, by: By): Promise<Channel[]> {
  const held = (await listChannels(ctx.db, accountId)).filter(({ isHeld }) => isHeld)
  for (const ref of held) await ctx.db.transaction().execute((tx) => goOnIfHeld(ctx, tx, { ref, by }))
  await notifyWorkers(ctx.db, 'delivery')
  ctx.hint(accountId, 'channels')
  return showChannels(ctx, accountId)
}

async function goOnIfHeld(ctx: ChannelCtx, tx: Tx, { ref, by }: { ref: ChannelRow; by: By }): Promise<void> {
  const before = await lockChannel(tx, ref)
  if (!before?.isHeld || before.state === 'removed') return
  await goOn(ctx, tx, before)
  const { accountId, id: receiverId, name, address, kind, pausedAt, state } = before
  // What a pause of before had held back leaves, too.
  if (pausedAt === null && state !== 'attention') await setPaused(tx, { accountId, receiverId }, false)
  const details = { name, address, kind, restored: 'yes' }
  await noteAct(tx, accountId, { act: 'channel resumed', ...by, details })
}

/** What waited when the backup was taken is for people; then nothing holds the channel any more. */
export async function goOn(
  { giveToPeople, haltRestored }: Pick<ChannelCtx, 'giveToPeople' | 'haltRestored'>,
  tx: Tx,
  held: ChannelRow,
): Promise<void> {
  await haltRestored(tx, held)
  await giveToPeople(tx, held)
  await writeResumed(tx, held)
}
