import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** One that nobody has at this moment, for a server whose address has to be known before it listens. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port, never on a pipe
  server.close()
  await once(server, 'close')
  return port
}
