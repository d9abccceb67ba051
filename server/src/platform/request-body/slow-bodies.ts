import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyRequest } from 'fastify'
import type { App } from '../http-app.ts'

/** The request whose body a connection is waiting for, and until when. */
const awaited = Symbol('awaited')
type Connection = Socket & { [awaited]?: { request: IncomingMessage; deadline: number } | undefined }

/** Answers a connection whose request did not arrive in time, and ends it. */
type AnswerLate = (error: NodeJS.ErrnoException, socket: Socket) => void

/**
 * The https server has one limit for the arrival of a request, and it is that of the endpoint which takes files.
 * Everywhere else a body has less time. Asked once a second instead of by a timer for each request. Returns what must be
 * told of every request.
 *
 * It is kept on the connection: a map of requests would drag most of them into old age, where garbage is dear.
 */
export function endSlowBodies(app: App, answer: AnswerLate): (request: FastifyRequest) => void {
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
    const isTimed = hasBody && !routeOptions.config.mayBeLarge
    const connection: Connection = raw.socket
    connection[awaited] = isTimed ? { request: raw, deadline: performance.now() + limits.requestMs } : undefined
  }
}
