import { hash } from 'node:crypto'
import { asFields, asId, asList, asNumber, asText, type Fields, timeOf } from '../common/fields.ts'
import type { FileReference, InMessage, MessageData, ProviderEvent, Sender } from '../kind.ts'

/** What we ask Telegram for; reactions come only when they are named. */
export const allowedUpdates = ['message', 'edited_message', 'callback_query', 'my_chat_member', 'message_reaction']

/** Reads one update. What it does not know is kept as it came. */
export function readUpdate(update: unknown, receivedAt: number): ProviderEvent {
  const given = asFields(update)
  const read = Object.entries(readers).find(([name]) => asFields(given?.[name]))
  if (!given || !read) return { is: 'not read', why: 'an update of an unknown kind', raw: update }
  const [name, reader] = read
  const about = asFields(given[name]) ?? {}
  const chat = asFields(about.chat) ?? asFields(asFields(about.message)?.chat)
  if (chat && chat.type !== 'private') return { is: 'left out', why: 'what is written in groups and channels' }
  return reader(about, receivedAt) ?? { is: 'not read', why: `${name} without what it should have`, raw: update }
}

type Reader = (about: Fields, receivedAt: number) => ProviderEvent | undefined

const readers: Record<string, Reader> = {
  message: readMessage,
  edited_message: readEdit,
  callback_query: readTap,
  my_chat_member: readMembership,
  message_reaction: readReaction,
}

function readMessage(message: Fields, receivedAt: number): InMessage | undefined {
  const [chat, id, from] = [chatOf(message), asId(message.message_id), senderOf(message)]
  if (!chat || id === undefined || !from) return undefined
  const content = readContent(message)
  if (!content) return undefined
  const replyTo = asId(asFields(message.reply_to_message)?.message_id)
  return {
    is: 'message',
    id: `${chat}/${id}`,
    at: timeOf(message.date, receivedAt),
    from,
    ...content,
    mayBeAnswered: content.body !== '' || content.file !== null,
    replyTo: replyTo === undefined ? null : `${chat}/${replyTo}`,
    acknowledge: null,
  }
}

type MessageContent = Pick<InMessage, 'body' | 'file' | 'data'>

function readContent(message: Fields): MessageContent | undefined {
  const text = asText(message.text)
  if (text !== undefined) return { file: null, ...readCommand(text) }
  const file = readFile(message)
  if (file) {
    return { body: asText(message.caption) ?? '', file, data: message.sticker ? { described: 'sticker' } : {} }
  }
  return readDescribed(message)
}

/** `/start` and what a link brought with it: `https://t.me/bot?start=spring`. */
function readCommand(text: string): Pick<MessageContent, 'body' | 'data'> {
  const [, start = ''] = /^\/start(?: ([\w-]{1,64}))?$/.exec(text) ?? [undefined]
  if (!/^\/start( |$)/.test(text)) return { body: text, data: {} }
  return { body: '/start', data: { opens: true, ...(start !== '' && { start }) } }
}

/** The fields that hold a file, and what it is where Telegram does not say. */
const fileTypes: Record<string, string | null> = {
  voice: 'audio/ogg',
  audio: 'audio/mpeg',
  video: 'video/mp4',
  video_note: 'video/mp4',
  animation: 'video/mp4',
  document: null,
}

function readFile(message: Fields): FileReference | undefined {
  const largest = asList(message.photo).at(-1)
  if (largest !== undefined) return fileOf(asFields(largest), 'image/jpeg')
  const sticker = asFields(message.sticker)
  // An animated one is in a format that nothing shows.
  if (sticker)
    return sticker.is_animated === true ? undefined : fileOf(sticker, isMoving(sticker) ? 'video/webm' : 'image/webp')
  for (const [name, type] of Object.entries(fileTypes)) {
    const found = asFields(message[name])
    if (found) return fileOf(found, type)
  }
  return undefined
}

const isMoving = (sticker: Fields) => sticker.is_video === true

function fileOf(file: Fields | undefined, otherwise: string | null): FileReference | undefined {
  const id = asText(file?.file_id)
  if (id === undefined) return undefined
  return {
    id,
    contentType: asText(file?.mime_type) ?? otherwise,
    fileName: asText(file?.file_name) ?? null,
    sizeBytes: asNumber(file?.file_size) ?? null,
  }
}

/** What has neither text nor file is said in a line of words. */
function readDescribed(message: Fields): MessageContent | undefined {
  const sticker = asFields(message.sticker)
  if (sticker) return described('sticker', asText(sticker.emoji) ?? 'A sticker')
  const venue = asFields(message.venue)
  const place = asFields(venue?.location) ?? asFields(message.location)
  if (place) return readPlace(place, venue)
  const card = asFields(message.contact)
  if (card) {
    const name = [asText(card.first_name), asText(card.last_name)].filter(Boolean).join(' ')
    return described('contact', ['Contact:', name, asText(card.phone_number)].filter(Boolean).join(' '))
  }
  const poll = asFields(message.poll)
  if (poll) return described('poll', `Poll: ${asText(poll.question) ?? ''}`)
  const dice = asFields(message.dice)
  if (dice) return described('dice', `${asText(dice.emoji) ?? ''} ${asNumber(dice.value) ?? ''}`.trim())
  return undefined
}

function described(what: NonNullable<MessageData['described']>, body: string): MessageContent {
  return { body, file: null, data: { described: what } }
}

function readPlace(place: Fields, venue: Fields | undefined): MessageContent | undefined {
  const [latitude, longitude] = [asNumber(place.latitude), asNumber(place.longitude)]
  if (latitude === undefined || longitude === undefined) return undefined
  const name = [asText(venue?.title), asText(venue?.address)].filter(Boolean).join(', ') || null
  const body = `Location: ${name === null ? '' : `${name}, `}${latitude}, ${longitude}`
  return { body, file: null, data: { described: 'location', place: { latitude, longitude, name } } }
}

function readEdit(message: Fields, receivedAt: number): ProviderEvent | undefined {
  const [chat, id] = [chatOf(message), asId(message.message_id)]
  const body = asText(message.text) ?? asText(message.caption)
  if (!chat || id === undefined) return undefined
  // Of a live location each step is an edit.
  if (body === undefined) return { is: 'left out', why: 'changes of what has no text' }
  return { is: 'edit', id: `${chat}/${id}`, at: timeOf(message.edit_date, receivedAt), body }
}

/** A tap on a button below one of our messages. Telegram does not say when, so it is now. */
function readTap(tap: Fields, receivedAt: number): InMessage | undefined {
  const [id, choice, message] = [asText(tap.id), asText(tap.data), asFields(tap.message)]
  const [chat, answered] = [message && chatOf(message), asId(message?.message_id)]
  const names = namesOf(asFields(tap.from))
  if (id === undefined || choice === undefined || !chat) return undefined
  return {
    is: 'message',
    id: `cb/${id}`,
    at: receivedAt,
    from: { addresses: [{ kind: 'chat', address: chat }], names },
    body: titleOf(message, choice) ?? choice,
    mayBeAnswered: true,
    file: null,
    replyTo: answered === undefined ? null : `${chat}/${answered}`,
    data: { choice },
    acknowledge: id,
  }
}

function titleOf(message: Fields | undefined, choice: string): string | undefined {
  const rows = asList(asFields(message?.reply_markup)?.inline_keyboard)
  const buttons = rows.flatMap(asList).map(asFields)
  return asText(buttons.find((button) => button?.callback_data === choice)?.text)
}

function readMembership(change: Fields, receivedAt: number): ProviderEvent | undefined {
  const [from, status] = [senderOf(change), asText(asFields(change.new_chat_member)?.status)]
  if (!from || (status !== 'kicked' && status !== 'member')) return undefined
  return { is: status === 'kicked' ? 'blocked' : 'unblocked', at: timeOf(change.date, receivedAt), from }
}

function readReaction(change: Fields, receivedAt: number): ProviderEvent | undefined {
  const [chat, id] = [chatOf(change), asId(change.message_id)]
  const person = asFields(change.user)
  if (!chat || id === undefined || !person) return undefined
  const emojis = asList(change.new_reaction).map((one) => asText(asFields(one)?.emoji) ?? '\u{1f5bc}')
  const at = timeOf(change.date, receivedAt)
  return {
    is: 'reaction',
    // It has no id of its own. What they chose is not in it: the id stays when they take it back.
    id: `re/${chat}/${id}/${at}/${hash('sha256', emojis.join('')).slice(0, 12)}`,
    at,
    from: { addresses: [{ kind: 'chat', address: chat }], names: namesOf(person) },
    target: `${chat}/${id}`,
    emoji: emojis.length === 0 ? null : emojis.join(''),
  }
}

function chatOf(about: Fields): string | undefined {
  return asId(asFields(about.chat)?.id)
}

function senderOf(about: Fields): Sender | undefined {
  const chat = chatOf(about)
  if (chat === undefined) return undefined
  return { addresses: [{ kind: 'chat', address: chat }], names: namesOf(asFields(about.from) ?? asFields(about.chat)) }
}

function namesOf(person: Fields | undefined): Sender['names'] {
  return {
    firstName: asText(person?.first_name) ?? null,
    lastName: asText(person?.last_name) ?? null,
    username: asText(person?.username) ?? null,
  }
}
