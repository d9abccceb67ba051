import { hasProvider } from '@patchbay/contract/channels.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { findCampaignOf } from '../../answers/campaigns/store.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import { findKindNamed } from '../../people/contacts/channel-store.ts'
import { noList } from '../../people/lists/add-contact.ts'
import { findListName } from '../../people/lists/store.ts'
import type { Tx } from '../../platform/database/db.ts'
import { type AccountId, type BroadcastId, type CampaignId, isId, newId, type UserId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { checkLabel } from '../messages/body.ts'
import { checkBroadcastBody } from './record/body.ts'
import { type Broadcast, countUnderWay, type IdFrom, insertBroadcast } from './record/store.ts'

export type GivenBroadcast = {
  listId: string
  channel: string
  body: string
  name?: string | undefined
  campaignId?: string | undefined
  ratePerMinute?: number | undefined
  idFrom?: string | undefined
}

const defaultRate = 600

/**
 * Starts a broadcast: from the commit on a worker copies the list and sends. `userId`: who started it in the app. The
 * caller wakes the workers after the commit.
 */
export async function startBroadcast(
  tx: Tx,
  { accountId, userId, by }: { accountId: AccountId; userId: UserId | null; by: By },
  given: GivenBroadcast,
): Promise<BroadcastId> {
  const { listId, listName, campaignId, channel, body, idFrom } = await readBroadcast(tx, accountId, given)
  const { atOnce } = limits.broadcast
  if ((await countUnderWay(tx, accountId)) >= atOnce) {
    throw new Refusal('INVALID_REQUEST', `At most ${atOnce} broadcasts can be under way at once; stop one, or wait.`)
  }
  const id = newId('brc')
  const name = given.name?.trim() || listName
  const { ratePerMinute = defaultRate } = given
  const row = { accountId, id, name, listId, listName, channel, campaignId, body, ratePerMinute, userId, idFrom }
  await insertBroadcast(tx, row)
  await noteAct(tx, accountId, { act: 'broadcast started', ...by, details: { broadcastId: id, name, list: listName } })
  return id
}

type ReadBroadcast = Pick<Broadcast, 'listId' | 'listName' | 'campaignId' | 'channel' | 'body' | 'idFrom'>

/** Checks all that is given. Another account's list or campaign gets the same answer as one that does not exist. */
export async function readBroadcast(tx: Tx, accountId: AccountId, given: GivenBroadcast): Promise<ReadBroadcast> {
  const { listId, channel, body } = given
  checkBroadcastBody(body)
  await refuseChat(tx, accountId, channel.trim())
  checkLabel(channel, 'The channel')
  const idFrom = readIdFrom(given.idFrom)
  const listName = isId('lst', listId) ? await findListName(tx, { accountId, listId }) : undefined
  if (!isId('lst', listId) || listName === undefined) throw noList()
  const campaignId = await readCampaign(tx, accountId, given.campaignId)
  return { listId, listName, campaignId, channel: channel.trim(), body, idFrom }
}

/** Over a channel of our own people read what is there when they come. */
async function refuseChat(tx: Tx, accountId: AccountId, channel: string): Promise<void> {
  const kind = await findKindNamed(tx, accountId, channel)
  if (kind === undefined || hasProvider(kind)) return
  throw new Refusal(
    'INVALID_REQUEST',
    'The channel is a website chat, and nothing is broadcast over it: who is not on the page cannot be reached.',
  )
}

function readIdFrom(text: string | undefined): IdFrom | null {
  if (text === undefined || text === 'phone' || text === 'email') return text ?? null
  throw new Refusal('INVALID_REQUEST', 'idFrom must be "phone" or "email".')
}

async function readCampaign(tx: Tx, accountId: AccountId, id: string | undefined): Promise<CampaignId | null> {
  if (id === undefined) return null
  const found = isId('cmp', id) ? await findCampaignOf(tx, accountId, id) : undefined
  if (!found) throw new Refusal('INVALID_REQUEST', 'campaignId names no campaign of this account.')
  return found.id
}
