import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ErrorCode } from '@patchbay/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import { type FairShare, openFairShare } from '../../platform/database/fair-share.ts'
import { type AccountId, isId, type MessageId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { commonName, isPicture, isText } from './content-type.ts'
import { type ByteRange, chunksOf, findAttachment, findMedia, readChunk } from './store.ts'

type Ctx = Readonly<{ db: Db; share: FairShare }>

/** Each holds up to two chunks of 256 KiB in memory for as long as its reader takes. */
const downloadsAtOnce = 64

/** Serves the files of messages: they come from strangers, so nothing in them may run in our origin. */
export function mediaHandlers({ db, share }: Ctx): Pick<Handlers, 'GET /api/media/:messageId'> {
  const download = openFairShare({ slots: downloadsAtOnce, mostWaiting: 1_000, longestWaitMs: 10_000 })
  return {
    'GET /api/media/:messageId': async ({ session: { accountId }, params: { messageId }, http, reply }) => {
      const file = await share(accountId, () => findFile(db, accountId, messageId))
      const { status, headers, bytes, error } = answerOf(file, http)
      if (!bytes) return reply.code(status).headers(headers).send(error)
      return download(accountId, async () => {
        reply
          .code(status)
          .headers(headers)
          .send(Readable.from(readBytes({ db, share }, file, bytes)))
        await finished(reply.raw).catch(() => {}) // a reader who went away
        return reply
      })
    },
  }
}

type File = { accountId: AccountId; messageId: MessageId; mediaId: string; contentType: string; sizeBytes: number }

async function findFile(db: Db, accountId: AccountId, messageId: string): Promise<File> {
  const attached = isId('msg', messageId) ? await findAttachment(db, accountId, messageId) : undefined
  const media = attached?.mediaId ? await findMedia(db, accountId, attached.mediaId) : undefined
  if (!isId('msg', messageId) || !attached?.mediaId || !media) {
    throw new Refusal('NOT_FOUND', `There is no stored file of a message ${messageId} in this account.`)
  }
  const { mediaId, contentType } = attached
  return { accountId, messageId, mediaId, contentType, sizeBytes: media.sizeBytes }
}

/** Without `bytes` the answer has no body, or only that of an error. */
type FileAnswer = {
  status: number
  headers: Record<string, string | number>
  bytes?: ByteRange
  error?: { error: { code: ErrorCode; message: string } }
}

function answerOf(file: File, { method, headers: asked }: FastifyRequest): FileAnswer {
  const { sizeBytes } = file
  const tag = `"${file.mediaId}"` // a hash of the content
  const headers = { ...protection, ...description(file), etag: tag }
  if (isKnown(asked['if-none-match'], tag)) return { status: 304, headers }
  const asksForPart = method === 'GET' && (asked['if-range'] ?? tag) === tag
  const range = asksForPart ? readRange(asked.range, sizeBytes) : undefined
  if (range === 'unsatisfiable') {
    const error = { code: 'INVALID_REQUEST' as const, message: `The file has ${sizeBytes} bytes.` }
    return { status: 416, headers: { 'content-range': `bytes */${sizeBytes}` }, error: { error } }
  }
  const bytes = range ?? { from: 0, to: sizeBytes - 1 }
  const length = { 'content-length': bytes.to - bytes.from + 1 }
  if (method === 'HEAD') return { status: 200, headers: { ...headers, ...length } }
  if (!range) return { status: 200, headers: { ...headers, ...length }, bytes }
  const part = { 'content-range': `bytes ${range.from}-${range.to}/${sizeBytes}` }
  return { status: 206, headers: { ...headers, ...length, ...part }, bytes }
}

/** Whoever signs in after another must not get that user's files from the browser's cache: hence `vary`. */
const protection = {
  'cache-control': 'private, max-age=31536000, immutable',
  vary: 'cookie',
  'accept-ranges': 'bytes',
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
}

/** Only pictures are shown in the page. Everything else is a download without a type that a browser would open. */
function description({ messageId, contentType }: File): Record<string, string> {
  const isShown = isPicture(contentType)
  return {
    'content-type': isShown ? commonName(contentType) : 'application/octet-stream',
    'content-disposition': `${isShown ? 'inline' : 'attachment'}; filename="${fileName(messageId, contentType)}"`,
  }
}

function isKnown(header: string | undefined, tag: string): boolean {
  return (header ?? '').split(',').some((one) => ['*', tag, `W/${tag}`].includes(one.trim()))
}

/** Reads chunk by chunk, as the reader takes them: a slow one holds neither the file in memory nor a connection. */
async function* readBytes(
  { db, share }: Ctx,
  { accountId, mediaId }: File,
  range: ByteRange,
): AsyncGenerator<Buffer, void> {
  for (const { n, from, to } of chunksOf(range)) {
    const bytes = await share(accountId, () => readChunk(db, accountId, { mediaId, n }))
    yield bytes.subarray(from, to + 1)
  }
}

/**
 * The one range of bytes that a request asks for. Undefined: the whole file, which is also the answer to several ranges
 * and to a header that means nothing.
 */
function readRange(header: string | undefined, sizeBytes: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { from: sizeBytes - length, to: sizeBytes - 1 }
  }
  const [from, to] = [Number(first), last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)]
  if (last !== '' && from > Number(last)) return undefined
  return from >= sizeBytes ? 'unsatisfiable' : { from, to }
}

/** Endings of types that open in a program of their own and run nothing by themselves. */
const endings: Record<string, string> = {
  'application/pdf': 'pdf',
  'application/rtf': 'rtf',
  'application/zip': 'zip',
  'application/json': 'json',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/heic': 'heic',
  'image/bmp': 'bmp',
  'image/tiff': 'tif',
  'text/csv': 'csv',
  'text/calendar': 'ics',
  'text/vcard': 'vcf',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
}

/**
 * The name that a download gets; the sender's own is not stored. A page, a script or a program gets an ending with which
 * no double click opens it as one: `txt` for text, else `bin`.
 */
function fileName(messageId: MessageId, contentType: string): string {
  const name = commonName(contentType)
  return `${messageId}.${endings[name] ?? (isText(name) ? 'txt' : 'bin')}`
}
