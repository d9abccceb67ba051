import { chargeMessages, type MessageCost } from '../../../business/credits/spend.ts'
import { attachPhone } from '../../../people/contacts/addresses/phone-address-store.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { type Replied, sendOverChannel, whyNot } from '../../messages/reply.ts'
import { bodyFor } from '../record/body-for.ts'
import type { Broadcast } from '../record/store.ts'
import { placesOf, placesPerMinute, ratePerMinuteOver, type Way } from '../record/way.ts'
import { answersDays } from '../results/answers-store.ts'
import { type KnownThere, readKnownThere } from './channel-recipient-store.ts'
import { hasOptedOut } from './has-opted-out.ts'
import {
  closeNew,
  lockRecipients,
  markLeftOut,
  markMade,
  type OmittedRecipient,
  type QueuedRecipient,
  type Recipient,
  readNextRecipients,
  watchAnswers,
} from './recipient-store.ts'

type ChannelBatch = { broadcast: Broadcast; way: Way; unitsPerMessage: string; most: number }

export type BatchOverChannel = {
  /** To whom a message was made. */
  recipients: ContactId[]
  /** Of how many messages of the shortest kind they take the time. */
  turns: number
  leftOut: OmittedRecipient[]
  /** None may be made now, and somebody waits for one. */
  hasMore: boolean
}

/** With the address by which they are known there, or get by their phone number. */
type Addressee = { place: QueuedRecipient; recipient: Recipient; address: NonNullable<KnownThere['address']> }

/**
 * Writes to the next recipients over a built-in channel, so many or fewer. Each contact is locked, in the order of their ids, and looked
 * at again: who opted out, stopped the channel or was erased since the start gets none.
 */
export async function writeOverChannel(
  secretKey: Buffer,
  tx: Tx,
  { broadcast, way, unitsPerMessage, most }: ChannelBatch,
): Promise<BatchOverChannel> {
  const { accountId, id: broadcastId } = broadcast
  const queued = await readNextRecipients(tx, { accountId, broadcastId }, Math.max(1, most))
  if (queued.length === 0 || most === 0) return { recipients: [], turns: 0, leftOut: [], hasMore: queued.length > 0 }
  const ids = queued.map(({ contactId }) => contactId)
  const locked = await lockRecipients(tx, accountId, { ids, order: 'id' })
  const found = new Map(locked.map((recipient) => [recipient.id, recipient]))
  const known = await readKnownThere(tx, { accountId, channelId: way.row.id }, ids)
  const leftOut: OmittedRecipient[] = []
  const wanted: Addressee[] = []
  for (const place of queued) {
    const recipient = found.get(place.contactId)
    const checked = recipient
      ? await check(tx, secretKey, { way, recipient, known: known.get(recipient.id) })
      : { reason: 'erased' as const }
    if ('reason' in checked) leftOut.push({ n: place.n, reason: checked.reason })
    else if (recipient) wanted.push({ place, recipient, address: checked.address })
  }
  if (leftOut.length > 0) await markLeftOut(tx, { accountId, broadcastId }, leftOut)
  const turns = wanted.length > 0 ? await make(tx, { broadcast, way, unitsPerMessage }, wanted) : 0
  return { recipients: wanted.map(({ recipient }) => recipient.id), turns, leftOut, hasMore: false }
}

type Checked = { address: NonNullable<KnownThere['address']> } | { reason: OmittedRecipient['reason'] }

async function check(
  tx: Tx,
  secretKey: Buffer,
  { way: { row, kind }, recipient, known }: { way: Way; recipient: Recipient; known: KnownThere | undefined },
): Promise<Checked> {
  const { accountId } = row
  if (await hasOptedOut(tx, secretKey, { accountId, recipient, externalId: recipient.externalId })) {
    return { reason: 'opted_out' }
  }
  const { address = null, stopScope = null } = known ?? {}
  const reason = whyNot({ kind: row.kind, isRemoved: false, isPaused: false, stopScope, address })
  if (reason === undefined && address) return { address }
  if (reason !== 'no_address') return { reason: 'blocked' }
  if (kind.writesFirstTo !== 'phone numbers' || recipient.isSimulated) return { reason: 'no_id' }
  const attached = await attachPhone(tx, { accountId, contactId: recipient.id, channelId: row.id })
  if (attached === 'no phone') return { reason: 'no_id' }
  return 'takenBy' in attached ? { reason: 'id_taken' } : { address: attached }
}

/** Who has no conversation yet gets one. The conversations are locked in the order in which the contacts were. */
async function make(
  tx: Tx,
  { broadcast, way, unitsPerMessage }: Omit<ChannelBatch, 'most'>,
  made: Addressee[],
): Promise<number> {
  const { accountId, id: broadcastId, body, campaignId, userId, ratePerMinute } = broadcast
  const perMinute = ratePerMinuteOver(way, { body, ratePerMinute })
  const marked: { n: number; messageId: Replied['messageId'] }[] = []
  const costs: MessageCost[] = []
  let turns = 0
  for (const { place, recipient, address } of made.toSorted(byId)) {
    const text = bodyFor(body, recipient.firstName)
    const message = {
      ...{ accountId, broadcastId, contactId: recipient.id, author: 'api' as const, body: text },
      ...{ campaignId: campaignId ?? undefined, userId: userId ?? undefined },
    }
    const { id: channelId, kind, name } = way.row
    const { messageId, cost } = await sendOverChannel(tx, message, { channelId, kind, name, unitsPerMessage, address })
    marked.push({ n: place.n, messageId })
    if (cost) costs.push(cost)
    turns += Math.max(1, (placesOf(way, text) / placesPerMinute(way)) * perMinute)
  }
  await markMade(tx, { accountId, broadcastId }, marked)
  await closeNew(
    tx,
    accountId,
    made.map(({ recipient }) => recipient.id),
  )
  await watchAnswers(tx, accountId, answersDays)
  await chargeMessages(tx, accountId, costs) // the balance is the last of the locks
  return turns
}

const byId = ({ recipient: one }: Addressee, { recipient: other }: Addressee) => (one.id < other.id ? -1 : 1)
