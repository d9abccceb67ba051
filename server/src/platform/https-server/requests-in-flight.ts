import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyRequest } from 'fastify'
import { openRoundRobin, type RoundRobin } from './round-robin.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Kept on the socket, so that a request finds its connection without a look-up. */
const kept = Symbol('connection')
type Known = Socket & { [kept]?: Connection }

export function connectionOf(socket: Socket): Connection | undefined {
  return (socket as Known)[kept]
}

/**
 * Holds every connection of the server to a few requests in flight. Returns what hands requests over to `handle`, and
 * the connections that are open.
 *
 * Node parses all that arrives and hands over every request in it at once, hundreds from one read. So we stand before
 * its parser: bytes are parsed in small pieces, and the rest stays unparsed, unread, and at last with its sender, while
 * too many are unanswered. A request that follows another unanswered one takes turns with those of all other
 * connections; whoever waits for an answer before asking again, as nearly every client does, is served at once.
 * Answers leave in the order of the requests: Node sees to that.
 */
export function limitRequestsInFlight(server: Server, handle: Handler): { admit: Handler; open: Set<Connection> } {
  const open = new Set<Connection>()
  const turns = openRoundRobin<Connection>((connection) => connection.serve())

  // After Node's own listener, which has set up the parser.
  server.on('secureConnection', (socket: Socket) => {
    const [parse] = socket.listeners('data') as Parse[] // Node's, and the only one
    if (!parse) throw new Error('Node does not parse what this connection says')
    const connection = new Connection(socket, { parse, handle, turns })
    ;(socket as Known)[kept] = connection
    open.add(connection)
    // With a listener of ours, Node does not let the parser read from the handle behind our back.
    socket.on('data', (chunk: Buffer) => connection.receive(chunk))
    socket.off('data', parse)
    socket.on('resume', () => connection.noteResumed())
    socket.once('close', () => {
      open.delete(connection)
      turns.leave(connection)
    })
  })

  function admit(request: IncomingMessage, response: ServerResponse): void {
    const connection = connectionOf(request.socket)
    if (connection) connection.noteRequest(request, response)
    const isFirst = response.socket !== null // Node gives the socket to the one whose answer is next
    if (isFirst || !connection) handle(request, response)
    else connection.letWait(request, response)
  }

  return { admit, open }
}

/** Node's own listener, which runs the HTTP parser and with it a `request` event for every request in the bytes. */
type Parse = (bytes: Buffer) => void

const mostFollowers = limits.requestsPerConnection - 1

/** A usual request fits into it. Larger ones are parsed in several pieces. */
const pieceBytes = 2_048
const endOfHead = Buffer.from('\r\n\r\n')

/** One connection that speaks HTTP. */
export class Connection {
  readonly socket: Socket
  /** The latest that was parsed, and the answer to it. */
  request: IncomingMessage | undefined
  response: ServerResponse | undefined
  /** The same request as the routes know it, once it was handed over. */
  serving: FastifyRequest | undefined
  /** It said something that is no HTTP; no further byte is looked at. */
  isBroken = false
  heardAt = performance.now()
  /** How much had been sent to it when that was last looked at, and when that was more than before. */
  #sentBytes = 0
  #sentAt = 0

  readonly #parse: Parse
  readonly #handle: Handler
  readonly #turns: RoundRobin<Connection>
  #isItsTurn = false
  /** Parsed, and not handed over yet. */
  readonly #waiting: { request: IncomingMessage; response: ServerResponse }[] = []
  /** Handed over while an earlier request was unanswered, and unanswered themselves. */
  #followers = 0
  /** At least so many bytes of the latest request's body were parsed, and so many more may have been. */
  #bodyBytes = 0
  #uncountedBytes = 0
  #isCutAtHead = false
  /** It has sent a request before it had the answer to another one. */
  #pipelines = false
  /** We keep its bytes back until its turn comes. */
  #isHeld = false
  /** Node keeps them back: the peer does not read its answers, or nobody reads its body. Node goes on by itself. */
  #isPausedByNode = false

  constructor(
    socket: Socket,
    { parse, handle, turns }: { parse: Parse; handle: Handler; turns: RoundRobin<Connection> },
  ) {
    this.socket = socket
    this.#parse = parse
    this.#handle = handle
    this.#turns = turns
  }

  noteRequest(request: IncomingMessage, response: ServerResponse): void {
    this.request = request
    this.response = response
    this.serving = undefined
    this.#bodyBytes = 0
    this.#uncountedBytes = this.#isCutAtHead ? 0 : pieceBytes
  }

  noteServing(request: FastifyRequest): void {
    if (request.raw === this.request) this.serving = request
  }

  letWait(request: IncomingMessage, response: ServerResponse): void {
    this.#pipelines = true
    this.#waiting.push({ request, response })
  }

  noteResumed(): void {
    if (!this.socket.isPaused()) this.#isPausedByNode = false
  }

  receive(chunk: Buffer): void {
    this.heardAt = performance.now()
    if (this.isBroken || this.#isOver()) return
    if (this.#isHeld || this.#isFull()) {
      this.#hold(chunk)
      return
    }
    let at = 0
    do {
      const end = at + this.#pieceLength(chunk, at)
      this.#bodyBytes += end - at
      this.#parse(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end))
      at = end
      if (this.#isItsTurn) this.#handOver()
    } while (at < chunk.length && (this.#isInBody() || (this.#isItsTurn && this.#isOpen())))
    if (this.isBroken || this.#isOver()) return
    this.#isPausedByNode = this.socket.isPaused()
    const hasMore = at < chunk.length || (this.socket.readableLength > 0 && !this.#isInBody())
    if (hasMore || this.#isFull()) this.#hold(chunk.subarray(at))
  }

  /** Its turn has come: hands over what was parsed, and parses some of what was kept back. */
  serve(): void {
    this.#handOver()
    if (this.isBroken || this.#isOver() || this.#isFull()) return
    this.#isHeld = false
    if (this.#isPausedByNode || !this.socket.isPaused()) return
    this.socket.resume()
    if (this.socket.readableLength === 0) return
    this.#isItsTurn = true
    this.socket.read(Math.min(this.socket.readableLength, pieceBytes)) // emits `data`, which is received above
    this.#isItsTurn = false
  }

  isIdle(): boolean {
    const { socket, request, response } = this
    if (socket.destroyed || this.#waiting.length > 0 || this.#isHeld) return false
    return (request?.complete ?? true) && (response?.writableFinished ?? true)
  }

  /** It has requests, and for a long time no byte has moved either way. */
  isStuck(now: number): boolean {
    const sent = this.socket.bytesWritten - this.socket.writableLength
    if (sent > this.#sentBytes) this.#sentAt = now
    this.#sentBytes = sent
    return now - Math.max(this.heardAt, this.#sentAt) > limits.stuckMs && !this.isIdle()
  }

  #handOver(): void {
    while (!this.#isOver() && this.#followers < mostFollowers) {
      const next = this.#waiting.shift()
      if (!next) break
      this.#followers += 1
      next.response.once('close', () => {
        this.#followers -= 1
        this.#turns.take(this)
      })
      this.#handle(next.request, next.response)
    }
  }

  #hold(rest: Buffer): void {
    this.#isHeld = !this.#isPausedByNode
    this.socket.pause() // before the rest goes back: to a flowing stream it would come straight back to us
    if (rest.length > 0) this.socket.unshift(rest)
    if (this.#followers < mostFollowers) this.#turns.take(this) // else an answer brings it back
  }

  /** No further answer can be given. */
  #isOver(): boolean {
    return this.socket.destroyed || this.socket.writableEnded
  }

  #isFull(): boolean {
    return this.#waiting.length > 0 || this.#followers >= mostFollowers
  }

  #isOpen(): boolean {
    return !this.#isFull() && !this.socket.isPaused() && !this.isBroken && !this.#isOver()
  }

  #isInBody(): boolean {
    return this.request?.complete === false && this.#isOpen()
  }

  /**
   * A body is passed on as it comes, but for an end that another request may follow. Of anything else, not more than one
   * request is taken at a time, unless it is so short and its sender so polite that it surely is only one.
   */
  #pieceLength(chunk: Buffer, at: number): number {
    const available = chunk.length - at
    if (this.request?.complete === false) {
      const left = Number(this.request.headers['content-length'] ?? 0) - this.#bodyBytes - this.#uncountedBytes
      return Math.min(available, left > 0 ? left : pieceBytes)
    }
    this.#isCutAtHead = false
    if (!this.#pipelines && at === 0 && available <= pieceBytes) return available
    const headBytes = chunk.indexOf(endOfHead, at) + endOfHead.length - at
    this.#isCutAtHead = headBytes >= endOfHead.length && headBytes <= pieceBytes
    return this.#isCutAtHead ? headBytes : Math.min(available, pieceBytes)
  }
}
