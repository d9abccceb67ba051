import { typingSeconds } from '@patchbay/contract/app/live.ts'
import type { ChatRefusal } from '@patchbay/contract/chat/protocol.ts'
import type { FastifyReply } from 'fastify'
import type { OpenChannels } from '../../../journey/channels/open-channels.ts'
import type { Db } from '../../../platform/database/db.ts'
import type { AccountId, ContactId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import { type HintTopic, isContact, readSign } from '../../../platform/notify/hints.ts'
import type { Streams } from '../../live/streams.ts'
import type { Asking } from '../entry/admit.ts'
import { type Chat, chatOf } from '../entry/chat.ts'
import type { UrlOf } from '../messages/show.ts'
import type { ChatRef } from '../visitors/visitor-store.ts'
import { openBeats } from './beats.ts'
import { type ChatStream, openChatStream } from './chat-stream.ts'
import type { Listener } from './listener.ts'
import { openLooks } from './looks.ts'
import { openPanelCounts } from './panel-counts.ts'
import { openPlaces } from './places.ts'
import { openRound } from './round.ts'

type Ctx = Readonly<{
  db: Db
  looksDb: Db
  live: Pick<Streams, 'follow' | 'installation'>
  channels: OpenChannels
  urlOf: (ref: ChatRef) => UrlOf
  most: number
  log: Log
}>

export type ChatStreams = {
  /** Answers with a stream. False: there are too many in this process; the browser has to ask now and then. */
  open: (asking: Asking & { ref: ChatRef }, reply: FastifyReply, after: number) => Promise<boolean>
  end: () => Promise<void>
}

/** Of an account: who follows its hints for the windows that are open here. */
type Room = {
  accountId: AccountId
  listeners: Map<ContactId, Set<Listener>>
  lookAtAll: ReturnType<typeof openRound>
  leave: () => void
}

/**
 * Tells the windows of visitors what happens in their chats. A hint leads to a query for what came after the last number: what a
 * hint says is never believed, and what is lost on the way is found by the look for lost ones.
 */
export function openChatStreams(ctx: Ctx): ChatStreams {
  const { live, channels, most } = ctx
  const rooms = new Map<AccountId, Room>()
  const all = new Map<Listener, () => void>()
  const places = openPlaces<Listener>()
  const counts = openPanelCounts(ctx.db, ctx.log)
  const look = openLooks({ ...ctx, db: ctx.looksDb })
  const beats = openBeats(() => all.keys().map(({ stream }) => stream))
  let isEnded = false

  const lookAt = (accountId: AccountId, contactId: ContactId) =>
    look(contactId, () => rooms.get(accountId)?.listeners.get(contactId) ?? nobody)

  function hear(room: Room, changed: HintTopic[]): void {
    if (changed.includes('channels')) void lookAtChannels(channels, room)
    if (changed.includes('conversations')) room.lookAtAll(room.listeners.keys())
    else for (const contactId of changed.filter(isContact)) void lookAt(room.accountId, contactId)
    for (const topic of changed) tellTyping(room, topic)
  }

  function enter(listener: Listener, giveBack: () => void): void {
    const { accountId, contactId } = listener.ref
    const room = rooms.getOrInsertComputed(accountId, () => openRoom(live, accountId, { hear, lookAt }))
    const same = room.listeners.getOrInsertComputed(contactId, () => new Set())
    same.add(listener)
    counts.add(listener.ref, 1)
    all.set(listener, () => {
      giveBack()
      counts.add(listener.ref, -1)
      all.delete(listener)
      leaveRoom(rooms, room, listener)
    })
    beats.wake()
    void lookAt(accountId, contactId) // it is heard already what is committed from now on
  }

  return {
    open: async (asking, reply, after) => {
      const installation = await live.installation()
      if (all.size >= most || isEnded) return false
      const { chat, ref, member } = asking
      const listener = begin({ chat, ref, isMember: member !== undefined, installation, last: after })
      const giveBack = places.take(asking, listener)
      const expiring = member && setTimeout(() => listener.stream.end('identity_expired'), untilEnd(member.exp)).unref()
      listener.stream = openChatStream(reply, () => {
        clearTimeout(expiring)
        all.get(listener)?.()
      })
      enter(listener, giveBack)
      return true
    },
    end: async () => {
      isEnded = true
      beats.stop()
      for (const { stream } of all.keys()) stream.end()
      await counts.end()
    },
  }
}

/** Whoever leaves last closes the door. */
function leaveRoom(rooms: Map<AccountId, Room>, room: Room, listener: Listener): void {
  const { accountId, contactId } = listener.ref
  const same = room.listeners.get(contactId)
  same?.delete(listener)
  if (same?.size === 0) room.listeners.delete(contactId)
  if (room.listeners.size > 0 || rooms.get(accountId) !== room) return
  rooms.delete(accountId)
  room.leave()
}

type Ears = {
  hear: (room: Room, changed: HintTopic[]) => void
  lookAt: (accountId: AccountId, contactId: ContactId) => Promise<void>
}

function openRoom(live: Ctx['live'], accountId: AccountId, { hear, lookAt }: Ears): Room {
  const room: Room = {
    accountId,
    listeners: new Map(),
    lookAtAll: openRound((contactId) => lookAt(accountId, contactId)),
    leave: live.follow(accountId, (changed) => hear(room, changed)),
  }
  return room
}

const nobody: ReadonlySet<Listener> = new Set()

/** Lines that came a moment before a window came back are told again. */
const recentLinesMs = 2 * 60_000

const untilEnd = (seconds: number) => Math.max(0, seconds * 1_000 - Date.now())

/** Before its answer has begun. */
function begin(of: Pick<Listener, 'chat' | 'ref' | 'isMember' | 'installation' | 'last'>): Listener {
  const leave = () => listener.stream.end('full')
  const listener: Listener = { ...of, linesUntil: Date.now() - recentLinesMs, state: '', stream: nothing, leave }
  return listener
}

/** Until the answer has begun. */
const nothing: ChatStream = { write: () => {}, beat: () => {}, end: () => {} }

function tellTyping({ listeners }: Room, topic: HintTopic): void {
  const read = readSign(topic)
  if (read?.sign !== 'bot-writes' && read?.sign !== 'person-writes') return
  const by = read.sign === 'bot-writes' ? 'bot' : 'person'
  for (const { stream } of listeners.get(read.contactId) ?? nobody) {
    stream.write('typing', { forMs: typingSeconds * 1_000, by })
  }
}

/** Why who listens would not be let in any more. */
function noLongerFor({ isMember }: Listener, { settings: { members } }: Chat): ChatRefusal | undefined {
  if (members === 'must' && !isMember) return 'identity_wanted'
  return members === 'off' && isMember ? 'identity_refused' : undefined
}

/** A chat that was removed is over; what else its owner has changed holds from now on. */
async function lookAtChannels(channels: OpenChannels, room: Room): Promise<void> {
  const listeners = [...room.listeners.values()].flatMap((same) => [...same])
  for (const [id, same] of Map.groupBy(listeners, ({ ref }) => ref.channelId)) {
    const [first] = same
    if (!first) continue
    const ref = { accountId: first.ref.accountId, id }
    channels.forget(ref)
    const found = await channels.find(ref).catch(() => undefined)
    if (!found) continue // it could not be read; requests are refused by what holds then
    const chat = found.row.state === 'removed' ? undefined : chatOf(found, Date.now())
    for (const listener of same) {
      const why = chat ? noLongerFor(listener, chat) : 'gone'
      if (why) listener.stream.end(why)
      else if (chat) listener.chat = chat
    }
  }
}
