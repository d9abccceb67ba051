import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ErrorCode } from '@patchbay/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Db } from '../../platform/database/db.ts'
import { type FairShare, openFairShare } from '../../platform/database/fair-share.ts'
import { type AccountId, isId, type MessageId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { readRange } from './byte-range.ts'
import { commonName } from './content-type.ts'
import { fileName } from './file-name.ts'
import { isPicture } from './picture.ts'
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
