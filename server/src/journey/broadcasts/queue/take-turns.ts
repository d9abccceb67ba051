import type { LeasedEvent } from '../../../outbox/enqueue-events.ts'
import { recognizeOptOut } from '../../../people/contacts/opt-out.ts'
import type { Tx } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { findPendingOptOut } from '../../conversations/consent.ts'
import { sendAllWithin } from '../../messages/send.ts'
import { bodyFor } from '../record/body.ts'
import { giveId } from '../record/id-store.ts'
import type { Broadcast } from '../record/store.ts'
import { answersDays } from '../results/answers-store.ts'
import {
  closeNew,
  type LeftOut,
  lockReaders,
  markLeftOut,
  markMade,
  type Reader,
  readNextTurns,
  type Turn,
  watchAnswers,
} from './turn-store.ts'

type Asked = {
  broadcast: Broadcast
  most: number
  /** The receiver of all others can take nothing at the moment. */
  onlySimulated: boolean
  /** Of reserved leases, for what can be delivered at once. */
  tokens: string[]
}

type Taken = {
  /** To whom a message was made. */
  readers: ContactId[]
  /** Deliveries that this process has from the start. */
  leased: LeasedEvent[]
  leftOut: LeftOut[]
  /** It is somebody's turn whose receiver can take nothing. */
  isHeldUp: boolean
}

/** `toId`: the id that they have, or get with their message. */
type Made = { turn: Turn; reader: Reader & { toId: string } }

/**
 * Makes the messages of those whose turn it is, at most so many. Each contact is locked and looked at again: who opted
 * out or was erased since the start gets none. Who has no id gets it here, together with the message.
 */
export async function takeTurns(secretKey: Buffer, tx: Tx, asked: Asked): Promise<Taken> {
  const { broadcast, most, onlySimulated, tokens } = asked
  const { accountId, id: broadcastId } = broadcast
  const turns = await readNextTurns(tx, { accountId, broadcastId }, Math.max(1, most))
  if (turns.length === 0) return { readers: [], leased: [], leftOut: [], isHeldUp: false }
  const locked = await lockReaders(
    tx,
    accountId,
    turns.map(({ contactId }) => contactId),
  )
  const readers = new Map(locked.map((reader) => [reader.id, reader]))
  const leftOut: LeftOut[] = []
  const wanted: Made[] = []
  let isHeldUp = false
  for (const turn of turns) {
    const { reader, reason } = await look(tx, secretKey, { turn, broadcast, found: readers.get(turn.contactId) })
    if (!reader) leftOut.push({ n: turn.n, reason })
    else if (onlySimulated && !reader.isSimulated) isHeldUp = true
    else if (wanted.length < most) wanted.push({ turn, reader })
    if (isHeldUp) break // those after it wait behind it
  }
  const { made, taken } = await giveIds(tx, broadcast, wanted)
  leftOut.push(...taken)
  if (leftOut.length > 0) await markLeftOut(tx, { accountId, broadcastId }, leftOut)
  const leased = made.length > 0 ? await make(tx, broadcast, { made, tokens }) : []
  return { readers: made.map(({ reader }) => reader.id), leased, leftOut, isHeldUp }
}

type Looked = { reader: Made['reader']; reason?: never } | { reader?: never; reason: LeftOut['reason'] }

async function look(
  tx: Tx,
  secretKey: Buffer,
  { turn, broadcast, found }: { turn: Turn; broadcast: Broadcast; found: Reader | undefined },
): Promise<Looked> {
  if (!found) return { reason: 'erased' }
  if (found.optedOutAt !== null) return { reason: 'opted_out' }
  const ref = { accountId: broadcast.accountId, contactId: turn.contactId }
  const { idFrom } = broadcast
  const toId = found.externalId ?? (idFrom === null || found.isSimulated ? null : found[idFrom])
  if (await recognizeOptOut(tx, secretKey, { ...ref, externalId: toId })) return { reason: 'opted_out' }
  if (await findPendingOptOut(tx, ref)) return { reason: 'opted_out' } // they wrote it, and the bot has not read it yet
  if (toId !== null) return { reader: { ...found, toId } }
  return { reason: idFrom === null || found.isSimulated ? 'no_id' : 'no_address' }
}

/**
 * Writes the ids, in their order, as whoever makes contacts by them does; of two who would get the same, the older gets it.
 * Who cannot have it is left out.
 */
async function giveIds(tx: Tx, { accountId }: Broadcast, wanted: Made[]): Promise<{ made: Made[]; taken: LeftOut[] }> {
  const isTaken = new Set<ContactId>()
  const without = wanted.filter(({ reader }) => reader.externalId === null)
  for (const { reader } of without.toSorted(byId)) {
    if (!(await giveId(tx, { accountId, contactId: reader.id }, reader.toId))) isTaken.add(reader.id)
  }
  const made = wanted.filter(({ reader }) => !isTaken.has(reader.id))
  const taken = wanted.filter(({ reader }) => isTaken.has(reader.id))
  return { made, taken: taken.map(({ turn: { n } }) => ({ n, reason: 'id_taken' })) }
}

function byId({ reader: one }: Made, { reader: other }: Made): number {
  if (one.toId !== other.toId) return one.toId < other.toId ? -1 : 1
  return one.id < other.id ? -1 : 1 // ids sort by age
}

type Making = { made: Made[]; tokens: string[] }

async function make(tx: Tx, broadcast: Broadcast, { made, tokens }: Making): Promise<LeasedEvent[]> {
  const { accountId, id: broadcastId, body, channel, campaignId, userId } = broadcast
  const sent = await sendAllWithin(
    tx,
    made.map(({ reader }) => ({
      ...{ accountId, broadcastId, author: 'api' as const, channel },
      toId: reader.toId,
      body: bodyFor(body, reader.firstName),
      campaignId: campaignId ?? undefined,
      userId: userId ?? undefined,
    })),
    tokens,
  )
  const marked = made.map(({ turn }, at) => ({ n: turn.n, messageId: sent[at]?.messageId }))
  await markMade(tx, { accountId, broadcastId }, marked)
  await closeNew(
    tx,
    accountId,
    made.map(({ reader }) => reader.id),
  )
  await watchAnswers(tx, accountId, answersDays)
  return sent.flatMap(({ leased }) => leased ?? [])
}
