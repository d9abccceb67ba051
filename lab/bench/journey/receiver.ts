import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** Where the answers arrive: by the contact they are for, when the first one did, in milliseconds since 1970. */
export type Receiver = { port: number; arrivedAt: Map<string, number>; [Symbol.asyncDispose]: () => Promise<void> }

export async function openReceiver(): Promise<Receiver> {
  const arrivedAt = new Map<string, number>()
  const server = createServer(async (request, response) => {
    const { toId }: { toId: string } = JSON.parse(await text(request))
    arrivedAt.getOrInsertComputed(toId, () => performance.timeOrigin + performance.now())
    response.writeHead(200, { 'content-length': 0 }).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port, never on a pipe
    arrivedAt,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
