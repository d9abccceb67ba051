import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Ledger } from './ledger.ts'

/**
 * Listens on so many ports for events, each an address of its own for whoever keeps connections, and writes down when
 * they arrive. Not `node:http`, for the reason that `connection.ts` has.
 */
export async function openReceiver(addresses: number, ledger: Ledger): Promise<{ ports: number[] }> {
  return { ports: await Promise.all(Array.from({ length: addresses }, () => listen(ledger))) }
}

function listen(ledger: Ledger): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => read(socket, ledger))
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)) // a port, never a pipe
  })
}

const ok = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')

/** One request is on its way at a time on a connection. All of it is ASCII: characters are bytes. */
function read(socket: Socket, ledger: Ledger): void {
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd === -1 || received.length < headEnd + 4 + lengthOf(received)) return
    const event = eventIn(received)
    received = ''
    socket.write(ok)
    if (event) ledger.arrive(event.n, event.messageId, performance.now())
  })
  socket.on('error', () => {}) // the server's to deal with
}

function lengthOf(text: string): number {
  return Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0)
}

/** `outgoing.ts` begins every text with the message's number. */
function eventIn(text: string): { n: number; messageId: string } | undefined {
  const [, messageId, n] = /"messageId":"(\w+)".*"body":"#(\d+) /.exec(text) ?? []
  return messageId === undefined ? undefined : { n: Number(n), messageId }
}
