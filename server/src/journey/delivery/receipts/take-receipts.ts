/*
 * What providers say later of messages of ours. A receipt never sends anything again: it may end a doubt, and what of that message was
 * still to leave goes on then.
 */

import type { Db, Tx } from '../../../platform/database/db.ts'
import { retryConflicts } from '../../../platform/database/retry.ts'
import type { ContactId } from '../../../platform/ids.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { notifyWorkers } from '../../../platform/notify/notify.ts'
import { callForAttention } from '../../channels/attention.ts'
import type { Receipt } from '../../channels/kinds/kind.ts'
import { type ChannelRef, type ChannelRow, findChannel } from '../../channels/store.ts'
import { endWaitingForDoubts } from '../doubt/doubt-store.ts'
import { noteBlocked } from '../transports/channel/note-blocked.ts'
import { gatherFacts, type PartFacts } from './facts.ts'
import {
  type ChangedPart,
  countNotRegistered,
  lockNamed,
  type MessageAfter,
  markResults,
  writeFacts,
  writeMessages,
} from './part-facts-store.ts'

type Ctx = Readonly<{ db: Db; hint: Hint }>

/** So many in a row, and the channel calls for attention. */
const notRegisteredInRow = 3

/** What receipts have changed, to be told once it is committed. `unknown`: those that name nothing of the channel. */
export type Taken = {
  unknown: Receipt[]
  contactIds: ContactId[]
  /** More may leave than before. */
  wakesDelivery: boolean
  isNotRegistered: string | null
}

/** Writes receipts of a channel down, and returns those that name nothing that it sent. */
export async function takeReceipts(ctx: Ctx, channel: ChannelRef, receipts: Receipt[]): Promise<Receipt[]> {
  const taken = await retryConflicts(() => ctx.db.transaction().execute((tx) => takeWithin(tx, channel, receipts)))
  await tellOf(ctx, channel, taken)
  return taken.unknown
}

/** Facts and what follows from them commit together. Twice the same changes nothing. */
export async function takeWithin(tx: Tx, channel: ChannelRef, receipts: Receipt[]): Promise<Taken> {
  const named = await lockNamed(tx, channel, receipts)
  const isKnown = new Set(named.map(({ i }) => i))
  const unknown = receipts.filter((_, i) => !isKnown.has(i))
  const facts = gatherFacts(receipts, named)
  const changed = facts.length === 0 ? [] : await writeFacts(tx, channel, facts)
  if (changed.length === 0) return { unknown, contactIds: [], wakesDelivery: false, isNotRegistered: null }
  const after = await writeMessages(tx, channel, messagesOf(changed, facts))
  const failed = failuresOf(changed, facts)
  await followUp(tx, channel, { after, failed })
  const isNotRegistered = await noteNotRegistered(tx, channel, { changed, failed })
  const contactIds = [...new Set(after.map(({ contactId }) => contactId))]
  const wakesDelivery = failed.length > 0 || after.some(({ leaves, isOver }) => leaves || isOver)
  return { unknown, contactIds, wakesDelivery, isNotRegistered }
}

const factsBy = (facts: PartFacts[]) => new Map(facts.map((one) => [`${one.deliveryId} ${one.n}`, one]))

function messagesOf(changed: ChangedPart[], facts: PartFacts[]) {
  const failures = failuresOf(changed, facts)
  return [...Map.groupBy(changed, ({ deliveryId }) => deliveryId)].map(([id, parts]) => {
    const failure = failures.find(({ deliveryId }) => deliveryId === id)
    const failed = failure ? wordsOf(failure) : null
    return { id, isTakenNow: parts.some(({ isTakenNow }) => isTakenNow), failed }
  })
}

type Failure = { deliveryId: string } & NonNullable<PartFacts['failed']>

function failuresOf(changed: ChangedPart[], facts: PartFacts[]): Failure[] {
  const by = factsBy(facts)
  return changed.flatMap(({ deliveryId, n, hasFailedNow }) => {
    const failed = hasFailedNow ? by.get(`${deliveryId} ${n}`)?.failed : null
    return failed ? [{ deliveryId, ...failed }] : []
  })
}

/** In the provider's own words, with its code. */
function wordsOf({ code, detail }: { code: string | null; detail: string | null }): string {
  return [code, detail].filter((one) => one !== null && one !== '').join(' ') || 'The provider does not say why.'
}

/** Contacts in the order of their ids, as whoever locks several of them. */
async function followUp(
  tx: Tx,
  { accountId, id: receiverId }: ChannelRef,
  { after, failed }: { after: MessageAfter[]; failed: Failure[] },
): Promise<void> {
  if (after.some(({ isOver, wasGivenUp }) => isOver && wasGivenUp)) await markResults(tx, accountId)
  const hasBlocked = new Set(failed.filter(({ effect }) => effect === 'blocked').map(({ deliveryId }) => deliveryId))
  const byContact = Map.groupBy(after, ({ contactId }) => contactId)
  for (const [contactId, messages] of [...byContact].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    if (messages.some(({ wasGivenUp }) => wasGivenUp)) await endWaitingForDoubts(tx, { accountId, contactId })
    if (messages.some(({ id }) => hasBlocked.has(id))) await noteBlocked(tx, { accountId, receiverId, contactId })
  }
}

/** Returns the words of the provider when it has said so often enough. */
async function noteNotRegistered(
  tx: Tx,
  channel: ChannelRef,
  { changed, failed }: { changed: ChangedPart[]; failed: Failure[] },
): Promise<string | null> {
  const refused = failed.filter(({ effect }) => effect === 'not registered')
  const isEnded = changed.some(({ hasArrivedNow }) => hasArrivedNow) || refused.length < failed.length
  const [last] = refused.slice(-1)
  if (!last && !isEnded) return null
  const count = await countNotRegistered(tx, channel, { count: refused.length, isEnded })
  return last && count >= notRegisteredInRow ? wordsOf(last) : null
}

export async function tellOf(ctx: Ctx, channel: ChannelRef, taken: Taken): Promise<void> {
  for (const contactId of taken.contactIds) ctx.hint(channel.accountId, contactId)
  if (taken.wakesDelivery) await notifyWorkers(ctx.db, 'delivery')
  if (taken.isNotRegistered === null) return
  const row: ChannelRow | undefined = await findChannel(ctx.db, channel)
  if (row) await callForAttention(ctx, row, { reason: 'not registered', quote: taken.isNotRegistered })
}
