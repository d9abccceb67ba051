import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** Far above the head of any answer, and above what arrives at once. */
const mostUnread = 131_072

/**
 * A connection for undici, which destroys its stream at some answers that `node:http` reads, such as `100 Continue`.
 * The line keeps an answer's bytes until its head is read; destroyed before that, it leaves the socket open, and `again`
 * is a line on which the same answer can be read from its first byte.
 */
export class Line extends Duplex {
  readonly #socket: Socket
  #unread: Buffer[] | undefined
  #unreadBytes = 0

  constructor(socket: Socket, received: readonly Buffer[] = []) {
    super({ decodeStrings: false })
    this.#socket = socket
    for (const chunk of received) this.push(chunk)
    if (socket.readableEnded || socket.destroyed) this.push(null)
    else socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose)
  }

  /** A request begins to leave. */
  expectAnswer(): void {
    this.#unread = []
    this.#unreadBytes = 0
  }

  /** The head of the final answer was read: nobody else will read this answer. */
  keepNoBytes(): void {
    this.#unread = undefined
  }

  /** A line for another reader of an answer that was given up, if any of it had arrived. */
  again(): Line | undefined {
    const received = this.#unread
    this.#unread = undefined
    return received?.length ? new SentLine(this.#socket, received) : undefined
  }

  /** Whether another request can leave: not after an answer that came before its request had left completely. */
  get isFree(): boolean {
    return !this.destroyed && this.#socket.writableLength === 0
  }

  close(): void {
    this.#unread = undefined
    this.destroy()
    this.#socket.destroy() // also where the line was destroyed before and has left it open
  }

  ref(): void {
    this.#socket.ref()
  }

  unref(): void {
    this.#socket.unref()
  }

  override _read(): void {
    this.#socket.resume()
  }

  /** The socket takes all at once, so that a request leaves completely whatever becomes of the line. */
  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.#socket.write(chunk, encoding)
    done()
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], done: () => void): void {
    this.#socket.cork()
    for (const { chunk, encoding } of chunks) this.#socket.write(chunk, encoding)
    this.#socket.uncork()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose)
    if (this.#unread?.length) this.#socket.pause()
    else this.#socket.destroy()
    done(error)
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#unread?.push(chunk)
    this.#unreadBytes += chunk.length
    if (this.#unread && this.#unreadBytes > mostUnread) this.destroy()
    else if (!this.push(chunk)) this.#socket.pause()
  }

  readonly #onEnd = (): void => {
    this.push(null)
  }

  readonly #onClose = (): void => {
    this.destroy(this.#socket.errored ?? undefined)
  }
}

/** What is written to it has left already. */
class SentLine extends Line {
  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done()
  }

  override _writev(_chunks: unknown, done: () => void): void {
    done()
  }
}
