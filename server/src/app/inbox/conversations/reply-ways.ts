import type { WaysTo } from '@patchbay/contract/app/conversations.ts'
import type { ReplyWay, ReplyWays } from '@patchbay/contract/app/messages.ts'
import type { PartOf } from '@patchbay/contract/app/routes.ts'
import { limits } from '@patchbay/contract/limits.ts'
import type { Static } from 'typebox'
import type { Sendable } from '../../../business/sessions/handlers.ts'
import type { Kind } from '../../../journey/channels/kinds/kind.ts'
import { loadKind } from '../../../journey/channels/load-kind.ts'
import { conversationOf } from '../../../journey/conversations/take-over.ts'
import { findByAddress } from '../../../people/contacts/addresses/address-store.ts'
import { findByAnyPhone } from '../../../people/contacts/addresses/phone-address-store.ts'
import { findChannels, type ShownChannel } from '../../../people/contacts/channel-store.ts'
import { readPhone } from '../../../people/contacts/create.ts'
import { noContact } from '../../../people/contacts/find.ts'
import { findShownContact } from '../../../people/contacts/shown-store.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ChannelId, ContactId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { type ReplyWayRow, readReplyWays } from './reply-way-store.ts'

type ShownWays = Sendable<Static<typeof ReplyWays>>

/**
 * By which ways somebody can be written to who may not have a conversation yet: a contact, or whoever has this number, in any variant. A
 * number that is nobody's is reached by the channels that may write first to people.
 */
export async function showWaysTo(
  db: Db,
  accountId: AccountId,
  { contactId: given, phone: text }: PartOf<'GET /api/ways', 'query'>,
): Promise<Sendable<WaysTo>> {
  if ((given === undefined) === (text === undefined)) {
    throw new Refusal('INVALID_REQUEST', 'Give one of contactId and phone.')
  }
  const phone = text === undefined ? null : readPhone(text)
  const contactId =
    phone === null ? conversationOf(accountId, given ?? '').contactId : await findByAnyPhone(db, accountId, phone)
  if (contactId === undefined) {
    const { ways } = await showReplyWays(db, { accountId, contactId: null, phone })
    return { contact: null, usual: null, ways: ways.filter(({ whyNot }) => whyNot !== 'no_address') }
  }
  const contact = await findShownContact(db, accountId, contactId)
  if (!contact) throw noContact()
  const ways = await showReplyWays(db, { accountId, contactId })
  return { contact: { id: contactId, name: contact.name, phone: contact.phone }, ...ways }
}

type Ref = { accountId: AccountId; contactId: ContactId | null; phone?: string | null }

/** Those that can be used come first. */
export async function showReplyWays(db: Db, ref: Ref): Promise<ShownWays> {
  const ways = await readReplyWays(db, ref)
  const labels = ways.map(({ label }) => label)
  const channelOf = await findChannels(db, ref.accountId, labels)
  const shown = await Promise.all(ways.map((way) => showWay(db, ref, { way, channel: channelOf(way.label) })))
  const usual = ways.find(({ isUsual }) => isUsual)
  return { usual: usual?.channelId ?? null, ways: shown.sort((one, other) => rankOf(one) - rankOf(other)) }
}

type Found = { way: ReplyWayRow; channel: ShownChannel }

async function showWay(db: Db, ref: Ref, { way: row, channel }: Found): Promise<Sendable<ReplyWay>> {
  const { channelId, address, whyNot, waits, hasFailed } = row
  const way = { channelId, address, whyNot, waits, hasFailed, channel, takenBy: null, stopped: stoppedOf(row) }
  if (channel.kind === null) return { ...way, fileBytes: null, countsSegments: false, visitor: null }
  const kind = await loadKind(channel.kind)
  const shown = { ...way, fileBytes: fileBytesOf(kind), countsSegments: kind.countsSegments === true }
  if (kind.leaves === 'by a request') {
    const isFirst = whyNot === 'no_address' && kind.writesFirstTo === 'phone numbers'
    return { ...shown, visitor: null, ...(isFirst && (await firstBy(db, ref, row))) }
  }
  return {
    ...shown,
    // What leaves when it is stored never waits: a channel that is paused takes nothing.
    whyNot: whyNot ?? (waits === 'paused' ? 'channel_paused' : null),
    waits: null,
    visitor: address === null ? null : visitorOf(row),
  }
}

/** What there is to be said of a channel by which a contact was never written to, and may be, by their number. */
async function firstBy(
  db: Db,
  { accountId, phone: given }: Ref,
  { channelId, phone: own }: ReplyWayRow,
): Promise<Pick<ReplyWay, 'whyNot' | 'address' | 'takenBy'>> {
  const phone = given ?? own
  if (phone === null) return { whyNot: 'no_number', address: null, takenBy: null }
  const on = { accountId, channelId: channelId as ChannelId } // it has a kind
  const holder = await findByAddress(db, on, [{ kind: 'phone', address: phone }])
  if (holder === undefined) return { whyNot: null, address: phone, takenBy: null }
  const { name = null } = (await findShownContact(db, accountId, holder)) ?? {}
  return { whyNot: 'number_taken', address: null, takenBy: { contactId: holder, name } }
}

/** Of a number it is a word that ends what comes, of anything else they have blocked the channel. */
function stoppedOf({ whyNot, stoppedAt, stopSource, addressKind }: ReplyWayRow): Sendable<ReplyWay>['stopped'] {
  if (whyNot !== 'stopped' || stoppedAt === null) return null
  if (addressKind !== 'phone') return { at: stoppedAt, by: 'block' }
  return { at: stoppedAt, by: stopSource === 'provider' ? 'provider' : 'word' }
}

function visitorOf({ seenAt, leftEmail, leftEmailAt, closedAt }: ReplyWayRow): Sendable<ReplyWay>['visitor'] {
  const left = leftEmail === null || leftEmailAt === null ? null : { address: leftEmail, at: leftEmailAt }
  return { seenAt, leftEmail: left, closedAt }
}

/** Of what a kind takes, and we keep. */
function fileBytesOf({ limits: { fileBytes } }: Kind): { picture: number; other: number } {
  return { picture: Math.min(fileBytes.image, limits.mediaBytes), other: Math.min(fileBytes.other, limits.mediaBytes) }
}

function rankOf({ whyNot }: { whyNot: unknown }): number {
  return whyNot === null ? 0 : 1
}
