import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Of servers of this process that have stopped. */
const free: number[] = []

/**
 * Listens where a server of an earlier test did, if one has stopped: whatever a browser has cached and compiled, it has for
 * an address.
 */
export async function listenAgain(app: FastifyInstance): Promise<void> {
  const host = '127.0.0.1'
  const port = free.pop() ?? 0
  try {
    await app.listen({ host, port })
  } catch (error) {
    if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    await app.listen({ host, port: 0 }) // another process has taken it meanwhile
  }
  const taken = (app.server.address() as AddressInfo).port // it listens on a port, never on a pipe
  app.server.once('close', () => free.push(taken))
}
