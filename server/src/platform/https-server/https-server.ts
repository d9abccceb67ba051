import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { Socket } from 'node:net'
import { statusOf } from '@patchbay/contract/errors.ts'
import { limits } from '@patchbay/contract/limits.ts'
import type { AddressRanges } from '../config/ip-ranges.ts'
import type { TlsPair } from './certificate-files.ts'
import { forwardedFor, shareOf } from './client-address.ts'
import { endStuck, longestIdle } from './idle-connections.ts'
import { openLimitPerOwner } from './limit-per-owner.ts'
import { newRequestId } from './request-id.ts'
import { type Connection, type Handler, limitRequestsInFlight } from './requests-in-flight.ts'

export type PlainHttpPolicy = { trustedProxies: AddressRanges; allowPlainHttp: boolean }

/** The first byte of every TLS connection: a handshake record. No HTTP verb begins with it. */
const tlsHandshake = 0x16

/**
 * One port that speaks HTTPS, and answers plain HTTP with a refusal instead of a riddle.
 *
 * The https server itself listens, so that its limits on time and sockets hold for every connection; its own
 * `connection` listeners, which begin TLS, are called once the first byte says that it is TLS.
 */
export function createHttpsServer(pair: TlsPair, policy: PlainHttpPolicy, handle: Handler): Server {
  const server = createServer({
    ...pair,
    minVersion: 'TLSv1.2',
    handshakeTimeout: limits.tlsHandshakeMs,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.incomingMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: 1_000,
    requireHostHeader: false, // Node's own refusal has no body; ours comes with the other checks of a request's head
  })
  const countForwarded = openForwardedShares(policy)
  const { admit, open } = limitRequestsInFlight(server, (request, response) => {
    if (!countsAsHttps(request, policy)) return refusePlain(response)
    countForwarded(request, response)
    handle(request, response)
  })
  const sweeping = setInterval(() => endStuck(open), sweepMs).unref()
  server.once('close', () => clearInterval(sweeping))
  server.on('request', admit)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waitingForContinue.add(response)
    admit(request, response)
  })
  server.on('checkExpectation', admit) // refused with the other checks of a request's head

  const letIn = limitConnections(policy, open)
  const beginTls = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (!letIn(socket)) return
    onFirstByte(socket, (byte) => {
      if (byte === tlsHandshake) for (const begin of beginTls) begin.call(server, socket)
      // Where TLS would hand over a socket it has opened: the HTTP parser does not care which it is.
      else server.emit('secureConnection', socket)
    })
  })
  return server
}

/** How often it is looked for connections on which nothing moves. */
const sweepMs = 5_000

/**
 * Bounds the connections, all and those of one address, which may be a proxy of ours with all the world behind it. One
 * too many is closed unread; but where only the sum is reached, a connection that stands idle makes room for it.
 */
function limitConnections({ trustedProxies }: PlainHttpPolicy, open: Set<Connection>): (socket: Socket) => boolean {
  const shares = openLimitPerOwner(limits.connectionsPerAddress)
  let count = 0
  return (socket) => {
    const owner = trustedProxies.includes(socket.remoteAddress) ? undefined : shareOf(socket.remoteAddress)
    const hasRoom = () => count < limits.sockets || longestIdle(open)?.socket.destroy() !== undefined
    if (!shares.take(owner)) return refuse(socket)
    if (!hasRoom()) {
      shares.giveBack(owner)
      return refuse(socket)
    }
    count += 1
    socket.once('close', () => {
      count -= 1
      shares.giveBack(owner)
    })
    return true
  }
}

function refuse(socket: Socket): false {
  socket.destroy()
  return false
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

/** Behind a proxy, connections say nothing about who asks; so requests are counted, by the address that it names. */
function openForwardedShares({ trustedProxies }: PlainHttpPolicy): Handler {
  const shares = openLimitPerOwner(limits.requestsPerAddress)
  return (request, response) => {
    if (trustedProxies.isEmpty || !trustedProxies.includes(request.socket.remoteAddress)) return
    const owner = shareOf(forwardedFor(request.headers['x-forwarded-for'], trustedProxies))
    if (shares.take(owner)) response.once('close', () => shares.giveBack(owner))
    else overShare.add(request)
  }
}

const overShare = new WeakSet<IncomingMessage>()

/** Whether its client, behind a proxy, has too many requests in flight. */
export function isOverShare(request: IncomingMessage): boolean {
  return overShare.has(request)
}

const waitingForContinue = new WeakSet<ServerResponse>()

/** Tells a client that waits to be told so that its body is wanted. */
export function askForBody(response: ServerResponse): void {
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
