import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { sendAllWithin } from '../../messages/send.ts'
import { bodyFor } from '../record/body-for.ts'
import { type Broadcast, giveId } from '../record/store.ts'
import { answersDays } from '../results/answers-store.ts'
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

type BatchRequest = {
  broadcast: Broadcast
  most: number
  /** The receiver of all others can take nothing at the moment. */
  onlySimulated: boolean
  /** The tokens of reserved leases, for what can be delivered at once. */
  tokens: string[]
}

type BatchResult = {
  /** To whom a message was made. */
  recipients: ContactId[]
  /** Deliveries that this process has from the start. */
  leased: LeasedEvent[]
  leftOut: OmittedRecipient[]
  /** The next one's receiver can take nothing. */
  isHeldUp: boolean
}

/** `toId`: the id that they have, or get with their message. */
type Addressee = { place: QueuedRecipient; recipient: Recipient & { toId: string } }

/**
 * Writes to the next recipients over a custom channel, at most so many. Each contact is locked and checked again: who opted
 * out or was erased since the start gets none. Who has no id gets it here, together with the message.
 */
export async function writeToRecipients(secretKey: Buffer, tx: Tx, asked: BatchRequest): Promise<BatchResult> {
  const { broadcast, most, onlySimulated, tokens } = asked
  const { accountId, id: broadcastId } = broadcast
  const queued = await readNextRecipients(tx, { accountId, broadcastId }, Math.max(1, most))
  if (queued.length === 0) return { recipients: [], leased: [], leftOut: [], isHeldUp: false }
  const ids = queued.map(({ contactId }) => contactId)
  const locked = await lockRecipients(tx, accountId, { ids, order: 'externalId' })
  const recipients = new Map(locked.map((recipient) => [recipient.id, recipient]))
  const leftOut: OmittedRecipient[] = []
  const wanted: Addressee[] = []
  let isHeldUp = false
  for (const place of queued) {
    const found = recipients.get(place.contactId)
    const { recipient, reason } = await checkRecipient(tx, secretKey, { broadcast, found })
    if (!recipient) leftOut.push({ n: place.n, reason })
    else if (onlySimulated && !recipient.isSimulated) isHeldUp = true
    else if (wanted.length < most) wanted.push({ place, recipient })
    if (isHeldUp) break // those after it wait behind it
  }
  const { made, taken } = await giveIds(tx, broadcast, wanted)
  leftOut.push(...taken)
  if (leftOut.length > 0) await markLeftOut(tx, { accountId, broadcastId }, leftOut)
  const leased = made.length > 0 ? await make(tx, broadcast, { made, tokens }) : []
  return { recipients: made.map(({ recipient }) => recipient.id), leased, leftOut, isHeldUp }
}

type RecipientCheck =
  | { recipient: Addressee['recipient']; reason?: never }
  | { recipient?: never; reason: OmittedRecipient['reason'] }

async function checkRecipient(
  tx: Tx,
  secretKey: Buffer,
  { broadcast, found }: { broadcast: Broadcast; found: Recipient | undefined },
): Promise<RecipientCheck> {
  if (!found) return { reason: 'erased' }
  const { accountId, idFrom } = broadcast
  const toId = found.externalId ?? (idFrom === null || found.isSimulated ? null : found[idFrom])
  if (await hasOptedOut(tx, secretKey, { accountId, recipient: found, externalId: toId })) {
    return { reason: 'opted_out' }
  }
  if (toId !== null) return { recipient: { ...found, toId } }
  return { reason: idFrom === null || found.isSimulated ? 'no_id' : 'no_address' }
}

/**
 * Writes the ids, in their order, as whoever makes contacts by them does; of two who would get the same, the older gets it.
 * Who cannot have it is left out.
 */
async function giveIds(
  tx: Tx,
  { accountId }: Broadcast,
  wanted: Addressee[],
): Promise<{ made: Addressee[]; taken: OmittedRecipient[] }> {
  const isTaken = new Set<ContactId>()
  const without = wanted.filter(({ recipient }) => recipient.externalId === null)
  for (const { recipient } of without.toSorted(byId)) {
    if (!(await giveId(tx, { accountId, contactId: recipient.id }, recipient.toId))) isTaken.add(recipient.id)
  }
  const made = wanted.filter(({ recipient }) => !isTaken.has(recipient.id))
  const taken = wanted.filter(({ recipient }) => isTaken.has(recipient.id))
  return { made, taken: taken.map(({ place: { n } }) => ({ n, reason: 'id_taken' })) }
}

function byId({ recipient: one }: Addressee, { recipient: other }: Addressee): number {
  if (one.toId !== other.toId) return one.toId < other.toId ? -1 : 1
  return one.id < other.id ? -1 : 1 // ids sort by age
}

type AddresseeBatch = { made: Addressee[]; tokens: string[] }

async function make(tx: Tx, broadcast: Broadcast, { made, tokens }: AddresseeBatch): Promise<LeasedEvent[]> {
  const { accountId, id: broadcastId, body, channel, campaignId, userId } = broadcast
  const messages = made.map(({ recipient }) => ({
    accountId,
    broadcastId,
    author: 'api' as const,
    channel,
    toId: recipient.toId,
    body: bodyFor(body, recipient.firstName),
    campaignId: campaignId ?? undefined,
    userId: userId ?? undefined,
  }))
  const sent = await sendAllWithin(tx, messages, tokens)
  const marked = made.map(({ place }, at) => ({ n: place.n, messageId: sent[at]?.messageId }))
  await markMade(tx, { accountId, broadcastId }, marked)
  const contactIds = made.map(({ recipient }) => recipient.id)
  await closeNew(tx, accountId, contactIds)
  await watchAnswers(tx, accountId, answersDays)
  return sent.flatMap(({ leased }) => leased ?? [])
}
