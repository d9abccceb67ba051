import { isChannelId } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId } from '../../../platform/ids.ts'
import type { ProviderKind } from '../../channels/kinds/kind.ts'
import { loadKind } from '../../channels/load-kind.ts'
import { type ChannelRow, findChannel } from '../../channels/store.ts'
import { bodyFor } from './body-for.ts'

/** The built-in channel that a broadcast goes over. */
export type Way = { row: ChannelRow; kind: ProviderKind }

/** Undefined: it goes over a custom channel, or over one that has no provider. */
export async function findWay(db: Db, accountId: AccountId, channel: string): Promise<Way | undefined> {
  const row = isChannelId(channel) ? await findChannel(db, { accountId, id: channel }) : undefined
  return row && readWay(row)
}

/** Undefined: the channel has no provider. */
async function readWay(row: ChannelRow): Promise<Way | undefined> {
  const kind = await loadKind(row.kind)
  return kind.leaves === 'by a request' ? { row, kind } : undefined
}

/** Of what a channel takes, so much at most is for broadcasts: replies come first. */
const share = 0.8

/** How many places of the channel a broadcast gets in a minute: messages, or segments of SMS. */
export function placesPerMinute({ row, kind }: Way): number {
  return (row.perSecond ?? kind.pace(row.settings).perSecond) * 60 * share
}

/** What the rate of a broadcast comes to over the channel: of its shortest messages, which have no name in them. */
export function ratePerMinuteOver(way: Way, { body, ratePerMinute }: { body: string; ratePerMinute: number }): number {
  return Math.min(ratePerMinute, placesPerMinute(way) / placesOf(way, bodyFor(body, null)))
}

/** How many places a text takes. Throws Refusal for one that the channel would refuse. */
export function placesOf({ kind }: Way, text: string): number {
  const parts = kind.split({ text, choices: [], file: null, replyTo: null })
  return parts.reduce((sum, part) => sum + kind.cost(part), 0)
}
