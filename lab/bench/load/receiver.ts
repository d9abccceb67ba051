import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ledger } from './ledger.ts'

/**
 * Listens on so many ports for events, each an address of its own for whoever keeps connections, and writes down when
 * they arrive. By `node:http`, which reads every connection into one buffer: a plain socket takes 64 KiB for each read,
 * and the collector that frees them twice a second took a core from the server for 20 ms each time.
 */
export async function openReceiver(addresses: number, ledger: Ledger): Promise<{ ports: number[] }> {
  return { ports: await Promise.all(Array.from({ length: addresses }, () => listen(ledger))) }
}

function listen(ledger: Ledger): Promise<number> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    read(request, (event) => {
      response.writeHead(200, { 'content-length': 0 }).end()
      if (event) ledger.arrive(event.n, event.messageId, performance.now())
    })
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)) // a port, never a pipe
  })
}

type Event = { n: number; messageId: string }

function read(request: IncomingMessage, done: (event: Event | undefined) => void): void {
  let body = ''
  request.setEncoding('latin1') // all of it is ASCII
  request.on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => done(eventIn(body)))
}

/** `outgoing.ts` begins every text with the message's number. */
function eventIn(body: string): Event | undefined {
  const [, messageId, n] = /"messageId":"(\w+)".*"body":"#(\d+) /.exec(body) ?? []
  return messageId === undefined ? undefined : { n: Number(n), messageId }
}
