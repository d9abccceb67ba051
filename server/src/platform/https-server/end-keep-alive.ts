import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:https'
import { connectionOf } from './requests-in-flight.ts'

/**
 * From now on each answer says `connection: close` and ends its connection. A server that is about to stop closes idle
 * connections, and a request that a client or proxy sends on one at that moment gets no answer; whoever was told before
 * connects anew, to another server. Not for a client that pipelines: what it has sent already would stay unanswered.
 */
export function endKeepAlive(server: Server): void {
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (!connectionOf(socket)?.isPipelining) response.setHeader('connection', 'close')
  })
}
