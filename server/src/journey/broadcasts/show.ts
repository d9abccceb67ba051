import type { BroadcastRecipient, ShownBroadcast } from '@patchbay/contract/app/broadcasts.ts'
import type { Sendable } from '../../business/sessions/handlers.ts'
import { isChannelId } from '../../outbox/receivers.ts'
import { findChannels } from '../../people/contacts/channel-store.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { noBroadcast } from './control.ts'
import { type Broadcast, findBroadcast, listBroadcasts } from './record/store.ts'
import { findWay, ratePerMinuteOver, type Way } from './record/way.ts'
import { countsOf, failuresOf } from './results/outcomes.ts'
import {
  findBroadcastId,
  type NamesOfBroadcasts,
  type RecipientFilter,
  readNames,
  readRecipients,
} from './show-store.ts'

type BroadcastView = Sendable<ShownBroadcast>

const pageSize = 50

export async function showBroadcasts(
  db: Db,
  accountId: AccountId,
  { before, limit = String(pageSize) }: { before?: string; limit?: string },
): Promise<{ broadcasts: BroadcastView[]; next: string | null }> {
  if (before !== undefined && !isId('brc', before)) throw wrongCursor()
  const size = Number(limit)
  const found = await listBroadcasts(db, accountId, { before, limit: size + 1 })
  const page = found.slice(0, size)
  return { broadcasts: await show(db, accountId, page), next: found.length > size ? (page.at(-1)?.id ?? null) : null }
}

export async function showBroadcast(db: Db, accountId: AccountId, id: string): Promise<BroadcastView> {
  const found = isId('brc', id) ? await findBroadcast(db, { accountId, broadcastId: id }) : undefined
  const [shown] = found ? await show(db, accountId, [found]) : []
  if (!shown) throw noBroadcast()
  return shown
}

async function show(db: Db, accountId: AccountId, broadcasts: Broadcast[]): Promise<BroadcastView[]> {
  const labels = broadcasts.map(({ channel }) => channel)
  const perMinute = await readRates(db, accountId, broadcasts)
  const channelOf = await findChannels(db, accountId, labels)
  const names = await readNames(db, accountId, {
    lists: broadcasts.map(({ listId }) => listId),
    campaigns: broadcasts.flatMap(({ campaignId }) => campaignId ?? []),
    users: broadcasts.flatMap(({ userId }) => userId ?? []),
  })
  return broadcasts.map((broadcast) => ({
    ...shown(broadcast, names),
    channel: channelOf(broadcast.channel),
    perMinute: perMinute.get(broadcast.id) ?? broadcast.ratePerMinute,
  }))
}

/** What their rates come to over built-in channels. */
async function readRates(db: Db, accountId: AccountId, broadcasts: Broadcast[]): Promise<Map<string, number>> {
  const ids = new Set(broadcasts.map(({ channel }) => channel).filter(isChannelId))
  const ways = new Map<string, Way | undefined>()
  for (const id of ids) ways.set(id, await findWay(db, accountId, id))
  return new Map(
    broadcasts.flatMap((broadcast) => {
      const way = ways.get(broadcast.channel)
      return way ? [[broadcast.id, ratePerMinuteOver(way, broadcast)] as const] : []
    }),
  )
}

type Shown = Omit<BroadcastView, 'channel' | 'perMinute'>

function shown(broadcast: Broadcast, { lists, campaigns, users }: NamesOfBroadcasts): Shown {
  const { id, name, state, body, ratePerMinute, idFrom, createdAt, startsAt, endedAt } = broadcast
  const { listId, listName, campaignId, userId, waitingReason, waitingSince, haltedReason, haltedAt } = broadcast
  return {
    id,
    name,
    state,
    body,
    ratePerMinute,
    idFrom,
    createdAt,
    startsAt,
    endedAt,
    channelId: isChannelId(broadcast.channel) ? broadcast.channel : null,
    waiting: waitingReason && waitingSince ? { reason: waitingReason, since: waitingSince } : null,
    halted: haltedReason && haltedAt ? { reason: haltedReason, at: haltedAt } : null,
    list: { id: lists.has(listId) ? listId : null, name: listName },
    campaign: campaignId ? { id: campaignId, name: campaigns.get(campaignId) ?? campaignId } : null,
    counts: countsOf(broadcast),
    failures: failuresOf(broadcast),
    startedBy: userId ? (users.get(userId) ?? 'Somebody') : null,
  }
}

type Page = { which: RecipientFilter; before?: string; limit?: string }

/** The recipients that are still kept: they are removed with old messages, the counts stay. */
export async function showRecipients(
  db: Db,
  { accountId, broadcastId }: { accountId: AccountId; broadcastId: string },
  { which, before = '0', limit = String(pageSize) }: Page,
): Promise<{ recipients: Sendable<BroadcastRecipient>[]; next: string | null }> {
  if (!/^\d{1,9}$/.test(before)) throw wrongCursor()
  const id = isId('brc', broadcastId) ? await findBroadcastId(db, { accountId, broadcastId }) : undefined
  if (!id) throw noBroadcast()
  const size = Number(limit)
  const ref = { accountId, broadcastId: id }
  const found = await readRecipients(db, ref, { which, after: Number(before), limit: size + 1 })
  const page = found.slice(0, size)
  return { recipients: page, next: found.length > size ? String(page.at(-1)?.n ?? 0) : null }
}

const wrongCursor = () => new Refusal('INVALID_REQUEST', 'before is not the end of a page.')
