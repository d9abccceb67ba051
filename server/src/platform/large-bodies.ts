import type { FastifyReply, FastifyRequest, preParsingHookHandler } from 'fastify'
import { Refusal } from './refusal.ts'

/** Parsing one of 16 MiB takes some 60 MB and tens of milliseconds; a few at once leave room for everybody else. */
const atOnce = 3
const mostWaiting = 100
const largeBytes = 1024 * 1024

/**
 * Stands before the body is read: large ones are let in a few at a time, and are out when they have been answered. The
 * others wait unread, in their sender's buffers instead of our memory.
 */
export function admitLargeBodies(): preParsingHookHandler {
  const waiting: (() => void)[] = []
  let admitted = 0

  function admitNext(): void {
    while (admitted < atOnce && waiting.length > 0) waiting.shift()?.()
  }

  return (request, reply, payload, done) => {
    if (!isLarge(request)) return done(null, payload)
    if (waiting.length >= mostWaiting) return done(busy())
    waiting.push(() => {
      if (isGone(reply)) return
      admitted += 1
      reply.raw.once('close', () => {
        admitted -= 1
        admitNext()
      })
      done(null, payload)
    })
    admitNext()
  }
}

function isLarge({ headers }: FastifyRequest): boolean {
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > largeBytes
}

function isGone({ raw }: FastifyReply): boolean {
  return raw.destroyed || raw.closed
}

function busy(): Refusal {
  return new Refusal('RATE_LIMITED', 'The server is busy with large files; try again soon.', { retryAfterSeconds: 1 })
}
