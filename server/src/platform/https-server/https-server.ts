/**
 * This folder is the listener: one port that accepts connections, speaks HTTPS with a certificate that works, and bounds
 * connections, requests in flight and time, before any route sees a request. Read this file first.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import { statusOf } from '@patchbay/contract/errors.ts'
import { limits } from '@patchbay/contract/limits.ts'
import type { AddressRanges } from '../config/ip-ranges.ts'
import type { TlsPair } from './certificate-files.ts'
import { clientOf, forwardedFor } from './client-address.ts'
import { closeSilent, closeStuck, openIdleSearch } from './idle-connections.ts'
import { openLimitPerClient } from './limit-per-client.ts'
import { newRequestId } from './request-head.ts'
import { type Connection, type Handler, limitRequestsInFlight } from './requests-in-flight.ts'
import { closeUnlessDone, limitHandshakes } from './silent-connections.ts'

type PlainHttpPolicy = { trustedProxies: AddressRanges; allowPlainHttp: boolean }

/** `chatStreams`: so many connections may be taken more, by those who hold one each for as long as they look. */
type Policy = PlainHttpPolicy & { chatStreams?: number }

/** The first byte of every TLS connection: a handshake record. No HTTP verb begins with it. */
const tlsHandshake = 0x16

/**
 * One port that speaks HTTPS, and answers plain HTTP with an error that says so.
 *
 * The https server itself listens, so that its timeouts and socket limits hold for every connection. Its own `connection`
 * listeners, which start TLS, run only after the first byte has shown that the connection is TLS.
 */
export function createHttpsServer(pair: TlsPair, policy: Policy, handle: Handler): Server {
  const server = createServer({
    ...pair,
    minVersion: 'TLSv1.2',
    headersTimeout: limits.headersMs,
    requestTimeout: limits.incomingMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: 1_000,
    requireHostHeader: false, // Node's own refusal has no body; `checkHead` refuses with one
  })
  const limitForwarded = openForwardedLimit(policy)
  const { admit, open } = limitRequestsInFlight(server, (request, response) => {
    if (!countsAsHttps(request, policy)) return refusePlain(response)
    limitForwarded(request, response)
    handle(request, response)
  })
  sweep(server, open)
  server.on('request', admit)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waitingForContinue.add(response)
    admit(request, response)
  })
  server.on('checkExpectation', admit) // `checkHead` refuses it

  const admitConnection = limitConnections(policy, open)
  const limitHandshake = limitHandshakes(server, limits.tlsHandshakeMs)
  const startTls = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (!admitConnection(socket)) return
    onFirstByte(socket, (byte) => {
      if (byte === tlsHandshake) {
        limitHandshake(socket)
        for (const start of startTls) start.call(server, socket)
      }
      // The event that TLS emits after its handshake: the HTTP parser accepts a plain socket as well.
      else server.emit('secureConnection', socket)
    })
  })
  return server
}

/** How often connections are looked for that nothing else closes. */
const sweepMs = { serving: 5_000, stopping: 500 }

function sweep(server: Server, open: Set<Connection>): void {
  const serving = setInterval(() => closeStuck(open), sweepMs.serving).unref()
  let stopping: NodeJS.Timeout | undefined
  const { closeIdleConnections } = server
  // Node calls it when the server begins to close.
  server.closeIdleConnections = () => {
    closeIdleConnections.call(server)
    stopping ??= setInterval(() => closeSilent(open), sweepMs.stopping).unref()
  }
  server.once('close', () => {
    clearInterval(serving)
    clearInterval(stopping)
  })
}

/**
 * Bounds the connections in total and those of one client; a trusted proxy, with many clients behind it, has no bound of
 * its own. One too many is closed unread; if only the total is reached, an idle connection is closed instead.
 */
function limitConnections(
  { trustedProxies, chatStreams = 0 }: Policy,
  open: Set<Connection>,
): (socket: Socket) => boolean {
  const perClient = openLimitPerClient(limits.connectionsPerAddress)
  const findLongestIdle = openIdleSearch(open)
  let count = 0
  return (socket) => {
    const client = trustedProxies.includes(socket.remoteAddress) ? undefined : clientOf(socket.remoteAddress)
    const hasFreeSlot = () => count < limits.sockets + chatStreams || findLongestIdle()?.socket.destroy() !== undefined
    if (!perClient.acquire(client)) return refuse(socket)
    if (!hasFreeSlot()) {
      perClient.release(client)
      return refuse(socket)
    }
    count += 1
    socket.once('close', () => {
      count -= 1
      perClient.release(client)
    })
    return true
  }
}

function refuse(socket: Socket): false {
  socket.destroy()
  return false
}

function onFirstByte(socket: Socket, proceed: (byte: number) => void): void {
  const arrived = closeUnlessDone(socket, limits.firstByteMs)
  const destroy = () => socket.destroy()
  socket.on('error', destroy)
  socket.once('readable', () => {
    arrived()
    const chunk: Buffer | null = socket.read()
    if (chunk === null) {
      destroy() // the peer closed without sending a byte
      return
    }
    socket.unshift(chunk)
    socket.off('error', destroy)
    proceed(chunk[0] ?? 0)
  })
}

/** `X-Forwarded-Proto` counts only from a trusted proxy, which terminates TLS; from anyone else it is ignored. */
function countsAsHttps(request: IncomingMessage, { trustedProxies, allowPlainHttp }: PlainHttpPolicy): boolean {
  if ('encrypted' in request.socket || allowPlainHttp) return true
  return request.headers['x-forwarded-proto'] === 'https' && trustedProxies.includes(request.socket.remoteAddress)
}

/** Connections of a proxy do not tell clients apart, so requests in flight are counted, by the address it forwards. */
function openForwardedLimit({ trustedProxies }: PlainHttpPolicy): Handler {
  const perClient = openLimitPerClient(limits.requestsPerAddress)
  return (request, response) => {
    if (trustedProxies.isEmpty || !trustedProxies.includes(request.socket.remoteAddress)) return
    const client = clientOf(forwardedFor(request.headers['x-forwarded-for'], trustedProxies))
    if (perClient.acquire(client)) response.once('close', () => perClient.release(client))
    else overClientLimit.add(request)
  }
}

const overClientLimit = new WeakSet<IncomingMessage>()

/** Whether the client of this request, behind a proxy, has too many requests in flight. */
export function isOverClientLimit(request: IncomingMessage): boolean {
  return overClientLimit.has(request)
}

const waitingForContinue = new WeakSet<ServerResponse>()

/** Sends `100 Continue` to a client that waits for it before it sends its body. */
export function sendContinue(response: ServerResponse): void {
  if (waitingForContinue.delete(response)) response.writeContinue()
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
