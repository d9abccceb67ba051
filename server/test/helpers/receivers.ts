import { createSocket } from 'node:dgram'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { TlsOptions } from 'node:tls'

/** One complete request that a receiver got. */
export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer }

type Listening = AsyncDisposable & {
  port: number
  url: string
  /** How many connections were opened in total. */
  connections: () => number
  /** How many are open now. */
  open: () => number
  /** Resolves when all of them are closed; fails after a while. */
  untilClosed: () => Promise<void>
}

export type Receiver = Listening & { requests: Received[] }

type Options = { host?: string; port?: number; tls?: TlsOptions }

/**
 * A real HTTP server on loopback (HTTPS with `tls`), which records every request and answers 200 by default.
 *
 *     await using receiver = await startReceiver((request, response) => response.writeHead(503).end())
 */
export async function startReceiver(
  answer: (request: Received, response: ServerResponse) => unknown = (_request, response) => response.end('ok'),
  options: Options = {},
): Promise<Receiver> {
  const requests: Received[] = []
  const listener: RequestListener = async (incoming, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of incoming) chunks.push(chunk)
    } catch {
      return // the client disconnected: not a request
    }
    const { method = '', url = '', headers } = incoming
    const request = { method, path: url, headers, body: Buffer.concat(chunks) }
    requests.push(request)
    answer(request, response)
  }
  const server: HttpServer = options.tls ? createHttpsServer(options.tls, listener) : createHttpServer(listener)
  return { ...(await listen(server, options)), requests }
}

/** A TCP server on loopback with a custom connection handler, for everything that is not HTTP. */
export async function startTcp(onConnection: (socket: Socket) => unknown, options: Options = {}): Promise<Listening> {
  return listen(createServer(onConnection), options)
}

/** Reads a whole request, then writes these bytes unchanged; `end` closes the connection after them. */
export function answerRaw(bytes: string | Buffer, end = false): (socket: Socket) => void {
  return (socket) => {
    let heard = ''
    socket.on('data', (data) => {
      heard += data.toString('latin1')
      const [head = '', body] = heard.split('\r\n\r\n', 2)
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (body === undefined || body.length < length) return
      heard = ''
      socket.write(bytes)
      if (end) socket.end()
    })
  }
}

async function listen(server: Server, { host = '127.0.0.1', port = 0, tls }: Options): Promise<Listening> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen({ host, port })
  await once(server, 'listening')
  const address = server.address() as AddressInfo // always the case for a TCP server
  const urlHost = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    port: address.port,
    url: `${tls ? 'https' : 'http'}://${urlHost}:${address.port}/`,
    connections: () => connections,
    open: () => sockets.size,
    untilClosed: () => closing(sockets),
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
      if (server.listening) await once(server, 'close')
    },
  }
}

async function closing(sockets: Set<Socket>): Promise<void> {
  const end = performance.now() + 3000
  while (sockets.size > 0) {
    if (performance.now() > end) throw new Error(`${sockets.size} connections are still open`)
    await setTimeout(5)
  }
}

type Dials = Disposable & {
  /** `address port`, in the order of dialling. */
  dials: string[]
  /** How many of our sockets are still open. */
  open: () => number
}

/** Records every address that this process connects to, allowed or not, successful or not. */
export function recordDials(): Dials {
  const dials: string[] = []
  const sockets: Socket[] = []
  const note = (message: unknown) => {
    const { socket } = message as { socket: Socket } // as the channel is documented
    sockets.push(socket)
    socket.on('connectionAttempt', (address, port) => dials.push(`${address} ${port}`))
  }
  subscribe('net.client.socket', note)
  return {
    dials,
    open: () => sockets.filter((socket) => !socket.destroyed).length,
    [Symbol.dispose]() {
      unsubscribe('net.client.socket', note)
    },
  }
}

type Dns = AsyncDisposable & { server: string; asked: string[] }

/**
 * A name server on loopback. An answer is a list of addresses of the asked type (IPv6 written out in full), with a
 * name before them if they are that name's; empty: the name does not exist; undefined: no response.
 */
export async function startDns(answer: (name: string, type: 'A' | 'AAAA') => string[] | undefined): Promise<Dns> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    asked.push(`${name} ${type}`)
    const found = answer(name, type)
    if (found) socket.send(writeAnswer(query.subarray(0, end), found), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked,
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function readQuestion(query: Buffer): { name: string; type: 'A' | 'AAAA'; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1) === 28 ? 'AAAA' : 'A', end: at + 5 }
}

function writeAnswer(query: Buffer, found: string[]): Buffer {
  const header = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, found.length > 0 ? 0x80 : 0x83, 0, 1, 0])])
  let owner: Buffer = Buffer.from([0xc0, 12]) // the name of the question
  const records = found.map((item) => {
    const [type, data] = dataOf(item)
    const record = Buffer.concat([owner, Buffer.from([0, type, 0, 1, 0, 0, 0, 0, 0, data.length]), data])
    if (type === 5) owner = data
    return record
  })
  return Buffer.concat([header, Buffer.from([found.length, 0, 0, 0, 0]), query.subarray(12), ...records])
}

function dataOf(item: string): [type: number, data: Buffer] {
  if (/^[\d.]+$/.test(item)) return [1, Buffer.from(item.split('.').map(Number))]
  if (item.includes(':')) return [28, Buffer.from(item.split(':').join(''), 'hex')]
  return [5, Buffer.from(`${item}.`.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]))]
}
