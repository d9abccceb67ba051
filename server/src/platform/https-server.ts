import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import { statusOf } from '@patchbay/contract/errors.ts'
import { limits } from '@patchbay/contract/limits.ts'
import type { AddressRanges } from './addresses.ts'
import { newRequestId } from './request-id.ts'
import type { TlsPair } from './tls.ts'

export type PlainHttpPolicy = { trustedProxies: AddressRanges; allowPlainHttp: boolean }

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** The first byte of every TLS connection: a handshake record. No HTTP verb begins with it. */
const tlsHandshake = 0x16

/**
 * One port that speaks HTTPS, and answers plain HTTP with a refusal instead of a riddle.
 *
 * The https server itself listens, so that its limits on time and sockets hold for every connection; its own
 * `connection` listeners, which begin TLS, are called once the first byte says that it is TLS.
 */
export function createHttpsServer(pair: TlsPair, plain: PlainHttpPolicy, handle: Handler): Server {
  const server = createServer(
    {
      ...pair,
      minVersion: 'TLSv1.2',
      handshakeTimeout: limits.tlsHandshakeMs,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.incomingMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => (countsAsHttps(request, plain) ? handle(request, response) : refusePlain(response)),
  )
  server.maxConnections = limits.sockets
  const beginTls = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    onFirstByte(socket, (byte) => {
      if (byte === tlsHandshake) for (const begin of beginTls) begin.call(server, socket)
      // Where TLS would hand over a socket it has opened: the HTTP parser does not care which it is.
      else server.emit('secureConnection', socket)
    })
  })
  return server
}

function onFirstByte(socket: Socket, proceed: (byte: number) => void): void {
  const timer = setTimeout(() => socket.destroy(), limits.firstByteMs)
  const destroy = () => socket.destroy()
  socket.on('error', destroy)
  socket.once('close', () => clearTimeout(timer))
  socket.once('readable', () => {
    clearTimeout(timer)
    const chunk: Buffer | null = socket.read()
    if (chunk === null) {
      destroy() // ended without a word
      return
    }
    socket.unshift(chunk)
    socket.off('error', destroy)
    proceed(chunk[0] ?? 0)
  })
}

/** Behind a proxy that ends TLS, its word counts; the same header from anyone else is just text. */
function countsAsHttps(request: IncomingMessage, { trustedProxies, allowPlainHttp }: PlainHttpPolicy): boolean {
  if ('encrypted' in request.socket || allowPlainHttp) return true
  return request.headers['x-forwarded-proto'] === 'https' && trustedProxies.includes(request.socket.remoteAddress)
}

function refusePlain(response: ServerResponse): void {
  const error = { code: 'HTTPS_REQUIRED', message: 'Use https: plain HTTP requests are not processed.' }
  response.writeHead(statusOf.HTTPS_REQUIRED, {
    'x-request-id': newRequestId(),
    'content-type': 'application/json; charset=utf-8',
    connection: 'close',
  })
  response.end(JSON.stringify({ error }))
}
