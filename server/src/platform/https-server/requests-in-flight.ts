import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyRequest } from 'fastify'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** The connection is stored on the socket, so that a request finds it without a look-up in a map. */
const connectionSymbol = Symbol('connection')
type TrackedSocket = Socket & { [connectionSymbol]?: Connection }

export function connectionOf(socket: Socket): Connection | undefined {
  return (socket as TrackedSocket)[connectionSymbol]
}

/**
 * Limits every connection of the server to a few requests in flight. Returns the listener that passes requests on to
 * `handle`, and the open connections.
 *
 * Node parses all bytes that arrive and emits every request in them at once, hundreds from one read. So we feed its
 * parser ourselves: bytes are parsed in small pieces, and while too many requests are unanswered the rest stays unparsed,
 * then unread, and at last in the sender's buffers (backpressure). A pipelined request, sent before the one ahead of it
 * was answered, waits in a round robin of all connections; a client that waits for each answer, as nearly every one does,
 * is served at once. Node sends the answers in the order of the requests.
 */
export function limitRequestsInFlight(server: Server, handle: Handler): { admit: Handler; open: Set<Connection> } {
  const open = new Set<Connection>()
  const roundRobin = openRoundRobin<Connection>((connection) => connection.serve())

  // After Node's own listener, which has set up the parser.
  server.on('secureConnection', (socket: Socket) => {
    const [parse] = socket.listeners('data') as Parse[] // Node's, and the only one
    if (!parse) throw new Error('Node has not attached its HTTP parser to this connection')
    const connection = new Connection(socket, { parse, handle, roundRobin })
    ;(socket as TrackedSocket)[connectionSymbol] = connection
    open.add(connection)
    // With a `data` listener of ours, Node does not let its parser read directly from the handle.
    socket.on('data', (chunk: Buffer) => connection.receive(chunk))
    socket.off('data', parse)
    socket.on('resume', () => connection.noteResumed())
    socket.once('close', () => {
      open.delete(connection)
      roundRobin.remove(connection)
    })
  })

  function admit(request: IncomingMessage, response: ServerResponse): void {
    const connection = connectionOf(request.socket)
    if (connection) connection.noteRequest(request, response)
    const isFirst = response.socket !== null // Node assigns the socket to the response that is sent next
    if (isFirst || !connection) handle(request, response)
    else connection.enqueue(request, response)
  }

  return { admit, open }
}

/** Node's own listener, which runs the HTTP parser and emits a `request` event for every request in the bytes. */
type Parse = (bytes: Buffer) => void

const mostPipelined = limits.requestsPerConnection - 1

/** A typical request fits into one piece. Larger ones are parsed in several. */
const pieceBytes = 2_048
const endOfHead = Buffer.from('\r\n\r\n')

/** One HTTP connection. */
export class Connection {
  readonly socket: Socket
  /** The latest request that was parsed, and its response. */
  request: IncomingMessage | undefined
  response: ServerResponse | undefined
  /** Fastify's object for the same request, once Fastify has it. */
  fastifyRequest: FastifyRequest | undefined
  /** The peer sent bytes that are not HTTP; nothing after them is parsed. */
  isBroken = false
  /** When the latest bytes arrived. */
  receivedAt = performance.now()
  /** The bytes sent as of the latest check, and when a check last saw more than the one before it. */
  #sentBytes = 0
  #sentAt = 0

  readonly #parse: Parse
  readonly #handle: Handler
  readonly #roundRobin: RoundRobin<Connection>
  /** The round robin is serving this connection now. */
  #isServing = false
  /** Requests that were parsed, but not passed to `handle` yet. */
  readonly #queue: { request: IncomingMessage; response: ServerResponse }[] = []
  /** Requests in flight that were passed to `handle` while an earlier one was unanswered. */
  #pipelined = 0
  /** At least so many bytes of the latest request's body were parsed, and at most so many more. */
  #bodyBytes = 0
  #uncountedBytes = 0
  /** The latest piece ended exactly where the head of a request ends. */
  #isCutAtHead = false
  /** The peer has sent a request before it had the answer to the one before. */
  isPipelining = false
  /** We paused reading until the round robin serves this connection. */
  #isPausedByUs = false
  /** Node paused reading: the peer does not read its answers, or nobody reads its body. Node resumes by itself. */
  #isPausedByNode = false

  constructor(
    socket: Socket,
    { parse, handle, roundRobin }: { parse: Parse; handle: Handler; roundRobin: RoundRobin<Connection> },
  ) {
    this.socket = socket
    this.#parse = parse
    this.#handle = handle
    this.#roundRobin = roundRobin
  }

  noteRequest(request: IncomingMessage, response: ServerResponse): void {
    this.request = request
    this.response = response
    this.fastifyRequest = undefined
    this.#bodyBytes = 0
    this.#uncountedBytes = this.#isCutAtHead ? 0 : pieceBytes
  }

  noteFastifyRequest(request: FastifyRequest): void {
    if (request.raw === this.request) this.fastifyRequest = request
  }

  enqueue(request: IncomingMessage, response: ServerResponse): void {
    this.isPipelining = true
    this.#queue.push({ request, response })
  }

  noteResumed(): void {
    if (!this.socket.isPaused()) this.#isPausedByNode = false
  }

  receive(chunk: Buffer): void {
    this.receivedAt = performance.now()
    if (this.isBroken || this.#isEnded()) return
    if (this.#isPausedByUs || this.#isAtLimit()) {
      this.#pause(chunk)
      return
    }
    let at = 0
    do {
      const end = at + this.#pieceLength(chunk, at)
      this.#bodyBytes += end - at
      this.#parse(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end))
      at = end
      if (this.#isServing) this.#handleQueued()
    } while (at < chunk.length && (this.#isInBody() || (this.#isServing && this.#canParse())))
    if (this.isBroken || this.#isEnded()) return
    this.#isPausedByNode = this.socket.isPaused()
    const hasMore = at < chunk.length || (this.socket.readableLength > 0 && !this.#isInBody())
    if (hasMore || this.#isAtLimit()) this.#pause(chunk.subarray(at))
  }

  /** Called by the round robin: handles requests that were parsed, and parses one piece of what is still unparsed. */
  serve(): void {
    this.#handleQueued()
    if (this.isBroken || this.#isEnded() || this.#isAtLimit()) return
    this.#isPausedByUs = false
    if (this.#isPausedByNode || !this.socket.isPaused()) return
    this.socket.resume()
    if (this.socket.readableLength === 0) return
    this.#isServing = true
    this.socket.read(Math.min(this.socket.readableLength, pieceBytes)) // emits `data`, which calls `receive`
    this.#isServing = false
  }

  isIdle(): boolean {
    const { socket, request, response } = this
    if (socket.destroyed || this.#queue.length > 0 || this.#isPausedByUs) return false
    return (request?.complete ?? true) && (response?.writableFinished ?? true)
  }

  /** It has unanswered requests, and no byte was received or sent for `limits.stuckMs`. */
  isStuck(now: number): boolean {
    const sent = this.socket.bytesWritten - this.socket.writableLength
    if (sent > this.#sentBytes) this.#sentAt = now
    this.#sentBytes = sent
    return now - Math.max(this.receivedAt, this.#sentAt) > limits.stuckMs && !this.isIdle()
  }

  #handleQueued(): void {
    while (!this.#isEnded() && this.#pipelined < mostPipelined) {
      const next = this.#queue.shift()
      if (!next) break
      this.#pipelined += 1
      next.response.once('close', () => {
        this.#pipelined -= 1
        this.#roundRobin.enqueue(this)
      })
      this.#handle(next.request, next.response)
    }
  }

  #pause(rest: Buffer): void {
    this.#isPausedByUs = !this.#isPausedByNode
    this.socket.pause() // before the unshift: a flowing stream would emit the rest again at once
    if (rest.length > 0) this.socket.unshift(rest)
    if (this.#pipelined < mostPipelined) this.#roundRobin.enqueue(this) // else the next answer enqueues it
  }

  /** No further answer can be sent. */
  #isEnded(): boolean {
    return this.socket.destroyed || this.socket.writableEnded
  }

  #isAtLimit(): boolean {
    return this.#queue.length > 0 || this.#pipelined >= mostPipelined
  }

  #canParse(): boolean {
    return !this.#isAtLimit() && !this.socket.isPaused() && !this.isBroken && !this.#isEnded()
  }

  #isInBody(): boolean {
    return this.request?.complete === false && this.#canParse()
  }

  /**
   * How many bytes to parse next. Bytes of a body are parsed as they come, up to its end, which another request may
   * follow. Otherwise a piece ends with the head of a request, except that up to `pieceBytes` from a peer that has never
   * pipelined are taken for a single request.
   */
  #pieceLength(chunk: Buffer, at: number): number {
    const available = chunk.length - at
    if (this.request?.complete === false) {
      const left = Number(this.request.headers['content-length'] ?? 0) - this.#bodyBytes - this.#uncountedBytes
      return Math.min(available, left > 0 ? left : pieceBytes)
    }
    this.#isCutAtHead = false
    if (!this.isPipelining && at === 0 && available <= pieceBytes) return available
    const headBytes = chunk.indexOf(endOfHead, at) + endOfHead.length - at
    this.#isCutAtHead = headBytes >= endOfHead.length && headBytes <= pieceBytes
    return this.#isCutAtHead ? headBytes : Math.min(available, pieceBytes)
  }
}

/**
 * How long one pass may serve before it yields to the event loop. Short, because each iteration of the event loop accepts
 * only one new connection: at 5 ms, new clients waited for seconds beside a hundred connections that pipelined, and at
 * 1 ms for less than one.
 */
const yieldAfterMs = 1

type RoundRobin<T> = { enqueue: (one: T) => void; remove: (one: T) => void }

/**
 * Serves queued items in order, each once, and yields to the event loop in between: however long the queue is, work that
 * does not go through it waits for a few milliseconds only.
 */
function openRoundRobin<T>(serve: (one: T) => void): RoundRobin<T> {
  const queue = new Set<T>()
  let isScheduled = false

  function run(): void {
    isScheduled = false
    const until = performance.now() + yieldAfterMs
    for (const one of queue) {
      queue.delete(one)
      serve(one)
      if (performance.now() >= until) break
    }
    if (queue.size > 0) schedule()
  }

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(run)
  }

  return {
    enqueue: (one) => {
      queue.add(one)
      schedule()
    },
    remove: (one) => void queue.delete(one),
  }
}
