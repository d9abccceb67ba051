import { refuseOtherUser } from '../../business/sessions/guard.ts'
import type { Handlers } from '../../business/sessions/handlers.ts'
import type { Streams } from './streams.ts'

export function liveHandlers(streams: Streams): Pick<Handlers, 'GET /api/live'> {
  return {
    'GET /api/live': async ({ session, query, http, reply }) => {
      refuseOtherUser(session, query.user)
      return http.method === 'HEAD' ? reply.type('text/event-stream').send() : streams.open(session, reply)
    },
  }
}
