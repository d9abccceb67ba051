import type { LiveEvent } from '@patchbay/contract/app/live.ts'
import type { FastifyReply } from 'fastify'
import type { Session } from '../../business/sessions/session-store.ts'

/** An event as it is sent: encoded once for all streams. */
export type EncodedEvent = string & { readonly encoded: unique symbol }

export function encode(event: LiveEvent): EncodedEvent {
  return `data: ${JSON.stringify(event)}\n\n` as EncodedEvent // made nowhere else
}

/** One browser that listens. */
export type Stream = {
  readonly session: Session
  write: (event: EncodedEvent) => void
  end: () => void
}

/** A browser that reads nothing for so many bytes is cut off; it connects again and fetches everything. */
const mostUnread = 64 * 1024

/** Begins the answer of server-sent events; `onClose` is called once, whoever ends it, and never before this has returned. */
export function openStream(session: Session, reply: FastifyReply, onClose: () => void): Stream {
  reply.hijack()
  const { raw } = reply
  if (raw.destroyed)
    queueMicrotask(onClose) // whoever asked has gone before this, and will not go again
  else raw.once('close', onClose)
  // Headers of hooks, such as the request id, are lost after `hijack` unless they are passed on.
  const headers = reply.getHeaders() as Record<string, string>
  raw.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
  return {
    session,
    write: (event) => {
      if (raw.writableEnded || raw.destroyed) return
      if (raw.writableLength > mostUnread) raw.destroy()
      else raw.write(event)
    },
    end: () => void raw.end(),
  }
}
