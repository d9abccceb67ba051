import { findByAddress } from '../../people/contacts/addresses/address-store.ts'
import { BoundedMap } from '../../platform/collections.ts'
import type { Db } from '../../platform/database/db.ts'
import { hasSqlState } from '../../platform/database/errors.ts'
import { retryConflicts } from '../../platform/database/retry.ts'
import type { Log } from '../../platform/log.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import type { CallProvider } from '../channels/call.ts'
import type {
  FileReference,
  InMessage,
  ProviderEvent,
  ProviderKind,
  Reaction,
  Receipt,
} from '../channels/kinds/kind.ts'
import type { ProviderChannel } from '../channels/open-channels.ts'
import { noteChannelEvent } from '../channels/store.ts'
import { noteEvent } from '../conversations/conversation-store.ts'
import type { ReceiveFromChannel } from '../intake/channel-messages/receive-from-channel.ts'
import type { ChannelFile, ChannelMessage } from '../intake/channel-messages/store.ts'
import { findBySid, takeBackReactions, writeEdit } from '../intake/channel-messages/store.ts'
import { countEvent, keepRaw } from './event-store.ts'
import { keepReceipts } from './parked/try-again.ts'
import { writeStop } from './stop-store.ts'

/**
 * Keeps what a provider says has happened, in the order of its times. Returns when all of it is committed: then it may be
 * confirmed. What came before is found as a copy; what cannot be read is kept as it came, and its neighbours are not concerned.
 * False: `mayGoOn`, asked before each event, has said no; nothing more is kept.
 */
export type TakeIn = (
  channel: ProviderChannel,
  events: ProviderEvent[],
  mayGoOn?: () => Promise<boolean>,
) => Promise<boolean>

type Ctx = Readonly<{ db: Db; receive: ReceiveFromChannel; call: CallProvider; hint: Hint; log: Log }>

export function openTakeIn(ctx: Ctx): TakeIn {
  const tellOfUnread = openTellOfUnread(ctx)
  return async (channel, events, mayGoOn = async () => true) => {
    const receipts = events.filter((event) => event.is === 'receipt')
    // A provider that is asked what came tells of the same again and again: that is nothing new.
    let isNew = events.some(({ is }) => is !== 'message')
    const receive: ReceiveFromChannel = async (message) => {
      const received = await ctx.receive(message)
      isNew ||= !received.isCopy
      return received
    }
    for (const event of events.toSorted(byTime)) {
      if (event.is === 'receipt') continue
      if (!(await mayGoOn())) return false
      try {
        await keep({ ...ctx, receive }, channel, event)
      } catch (error) {
        if (!isOfContent(error)) throw error
        await keepUnkept(ctx, channel, { event, error })
      }
    }
    if (receipts.length > 0) {
      if (!(await mayGoOn())) return false
      await keepAll(ctx, channel, receipts)
    }
    if (isNew) await noteChannelEvent(ctx.db, channel.row)
    if (events.some(({ is }) => is === 'left out' || is === 'not read')) tellOfUnread(channel)
    return true
  }
}

/** A group that a bot is in may write without end: who looks at the channel is told now and then. */
const toldOnceInMs = 5_000
const mostTold = 10_000

function openTellOfUnread({ hint }: Ctx): (channel: ProviderChannel) => void {
  const told = new BoundedMap<string, number>(mostTold)
  return ({ row: { accountId, id } }) => {
    const now = performance.now()
    if (now - (told.get(id) ?? Number.NEGATIVE_INFINITY) < toldOnceInMs) return
    told.set(id, now)
    hint(accountId, 'channels')
  }
}

/** Those without a time stay where they are. */
function byTime(one: ProviderEvent, other: ProviderEvent): number {
  return 'at' in one && 'at' in other ? one.at - other.at : 0
}

/** Receipts of a request are written down together. */
async function keepAll(ctx: Ctx, channel: ProviderChannel, receipts: Receipt[]): Promise<void> {
  try {
    await keepReceipts(ctx, channel.row, receipts)
  } catch (error) {
    if (!isOfContent(error)) throw error
    for (const receipt of receipts) await keepUnkept(ctx, channel, { event: receipt, error })
  }
}

/** What the database refuses for its content would be refused for ever. */
const isOfContent = (error: unknown) => hasSqlState(error, '22', '54')

async function keepUnkept(
  { db, log }: Ctx,
  { row }: ProviderChannel,
  { event, error }: { event: ProviderEvent; error: unknown },
): Promise<void> {
  log.warn({ reason: String(error), channelId: row.id }, 'an event of a provider could not be kept')
  await keepRaw(db, row, { why: 'it could not be kept', raw: event })
}

async function keep(ctx: Ctx, channel: ProviderChannel, event: ProviderEvent): Promise<void> {
  switch (event.is) {
    case 'message':
      return keepMessage(ctx, channel, event)
    case 'reaction':
      return keepReaction(ctx, channel, event)
    case 'edit':
      return keepEdit(ctx, channel, event)
    case 'blocked':
    case 'unblocked':
      return keepStop(ctx, channel, event)
    case 'receipt':
      return keepReceipts(ctx, channel.row, [event])
    case 'left out':
      return countEvent(ctx.db, channel.row, event.why)
    case 'not read':
      return keepRaw(ctx.db, channel.row, event)
  }
}

/** Unique for ever in the account, as the `messageSid` of a custom message is. */
const sidOf = ({ row }: ProviderChannel, id: string) => `${row.id}:${id}`

const onChannel = ({ row }: ProviderChannel) => ({ accountId: row.accountId, channelId: row.id })

/** Files beside the first are messages of their own, in order; nobody is told that it is kept before all of them are. */
async function keepMessage(ctx: Ctx, channel: ProviderChannel, event: InMessage): Promise<void> {
  const { id, from, body, at, mayBeAnswered, file, moreFiles = [], replyTo, data, stop, acknowledge } = event
  const message: ChannelMessage = {
    ...onChannel(channel),
    ...{ messageSid: sidOf(channel, id), addresses: from.addresses, names: from.names, kind: 'text', body, at },
    ...{ mayBeAnswered, replyTo, data, stop, file: file && readFile(channel.kind, file) },
  }
  await ctx.receive(message)
  for (const [n, more] of moreFiles.entries()) {
    const messageSid = sidOf(channel, `${id}#${n + 2}`)
    const alone = { body: '', replyTo: null, data: {}, stop: undefined }
    await ctx.receive({ ...message, ...alone, messageSid, file: readFile(channel.kind, more) })
  }
  if (acknowledge !== null) acknowledgeTap(ctx, channel, acknowledge)
}

/** A phone shows a tap as under way until it is told. Best effort: nothing depends on it. A copy that is held tells nobody anything. */
function acknowledgeTap({ call, log }: Ctx, { row, kind, credentials }: ProviderChannel, id: string): void {
  if (!kind.acknowledge || !credentials || row.isHeld) return
  const made = kind.acknowledge.request(id, credentials.now)
  call({ kind, channelId: row.id }, made).catch((error) =>
    log.debug({ reason: String(error) }, 'a tap was not acknowledged'),
  )
}

function readFile({ limits }: ProviderKind, { id, contentType, fileName, sizeBytes }: FileReference): ChannelFile {
  const isTooLarge = sizeBytes !== null && sizeBytes > limits.incomingFileBytes
  return { reference: { id }, contentType: contentType ?? 'application/octet-stream', fileName, sizeBytes, isTooLarge }
}

/** One that is taken back leaves nothing but that. */
async function keepReaction(
  ctx: Ctx,
  channel: ProviderChannel,
  { id, from, at, target, emoji }: Reaction,
): Promise<void> {
  const on = onChannel(channel)
  if (emoji !== null) {
    const message: ChannelMessage = {
      ...{ ...on, messageSid: sidOf(channel, id), addresses: from.addresses, names: from.names, kind: 'reaction' },
      ...{ body: emoji, at, mayBeAnswered: false, file: null, replyTo: target, data: {} },
    }
    await ctx.receive(message)
    return
  }
  const contactId = await findByAddress(ctx.db, on, from.addresses)
  if (contactId === undefined) return
  const ref = { accountId: on.accountId, contactId }
  const taken = await ctx.db
    .transaction()
    .execute((tx) => takeBackReactions(tx, ref, { replyTo: target, except: null, at }))
  if (taken > 0) ctx.hint(on.accountId, contactId)
}

/** An edit of a message that is not here any more changes nothing. */
async function keepEdit(
  ctx: Ctx,
  channel: ProviderChannel,
  { id, at, body }: Extract<ProviderEvent, { is: 'edit' }>,
): Promise<void> {
  const { accountId } = channel.row
  const found = await findBySid(ctx.db, accountId, sidOf(channel, id))
  if (!found) return
  await retryConflicts(async () => {
    await ctx.db.transaction().execute((tx) => writeEdit(tx, { accountId, messageId: found.messageId }, { body, at }))
    return true
  })
  ctx.hint(accountId, found.contactId)
}

async function keepStop(
  ctx: Ctx,
  channel: ProviderChannel,
  { is, at, from }: Extract<ProviderEvent, { is: 'blocked' | 'unblocked' }>,
): Promise<void> {
  const [address] = from.addresses
  if (!address) return
  const { accountId } = channel.row
  const contactId = await ctx.db.transaction().execute(async (tx) => {
    const found = await writeStop(tx, onChannel(channel), { address, isStopped: is === 'blocked', at })
    if (found) await noteEvent(tx, { accountId, contactId: found }, { kind: is, userId: null })
    return found
  })
  if (contactId) ctx.hint(accountId, contactId)
}
