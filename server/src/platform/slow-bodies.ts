import type { IncomingMessage } from 'node:http'
import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyRequest } from 'fastify'
import type { App } from './http.ts'
import { answerClientError } from './http-errors.ts'

/**
 * The https server has one limit for the arrival of a request, and it is that of the endpoint which takes files.
 * Everywhere else a body has less time. Asked once a second instead of by a timer for each request. Returns what must be
 * told of every request.
 */
export function endSlowBodies(app: App): (request: FastifyRequest) => void {
  const awaited = new Map<IncomingMessage, number>()

  function sweep(): void {
    const now = performance.now()
    for (const [request, deadline] of awaited) {
      if (request.complete || request.destroyed) awaited.delete(request)
      else if (deadline < now) {
        awaited.delete(request)
        answerClientError(Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), request.socket)
      }
    }
  }
  const sweeping = setInterval(sweep, 1_000).unref()
  app.addHook('onClose', () => clearInterval(sweeping))

  return ({ raw, routeOptions }) => {
    if (routeOptions.config.mayBeLarge) return
    const hasBody = 'content-length' in raw.headers || 'transfer-encoding' in raw.headers
    if (hasBody) awaited.set(raw, performance.now() + limits.requestMs)
  }
}
