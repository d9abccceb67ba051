import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { type ErrorCode, statusOf } from '@patchbay/contract/errors.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDiskFull, isPoolFull, isTransientConnectionError } from '../database/errors.ts'
import { checkHead, newRequestId } from '../https-server/request-head.ts'
import { connectionOf } from '../https-server/requests-in-flight.ts'
import type { Log, RequestLine } from '../log.ts'
import { busy, Refusal } from '../refusal.ts'
import { wantsFlatErrors } from './known-paths.ts'

/** Logs and counts an answer. */
export type NoteAnswer = (line: RequestLine) => void

type Exchange = { request: FastifyRequest; reply: FastifyReply }

/** The one place that turns an error into an HTTP answer. */
export function answerError(log: Log, thrown: unknown, { request, reply }: Exchange): FastifyReply {
  const error = isPoolFull(thrown) ? busy() : thrown
  const { code, message } = toCodeAndMessage(error)
  ;(request as RefusedRequest)[refusalOfRequest] = { code, message }
  if (code === 'INTERNAL') logInternal(log, error, request.id)
  const quote = error instanceof Refusal ? error.quote : undefined
  const body = wantsFlatErrors(request) ? { error: message } : { error: { code, message, ...(quote && { quote }) } }
  const retryAfter = error instanceof Refusal ? error.retryAfterSeconds : retrySecondsOf(error)
  if (retryAfter) reply.header('retry-after', retryAfter)
  if (hasLargeUnreadBody(request) || checkHead(request.raw)) reply.header('connection', 'close')
  else reply.removeHeader('connection') // Fastify sets it for every body that it could not parse
  return reply.code(statusOf[code]).header('x-request-id', request.id).send(body)
}

/** A refusal is our own word, such as that of a server that is stopping: its stack tells nothing. */
function logInternal(log: Log, error: unknown, reqId: string): void {
  if (error instanceof Refusal) {
    const cause = error.cause instanceof Error ? error.cause.message : undefined
    log.warn({ reqId, reason: error.message, cause }, 'not ready')
  } else if (isDiskFull(error)) {
    log.error({ reqId, reason: error instanceof Error ? error.message : '' }, 'the disk of the database is full')
  } else log.error({ reqId, err: error }, 'unexpected error')
}

/** A database that is gone is back after a restart or a failover; the request has waited for it already. */
function retrySecondsOf(error: unknown): number | undefined {
  if (isDiskFull(error)) return 30
  return isTransientConnectionError(error) ? 5 : undefined
}

const refusalOfRequest = Symbol('refusal')
type RefusedRequest = FastifyRequest & { [refusalOfRequest]?: { code: ErrorCode; message: string } }

/** What a request was answered with, if it was refused. */
export function refusalOf(request: FastifyRequest): { code: ErrorCode; message: string } | undefined {
  return (request as RefusedRequest)[refusalOfRequest]
}

/** A small body is read to its end, so that the connection can serve the next request; for a large one it is closed. */
function hasLargeUnreadBody({ raw, headers }: FastifyRequest): boolean {
  if (raw.complete) return false
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > mostDrainedBytes
}

const mostDrainedBytes = 64 * 1024

function toCodeAndMessage(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof Refusal) return error
  if (!(error instanceof Error)) return internal
  if ('validation' in error) return { code: 'INVALID_REQUEST', message: error.message }
  const code = 'code' in error ? error.code : undefined
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { code: 'PAYLOAD_TOO_LARGE', message: 'The body is larger than this endpoint allows.' }
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { code: 'INVALID_REQUEST', message: 'Send the body with Content-Type: application/json.' }
    case 'FST_ERR_BAD_URL':
      return { code: 'INVALID_REQUEST', message: 'The path is not a valid address.' }
    default:
      if (isClientError(error)) return { code: 'INVALID_REQUEST', message: 'The request is not valid.' }
      if (isDiskFull(error)) return full
      return isTransientConnectionError(error) ? unreachable : internal
  }
}

const internal = { code: 'INTERNAL', message: 'Something went wrong on our side.' } as const

const unreachable = {
  code: 'INTERNAL',
  message: 'The database cannot be reached at the moment; try again in a few seconds.',
} as const

const full = { code: 'INTERNAL', message: 'The database has no room left at the moment; try again later.' } as const

function isClientError(error: Error): boolean {
  return 'statusCode' in error && typeof error.statusCode === 'number' && error.statusCode < 500
}

/**
 * Answers what Node's HTTP parser refuses, and requests that exceeded a timeout of ours. If a request has begun, this is
 * its answer; if not, it follows the answers to the requests before. Any other error, as in a TLS handshake, cannot be
 * answered, and the connection is closed.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, note?: NoteAnswer): void {
  const connection = connectionOf(socket)
  if (socket.writableEnded || connection?.isBroken) return // Node reports an error for every further malformed piece
  const code = error.code ?? ''
  if (!/^(HPE_|ERR_HTTP_)/.test(code) || !socket.writable) {
    socket.destroy()
    return
  }
  if (connection) connection.isBroken = true
  const status = parserStatus[code] ?? 400
  const { request, response } = connection ?? {}
  if (request && response && !request.complete) answerIncomplete(status, response, connection?.fastifyRequest)
  else if (!response || response.closed || response.writableFinished) answerOnSocket(status, socket, note)
  else response.once('close', () => answerOnSocket(status, socket, note))
}

function answerIncomplete(status: number, response: ServerResponse, request: FastifyRequest | undefined): void {
  if (response.headersSent) {
    response.socket?.destroySoon() // the request was already refused, and this is the rest of it
    return
  }
  const body = JSON.stringify({ error: request && wantsFlatErrors(request) ? unreadable.message : unreadable })
  response.writeHead(status, errorHeaders(request?.id ?? newRequestId(), body)).end(body)
}

/** Writes an answer without a request to answer: the parser found none. */
function answerOnSocket(status: number, socket: Socket, note: NoteAnswer | undefined): void {
  if (!socket.writable) return
  const reqId = newRequestId()
  const body = JSON.stringify({ error: unreadable })
  const lines = Object.entries(errorHeaders(reqId, body)).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  note?.({ reqId, method: 'unknown', route: 'unknown', status, ms: 0, client: socket.remoteAddress })
  // Lingering close: closing at once, with bytes unread, would reset the connection and the answer could be lost.
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMs).unref()
}

const lingerMs = 500

const unreadable = { code: 'INVALID_REQUEST', message: 'This is not a request we can read.' } as const

function errorHeaders(requestId: string, body: string): Record<string, string | number> {
  return {
    'x-request-id': requestId,
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    connection: 'close',
  }
}

const parserStatus: Record<string, number> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}
