import { hasProvider } from '@patchbay/contract/channels.ts'
import { findCampaignOf } from '../../answers/campaigns/store.ts'
import { findKindNamed } from '../../people/contacts/channel-store.ts'
import { noList } from '../../people/lists/add-contact.ts'
import { findListName } from '../../people/lists/store.ts'
import type { Tx } from '../../platform/database/db.ts'
import { type AccountId, type CampaignId, isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findChannel } from '../channels/store.ts'
import { checkLabel } from '../messages/body.ts'
import { checkBroadcastBody } from './record/body.ts'
import type { Broadcast, IdFrom } from './record/store.ts'
import { findWay, type Way } from './record/way.ts'
import { readStartsAt } from './starts-at.ts'

/** Messages in a minute, where nobody says. */
export const defaultRate = 600

export type GivenBroadcast = {
  listId: string
  /** What the caller names a custom channel by. */
  label: { field: 'channel' | 'customChannel'; text: string | undefined }
  /** Of a built-in one. */
  channelId?: string | undefined
  body: string
  name?: string | undefined
  campaignId?: string | undefined
  ratePerMinute?: number | undefined
  idFrom?: string | undefined
  startsAt?: string | undefined
}

/** `way`: the built-in channel that it goes over. */
export type ReadBroadcast = Pick<
  Broadcast,
  'listId' | 'listName' | 'campaignId' | 'channel' | 'body' | 'idFrom' | 'startsAt'
> & { way: Way | undefined }

/** Checks all that is given. Another account's list, campaign or channel gets the same answer as one that does not exist. */
export async function readBroadcast(tx: Tx, accountId: AccountId, given: GivenBroadcast): Promise<ReadBroadcast> {
  const { listId, body } = given
  const { channel, way } = await readChannel(tx, accountId, given)
  checkBroadcastBody(body, way)
  const idFrom = readIdFrom(given.idFrom, way)
  const startsAt = given.startsAt === undefined ? null : readStartsAt(given.startsAt)
  const listName = isId('lst', listId) ? await findListName(tx, { accountId, listId }) : undefined
  if (!isId('lst', listId) || listName === undefined) throw noList()
  const campaignId = await readCampaign(tx, accountId, given.campaignId)
  return { listId, listName, campaignId, channel, body, idFrom, startsAt, way }
}

async function readChannel(
  tx: Tx,
  accountId: AccountId,
  { label: { field, text }, channelId }: GivenBroadcast,
): Promise<{ channel: string; way: Way | undefined }> {
  const label = text?.trim() || undefined
  if (label !== undefined && channelId === undefined) {
    await refuseChat(tx, accountId, label)
    checkLabel(label, field)
    return { channel: label, way: undefined }
  }
  if (label !== undefined || channelId === undefined) {
    throw new Refusal(
      'INVALID_REQUEST',
      `Give either ${field}, the name of a custom channel, or channelId, the ID of a built-in one.`,
    )
  }
  const channel = isId('chn', channelId) ? await findChannel(tx, { accountId, id: channelId }) : undefined
  if (!channel) throw new Refusal('INVALID_REQUEST', 'channelId names no built-in channel of this account.')
  if (!hasProvider(channel.kind)) throw noBroadcastsOverChats()
  if (channel.state === 'removed') {
    throw new Refusal('INVALID_REQUEST', 'channelId names a channel that was disconnected; connect it again first.')
  }
  return { channel: channel.id, way: await findWay(tx, accountId, channel.id) }
}

async function refuseChat(tx: Tx, accountId: AccountId, channel: string): Promise<void> {
  const kind = await findKindNamed(tx, accountId, channel)
  if (kind !== undefined && !hasProvider(kind)) throw noBroadcastsOverChats()
}

/** Over a channel of our own people read what is there when they come. */
function noBroadcastsOverChats(): Refusal {
  return new Refusal(
    'INVALID_REQUEST',
    'The channel is a website chat, and nothing is broadcast over it: who is not on the page cannot be reached.',
  )
}

function readIdFrom(text: string | undefined, way: Way | undefined): IdFrom | null {
  if (text === undefined) return null
  if (way) {
    throw new Refusal(
      'INVALID_REQUEST',
      'idFrom belongs to custom channels; leave it out beside channelId: people are reached by their address there.',
    )
  }
  if (text === 'phone' || text === 'email') return text
  throw new Refusal('INVALID_REQUEST', 'idFrom must be "phone" or "email".')
}

async function readCampaign(tx: Tx, accountId: AccountId, id: string | undefined): Promise<CampaignId | null> {
  if (id === undefined) return null
  const found = isId('cmp', id) ? await findCampaignOf(tx, accountId, id) : undefined
  if (!found) throw new Refusal('INVALID_REQUEST', 'campaignId names no campaign of this account.')
  return found.id
}
