import type { ChatEmail, ChatForgotten, ChatMarks, ChatUploaded } from '@patchbay/contract/chat/protocol.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenChannel, OpenChannels } from '../../journey/channels/open-channels.ts'
import { noteChannelEvent } from '../../journey/channels/store.ts'
import { markReceipts } from '../../journey/delivery/receipts/mark-receipts.ts'
import type { ReceiveFromChannel } from '../../journey/intake/channel-messages/receive-from-channel.ts'
import { makeFileToken } from '../../journey/media/outgoing/file-token.ts'
import { BoundedMap } from '../../platform/collections.ts'
import type { AddressRanges } from '../../platform/config/ip-ranges.ts'
import type { Db } from '../../platform/database/db.ts'
import type { ContactId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Streams } from '../live/streams.ts'
import { type Admit, type Asking, type Met, openAdmit } from './entry/admit.ts'
import { ended, Refused, tooMuch } from './entry/refused.ts'
import { openSightings } from './entry/sightings.ts'
import { openServeScript, type ServeScript } from './files/serve-script.ts'
import { openDays } from './limits/days.ts'
import { type Layers, openLayers, type Place } from './limits/layers.ts'
import { openRefusals } from './limits/refusals.ts'
import { openWarnings } from './limits/warnings.ts'
import type { StoredMessage } from './messages/chat-store.ts'
import { type History, readHistory } from './messages/history.ts'
import { forget, keepEmail } from './messages/leave.ts'
import { openPost, type Post } from './messages/post.ts'
import { openRoom } from './messages/room.ts'
import { openServeFile, type ServeFile } from './messages/serve-file.ts'
import { admitFile, keepFile } from './messages/upload.ts'
import { openChatStreams } from './streams/chat-streams.ts'
import { type FindVisitor, openFindVisitor } from './visitors/find-visitor.ts'
import { openNoteSeen } from './visitors/note-seen.ts'
import { noteSignIn } from './visitors/sign-in.ts'
import type { ChatRef } from './visitors/visitor-store.ts'
import { browserAddress } from './who/bearer.ts'

export type WebsiteChatCtx = Readonly<{
  db: Db
  /** For what all windows ask for: planning it takes six times as long as doing it. */
  looksDb: Db
  secretKey: Buffer
  /** By its id alone; undefined: there is none, or it was removed. */
  find: (id: string) => Promise<OpenChannel | undefined>
  channels: OpenChannels
  receive: ReceiveFromChannel
  live: Pick<Streams, 'follow' | 'installation' | 'hearSigns'>
  hint: Hint
  proxies: AddressRanges
  mostStreams: number
  /** Folders of builds of the app, the newest first. */
  findBuilds: () => Promise<readonly string[]>
  log: Log
}>

/** What the visitors of all website chats can ask of this process. */
export type WebsiteChat = {
  admit: Admit
  post: Post
  read: (asking: Asking, part: { after: number | undefined; before: number | undefined }) => Promise<History>
  /** False: there is no room for another stream. */
  stream: (asking: Asking, reply: FastifyReply, after: number) => Promise<boolean>
  admitFile: (asking: Asking, bytes: number) => Promise<void>
  keepFile: (asking: Asking, file: { bytes: Buffer; fileName: string }) => Promise<ChatUploaded>
  serveFile: ServeFile
  serveScript: ServeScript
  mark: (asking: Asking, marks: ChatMarks) => Promise<void>
  tellTyping: (asking: Asking) => void
  keepEmail: (asking: Asking, given: ChatEmail) => Promise<void>
  forget: (asking: Asking) => Promise<ChatForgotten>
  noteRefusal: (request: FastifyRequest, error: unknown) => void
  /** Ends all streams, at shutdown. */
  end: () => Promise<void>
}

const mostPlaces = 50_000

/** What answers share. */
function openParts({ db, looksDb, secretKey, channels, live, mostStreams: most, log }: WebsiteChatCtx) {
  const layers = openLayers()
  const days = openDays(db, log)
  const places = new BoundedMap<ContactId, Place>(mostPlaces)
  const stopHearing = live.hearSigns(({ sign, contactId }) => {
    const place = sign === 'bar-network' ? places.get(contactId) : undefined
    if (place) layers.block(place)
  })
  const urlOf = (ref: ChatRef) => (message: StoredMessage) =>
    `/files/${makeFileToken(secretKey, { reader: 'chat', channelId: ref.channelId, messageId: message.id }, Date.now())}`
  return {
    ...{ layers, days, places, urlOf, stopHearing, room: openRoom({ layers, days }) },
    refusals: openRefusals(days, log),
    sightings: openSightings(db, log),
    findVisitor: openFindVisitor(db),
    noteThere: openNoteThere(db, log, places),
    streams: openChatStreams({ db, looksDb, live, channels, urlOf, most, log }),
    met: new WeakMap<FastifyRequest, Met>(),
  }
}

export function openWebsiteChat(ctx: WebsiteChatCtx): WebsiteChat {
  const { db, secretKey, find, live, hint } = ctx
  const parts = openParts(ctx)
  const { layers, days, room, refusals, sightings, findVisitor, noteThere, streams, met, urlOf } = parts
  const noteMet = (request: FastifyRequest, from: Met) => void met.set(request, from)
  const notePlace = (contactId: ContactId, place: Place) => void parts.places.set(contactId, place)
  const post = openPost({ ...ctx, layers, days, room, notePlace })
  const files = { db, layers, days }
  const accountOf = async (id: string) => (await find(id))?.row.accountId
  return {
    admit: openAdmit({ ...ctx, ...parts, warnings: openWarnings(sightings.warn), refuseNew: room.refuseNew, noteMet }),
    post: async (asking, message) => {
      const posted = await post(asking, message)
      if (!posted.isCopy) await noteChannelEvent(db, asking.chat.row)
      return posted
    },
    read: async (asking, part) => {
      const ref = asking.key === undefined ? noteThere(asking) : await chatBefore({ db, hint, findVisitor }, asking)
      if (ref) return readHistory({ db, installation: live.installation, urlOf }, { chat: asking.chat, ref }, part)
      if (asking.member && asking.key === undefined) return { page: undefined, pollAfter: 60 }
      throw ended()
    },
    stream: async (asking, reply, after) =>
      streams.open({ ...asking, ref: noteThere(asking) ?? noChat() }, reply, after),
    admitFile: (asking, bytes) => admitFile(files, asking, bytes),
    keepFile: (asking, file) => keepFile(files, asking, file),
    serveFile: openServeFile({ ...ctx, accountOf, layers }),
    serveScript: openServeScript({ ...ctx, sightings }),
    mark: async (asking, marks) => markReceipts({ db, hint }, noteThere(asking) ?? noChat(), marks),
    tellTyping: ({ on, name, known }) => {
      if (!known?.hasPerson || layers.ofVisitor(name, 'typing', { isCounted: true }) > 0) return
      hint(on.accountId, `visitor-writes:${known.contactId}`)
    },
    keepEmail: async (asking, { email }) => keepEmail({ db, secretKey, hint }, takeOne(layers, asking, 'email'), email),
    forget: async (asking) => forget({ db, secretKey, hint }, asking.chat, takeOne(layers, asking, 'forget')),
    noteRefusal: (request, error) => {
      const from = met.get(request)
      if (!from || !(error instanceof Refusal)) return
      const why = error instanceof Refused ? error.reason : error.code
      refusals.note(from.on, why, from.network)
      if (why === 'full') sightings.full(from.on)
    },
    end: async () => {
      await streams.end()
      parts.stopHearing()
      refusals.stop()
      await days.flush()
    },
  }
}

function noChat(): never {
  throw ended()
}

/** Of what leaves something behind each time. */
function takeOne(layers: Layers, { known, name }: Asking, action: 'email' | 'forget'): ChatRef {
  const { ref } = known ?? noChat()
  const waitMs = layers.ofVisitor(name, action, { isCounted: true })
  if (waitMs > 0) throw tooMuch(waitMs)
  return ref
}

/** Notes that somebody looks at their chat, and from where, and returns it. */
function openNoteThere(db: Db, log: Log, places: Map<ContactId, Place>): (asking: Asking) => ChatRef | undefined {
  const noteSeen = openNoteSeen(db, log)
  return ({ name, known, place }) => {
    if (!known) return undefined
    places.set(known.contactId, place)
    noteSeen(name, known.ref)
    return known.ref
  }
}

type BeforeCtx = Readonly<{ db: Db; hint: Hint; findVisitor: FindVisitor }>

/** The chat that a member's browser had before they signed in: it is shown to the first one who did, and to nobody after. */
async function chatBefore(
  { db, hint, findVisitor }: BeforeCtx,
  { on, key = '', known }: Asking,
): Promise<ChatRef | undefined> {
  const find = () => findVisitor(on, browserAddress(on.channelId, key))
  const found = await find()
  if (!found || found.isClosed) return undefined
  const { contactId, signedInAs } = found
  const ref = { ...on, contactId }
  if (signedInAs !== null) return signedInAs === known?.contactId ? ref : undefined
  if (!known) return ref // who has not written yet is nobody to whom it could belong
  const member = known.contactId
  if (member === contactId) return undefined
  if (await db.transaction().execute((tx) => noteSignIn(tx, on, { before: contactId, member }))) {
    for (const changed of [contactId, member]) hint(on.accountId, changed)
    return ref
  }
  return (await find())?.signedInAs === member ? ref : undefined // at the same moment
}
