import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyRequest } from 'fastify'
import type { App } from '../http-app.ts'

/** The request whose body a connection is waiting for, and its deadline. */
const awaited = Symbol('awaited')
type Connection = Socket & { [awaited]?: { request: IncomingMessage; deadline: number } | undefined }

/** Answers a request that has not arrived by its deadline, and closes its connection. */
type AnswerTimeout = (error: NodeJS.ErrnoException, socket: Socket) => void

/**
 * Ends requests whose body has not arrived by its deadline. The https server has one timeout for the arrival of a request,
 * which is that of the endpoint that takes files; everywhere else a body has less time. Deadlines are checked once a
 * second, without a timer for each request. Returns a function that sets the deadline of a request.
 *
 * The deadline is stored on the connection: a map of requests would keep most of them alive until they are promoted to
 * the old generation, where garbage collection is expensive.
 */
export function endSlowBodies(app: App, answer: AnswerTimeout): (request: FastifyRequest) => void {
  const connections = new Set<Connection>()
  app.server.on('secureConnection', (connection: Connection) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })

  function sweep(): void {
    const now = performance.now()
    for (const connection of connections) {
      const waiting = connection[awaited]
      if (!waiting || waiting.request.complete || waiting.deadline >= now) continue
      connection[awaited] = undefined
      answer(Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), connection)
    }
  }
  const sweeping = setInterval(sweep, 1_000).unref()
  app.addHook('onClose', () => clearInterval(sweeping))

  return ({ raw, routeOptions }) => {
    const hasBody = 'content-length' in raw.headers || 'transfer-encoding' in raw.headers
    const hasDeadline = hasBody && !routeOptions.config.mayBeLarge
    const connection: Connection = raw.socket
    connection[awaited] = hasDeadline ? { request: raw, deadline: performance.now() + limits.requestMs } : undefined
  }
}
