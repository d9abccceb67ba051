import type { Handlers } from '../app-api/handlers.ts'
import type { Streams } from './streams.ts'

export function liveHandlers(streams: Streams): Pick<Handlers, 'GET /api/live'> {
  return { 'GET /api/live': ({ session, reply }) => streams.open(session, reply) }
}
