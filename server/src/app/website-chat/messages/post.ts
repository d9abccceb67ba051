import { type ChatPost, type ChatPosted, chatLimits } from '@patchbay/contract/chat/protocol.ts'
import type { ReceiveFromChannel } from '../../../journey/intake/channel-messages/receive-from-channel.ts'
import { takeVisitorsFile } from '../../../journey/media/outgoing/keep-file.ts'
import { attach } from '../../../journey/media/store.ts'
import type { AddressNames } from '../../../people/contacts/addresses/address-store.ts'
import { findByAddress } from '../../../people/contacts/addresses/address-store.ts'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { ContactId, MessageId } from '../../../platform/ids.ts'
import type { Hint } from '../../../platform/notify/hints.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { parseEmail } from '../../../platform/text/email.ts'
import type { Asking } from '../entry/admit.ts'
import { full } from '../entry/refused.ts'
import { takeContact } from '../limits/day-store.ts'
import type { Days } from '../limits/days.ts'
import type { Layers, Place } from '../limits/layers.ts'
import { noteSignIn } from '../visitors/sign-in.ts'
import { fillEmail } from '../visitors/visitor-store.ts'
import { browserAddress, readKey, sidOf } from '../who/bearer.ts'
import { readPage } from '../who/page-address.ts'
import { findPosted, wasOffered } from './chat-store.ts'
import type { Room } from './room.ts'

type Ctx = Readonly<{
  db: Db
  receive: ReceiveFromChannel
  layers: Layers
  days: Days
  room: Room
  hint: Hint
  /** Where somebody writes from. */
  notePlace: (contactId: ContactId, place: Place) => void
}>

export type Post = (asking: Asking, message: ChatPost) => Promise<ChatPosted & { isCopy: boolean }>

const hourMs = 3_600_000

/** Keeps what a visitor writes, once. */
export function openPost(ctx: Ctx): Post {
  return async (asking, message) => {
    const { chat, on, address, member } = asking
    const text = readText(message)
    const sid = sidOf(on.channelId, address, message.id)
    await ctx.room.take(asking, sid)
    let signedIn: ContactId | undefined
    const kept = await ctx.receive({
      ...{
        ...on,
        messageSid: sid,
        addresses: [address],
        names: namesOf(member?.name ?? null),
        kind: 'text',
        body: text,
      },
      ...{ at: Date.now(), mayBeAnswered: true, file: null, replyTo: null },
      data: await dataOf(ctx, asking, message),
      isFreeOnly: !member && ctx.layers.ofPlace(asking.place, 'answer', { isCounted: true }) > 0,
      also: {
        whenNew: async (tx) => {
          const most = member ? Number.MAX_SAFE_INTEGER : chat.settings.caps.contactsADay
          if (await takeContact(tx, on, Math.min(most, mostInteger))) return
          ctx.room.noteFullDay(on)
          throw full(hourMs)
        },
        whenKept: async (tx, stored) => {
          ctx.notePlace(stored.contactId, asking.place)
          signedIn = await alsoKeep(tx, asking, message, stored)
        },
      },
    })
    if (signedIn) ctx.hint(on.accountId, signedIn)
    if (!kept.isCopy) ctx.days.add(on, { messages: 1 })
    const posted = await findPosted(ctx.db, on, kept.messageId)
    return { ...(posted ?? { seq: 0, at: Date.now(), text }), isCopy: kept.isCopy }
  }
}

const mostInteger = 2_147_483_647

/** What is known of a message besides its text. A button counts only if it was shown to them. */
async function dataOf(
  { db }: Ctx,
  { chat: { settings }, known, member }: Asking,
  { choice, language, page: given }: ChatPost,
): Promise<Record<string, unknown>> {
  const isOffered = choice !== undefined && known !== undefined && (await wasOffered(db, known.ref, choice))
  const page = settings.tellsPage ? readPage(given, settings.pages) : null
  return { language, ...(page !== null && { page }), ...(isOffered && { choice }), ...(member && { signed: true }) }
}

/** As PostgreSQL can store it. */
function readText({ text, fileId }: ChatPost): string {
  if (text.length > chatLimits.textUnits) {
    throw new Refusal(
      'INVALID_REQUEST',
      `text has ${text.length} characters; a message may have ${chatLimits.textUnits}.`,
    )
  }
  if (text.trim() === '' && fileId === undefined) throw new Refusal('INVALID_REQUEST', 'text must not be empty.')
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed()
}

function namesOf(name: string | null): AddressNames {
  const [first, ...rest] = (name ?? '').trim().slice(0, mostNameUnits).toWellFormed().split(/\s+/)
  return { firstName: first || null, lastName: rest.join(' ') || null, username: null }
}

const mostNameUnits = 200

type Kept = { contactId: ContactId; messageId: MessageId }

/** What goes with a message, in its transaction. Returns whose chat of before it has ended. */
async function alsoKeep(
  tx: Tx,
  { on, member }: Asking,
  { fileId, browser }: ChatPost,
  kept: Kept,
): Promise<ContactId | undefined> {
  const ref = { ...on, contactId: kept.contactId }
  if (fileId !== undefined) {
    const file = await takeVisitorsFile(tx, ref, fileId)
    await attach(tx, { accountId: on.accountId, messageId: kept.messageId, ...file })
  }
  const email = member?.email ? parseEmail(member.email) : undefined
  if (email !== undefined) await fillEmail(tx, ref, email)
  const key = member ? readKey(browser) : undefined
  if (key === undefined) return undefined
  const before = await findByAddress(tx, on, [browserAddress(on.channelId, key)])
  if (before === undefined || before === kept.contactId) return undefined
  return (await noteSignIn(tx, on, { before, member: kept.contactId })) ? before : undefined
}
