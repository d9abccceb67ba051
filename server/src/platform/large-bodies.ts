import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { Refusal } from './refusal.ts'

/** Parsing one of 16 MiB takes some 60 MB and tens of milliseconds; a few at once leave room for everybody else. */
const atOnce = 3
const mostWaiting = 100
const largeBytes = 1024 * 1024

/**
 * Stands before the body is read: large ones are let in a few at a time, and are out when they have been answered. The
 * others wait unread, in their sender's buffers instead of our memory.
 */
export function admitLargeBodies(): onRequestHookHandler {
  const waiting = new Set<() => void>()
  let admitted = 0

  function admitNext(): void {
    for (const admit of waiting) {
      if (admitted >= atOnce) return
      waiting.delete(admit)
      admitted += 1
      admit()
    }
  }

  return (request, reply, done) => {
    if (!isLarge(request)) return done()
    if (waiting.size >= mostWaiting) return done(busy())
    const admit = () => done()
    waiting.add(admit)
    reply.raw.once('close', () => {
      if (waiting.delete(admit)) return // it left before its turn
      admitted -= 1
      admitNext()
    })
    admitNext()
  }
}

function isLarge({ headers }: FastifyRequest): boolean {
  return 'transfer-encoding' in headers || Number(headers['content-length'] ?? 0) > largeBytes
}

function busy(): Refusal {
  return new Refusal('RATE_LIMITED', 'The server is busy with large files; try again soon.', { retryAfterSeconds: 1 })
}
