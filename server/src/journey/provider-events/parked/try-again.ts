import type { Db } from '../../../platform/database/db.ts'
import { retryConflicts } from '../../../platform/database/retry.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import type { Receipt } from '../../channels/kinds/kind.ts'
import type { ChannelRef } from '../../channels/store.ts'
import { takeReceipts, takeWithin, tellOf } from '../../delivery/receipts/take-receipts.ts'
import { countEvent } from '../event-store.ts'
import { type Parked, parkReceipts, settleParked } from './parked-store.ts'

type Ctx = Readonly<{ db: Db; hint: Hint }>

/** Said of what was sent by another tool, and of what was erased or removed meanwhile. */
const ofOthers = 'it says what became of a message that was not sent from here'

/**
 * Writes receipts down. What names nothing of the channel by the provider's words is kept for some minutes: the answer that says which
 * message it is may be on its way to the database. By our own words everything is there before it leaves, so nothing waits for that.
 */
export async function keepReceipts(ctx: Ctx, channel: ChannelRef, receipts: Receipt[]): Promise<void> {
  const unknown = await takeReceipts(ctx, channel, receipts)
  const mayCome = unknown.filter(({ ours }) => ours === null)
  const parked = mayCome.length === 0 ? 0 : await parkReceipts(ctx.db, channel, mayCome)
  await countEvent(ctx.db, channel, ofOthers, unknown.length - parked)
}

/** Tries parked receipts again. Facts and what becomes of the parked rows commit together. */
export async function tryParked(ctx: Ctx, parked: Parked[]): Promise<void> {
  for (const rows of Map.groupBy(parked, ({ channelId }) => channelId).values()) {
    const [first] = rows
    if (first) await tryOf(ctx, { accountId: first.accountId, id: first.channelId }, rows)
  }
}

async function tryOf(ctx: Ctx, channel: ChannelRef, rows: Parked[]): Promise<void> {
  const receipts = new Map(rows.map((row) => [JSON.parse(row.body) as Receipt, row])) // only parkReceipts writes them
  const { taken, over } = await retryConflicts(() =>
    ctx.db.transaction().execute(async (tx) => {
      const taken = await takeWithin(tx, channel, [...receipts.keys()])
      const left = taken.unknown.flatMap((receipt) => receipts.get(receipt) ?? [])
      const isLeft = new Set(left)
      const over = await settleParked(tx, channel.accountId, { found: rows.filter((row) => !isLeft.has(row)), left })
      return { taken, over }
    }),
  )
  await tellOf(ctx, channel, taken)
  await countEvent(ctx.db, channel, ofOthers, over)
}
