import { asText } from '../common/fields.ts'
import type { FileReference, HookRequest, InMessage, ProviderEvent, Receipt } from '../kind.ts'
import { detailOf, effectOf } from './codes.ts'
import type { SmsSettings } from './credentials.ts'

/** What Twilio posted, by its names. */
type Posted = (name: string) => string

/** One message, or what became of one of ours. What is not understood is kept as it came. */
export function readHook(
  { body, about, query, headers, receivedAt }: HookRequest,
  settings: SmsSettings,
): ProviderEvent[] {
  const text = body.toString('utf8')
  if (String(headers['content-type']).startsWith('application/json')) return [notRead('it is JSON and no form', text)]
  const form = new URLSearchParams(text)
  const posted: Posted = (name) => asText(form.get(name)) ?? ''
  const raw = Object.fromEntries([...form].map(([name, value]) => [asText(name), asText(value)]))
  if (posted('AccountSid') !== settings.accountSid) return [notRead('it is of another account', raw)]
  if (about === 'status')
    return [readReceipt(posted, query, receivedAt) ?? notRead('a receipt of an unknown form', raw)]
  if (about !== '') return [notRead('it was posted to an address that nobody gave', raw)]
  return readMessage({ posted, raw, receivedAt, settings })
}

function notRead(why: string, raw: unknown): ProviderEvent {
  return { is: 'not read', why, raw }
}

const sidFormat = /^(SM|MM)[\da-f]{32}$/i
const mediaFormat = /\/Media\/(ME[\da-f]{32})(?=$|[.?])/i
const numberFormat = /^\+[1-9]\d{5,14}$/

type Incoming = { posted: Posted; raw: unknown; receivedAt: number; settings: SmsSettings }

function readMessage({ posted, raw, receivedAt, settings }: Incoming): ProviderEvent[] {
  const [sid, from, to] = [posted('MessageSid') || posted('SmsMessageSid'), posted('From'), posted('To')]
  if (!sidFormat.test(sid)) return [notRead('a message without an id', raw)]
  const sender = settings.serviceSid === null ? to : posted('MessagingServiceSid') || settings.sender
  if (sender !== settings.sender) return [notRead('it was written to another sender', raw)]
  if (!numberFormat.test(from)) return [notRead('whom it is from is no phone number', raw)]
  const count = Math.min(Number(posted('NumMedia')) || 0, mostFiles)
  const files = Array.from({ length: count }, (_one, n) =>
    readFile(sid, posted(`MediaUrl${n}`), posted(`MediaContentType${n}`)),
  )
  const known = files.filter((file) => file !== undefined)
  const message = messageOf({
    sid,
    from,
    at: receivedAt,
    body: posted('Body'),
    files: known,
    optOut: posted('OptOutType'),
  })
  return [message, ...(known.length < count ? [notRead('a file without an id', raw)] : [])]
}

/** As many as a message can have, and some more. */
const mostFiles = 20

/** The address that Twilio gives is not kept: it is made anew of the ids, so that it can lead nowhere else. */
function readFile(sid: string, url: string, contentType: string): FileReference | undefined {
  const id = mediaFormat.exec(url)?.[1]
  return id === undefined ? undefined : fileOf(sid, id, contentType)
}

export function fileOf(sid: string, mediaSid: string, contentType: string): FileReference {
  return { id: `${sid}/${mediaSid}`, contentType: contentType || null, fileName: null, sizeBytes: null }
}

type Parts = { sid: string; from: string; at: number; body: string; files: FileReference[]; optOut: string }

/** `optOut`: as Twilio itself has understood it, which wins over the words. */
export function messageOf({ sid, from, at, body, files, optOut }: Parts): InMessage {
  const [file = null, ...moreFiles] = files
  const word = optOut === '' ? understood(body) : (optOutTypes[optOut.toUpperCase()] ?? understood(body))
  const isForTwilio = word === 'help' || word === 'stop' || word === 'start'
  return {
    ...{ is: 'message', id: sid, at, body, file, replyTo: null, data: {}, acknowledge: null },
    from: { addresses: [{ kind: 'phone', address: from }], names: { firstName: null, lastName: null, username: null } },
    mayBeAnswered: !isForTwilio && (body !== '' || file !== null),
    ...(word !== undefined && word !== 'help' && { stop: word }),
    ...(moreFiles.length > 0 && { moreFiles }),
  }
}

type Word = NonNullable<InMessage['stop']> | 'help'

const optOutTypes: Readonly<Record<string, Word>> = { STOP: 'stop', START: 'start', HELP: 'help' }

/** A message that is one of these alone is answered by Twilio. */
const words: Readonly<Record<Word, readonly string[]>> = {
  stop: ['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'],
  start: ['START', 'UNSTOP'],
  'start if stopped': ['YES'],
  help: ['HELP', 'INFO'],
}

function understood(body: string): Word | undefined {
  const said = body.trim().toUpperCase()
  return (Object.keys(words) as Word[]).find((word) => words[word].includes(said)) // its own keys
}

const says: Readonly<Record<string, Receipt['says']>> = {
  // It has the message: that is all that sending it means.
  ...{ accepted: 'sent', scheduled: 'sent', queued: 'sent', sending: 'sent', sent: 'sent' },
  ...{ delivered: 'delivered', read: 'read', undelivered: 'failed', failed: 'failed', canceled: 'failed' },
}

function readReceipt(posted: Posted, query: URLSearchParams, at: number): Receipt | undefined {
  const [providerId, status] = [
    posted('MessageSid') || posted('SmsSid'),
    posted('MessageStatus') || posted('SmsStatus'),
  ]
  const said = says[status.toLowerCase()]
  if (!sidFormat.test(providerId) || said === undefined) return undefined
  const about = { is: 'receipt', at, providerId, ours: oursOf(query), says: said } as const
  if (said !== 'failed') return { ...about, code: null, detail: null, effect: null }
  const code = /^\d{1,6}$/.test(posted('ErrorCode')) ? Number(posted('ErrorCode')) : 0
  return {
    ...about,
    code: code === 0 ? status : String(code),
    detail: detailOf(code, status),
    effect: effectOf(code) ?? null,
  }
}

/** As `request` gave it. It is signed with the address. */
function oursOf(query: URLSearchParams): Receipt['ours'] {
  const [messageId, n] = [query.get('m') ?? '', query.get('p') ?? '']
  return /^[\w-]{1,64}$/.test(messageId) && /^[1-9]\d{0,2}$/.test(n) ? { messageId, n: Number(n) } : null
}
