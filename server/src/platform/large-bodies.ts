import { Transform } from 'node:stream'
import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyReply, FastifyRequest, onRequestHookHandler, preParsingHookHandler } from 'fastify'
import { Refusal } from './refusal.ts'

/** Parsing one of 16 MiB takes some 60 MB and tens of milliseconds; a few at once leave room for everybody else. */
const atOnce = 4
/** Of one owner: who sends slowly must not keep all the others out. */
const atOnceOfOne = 3
const mostWaiting = 100
const largeBytes = 1024 * 1024
/** Of a body that does not say its length, so much is read before it has to wait. */
const unsaidBytes = limits.requestBytes

type Line = { inside: number; waiting: Set<() => void> }

export type LargeBodies = { onRequest: onRequestHookHandler; preParsing: preParsingHookHandler }

/**
 * Stands before the body is read: large ones are let in a few at a time, by turns of their owners, and are out when they
 * have been answered. The others wait unread, in their sender's buffers instead of our memory. Many clients never say a
 * length, so a body without one passes like any other until it turns out to be large.
 */
export function admitLargeBodies(ownerOf: (request: FastifyRequest) => string): LargeBodies {
  const lines = new Map<string, Line>()
  let inside = 0

  function admitNext(): void {
    for (const [owner, line] of lines) {
      if (inside >= atOnce) return
      const [admit] = line.waiting
      if (!admit || line.inside >= atOnceOfOne) continue
      line.waiting.delete(admit)
      line.inside += 1
      inside += 1
      lines.delete(owner)
      lines.set(owner, line) // at the end, where this loop comes by again
      admit()
    }
  }

  function enter(request: FastifyRequest, { raw }: FastifyReply, done: (refusal?: Refusal) => void): void {
    const owner = ownerOf(request)
    const line = lines.getOrInsertComputed(owner, () => ({ inside: 0, waiting: new Set() }))
    if (line.waiting.size >= mostWaiting) {
      done(busy())
      return
    }
    const admit = () => done()
    line.waiting.add(admit)
    raw.once('close', () => {
      const leftBeforeItsTurn = line.waiting.delete(admit)
      if (!leftBeforeItsTurn) {
        line.inside -= 1
        inside -= 1
      }
      if (line.inside + line.waiting.size === 0) lines.delete(owner)
      admitNext()
    })
    admitNext()
  }

  return {
    onRequest: (request, reply, done) => {
      if (isLarge(request)) enter(request, reply, done)
      else done()
    },
    preParsing: (request, reply, payload, done) => {
      if (!('transfer-encoding' in request.headers)) return done(null, payload)
      const gate = stopAt(unsaidBytes, (goOn) => enter(request, reply, goOn))
      payload.once('error', (error) => gate.destroy(error))
      done(null, payload.pipe(gate))
    },
  }
}

/** One that is larger than its route allows is none: it is refused unread. */
function isLarge({ headers, routeOptions }: FastifyRequest): boolean {
  const bytes = Number(headers['content-length'] ?? 0)
  return bytes > largeBytes && bytes <= (routeOptions.bodyLimit ?? bytes)
}

/** Passes on what it is given, but for so many bytes only, until it may go on. */
function stopAt(bytes: number, ask: (goOn: (refusal?: Refusal) => void) => void): Transform {
  let passed = 0
  return new Transform({
    transform(chunk: Buffer, _, pass) {
      const isFirstBeyond = passed <= bytes && passed + chunk.length > bytes
      passed += chunk.length
      if (isFirstBeyond) ask((refusal) => pass(refusal, chunk))
      else pass(null, chunk)
    },
  })
}

function busy(): Refusal {
  return new Refusal('RATE_LIMITED', 'The server is busy with large files; try again soon.', { retryAfterSeconds: 1 })
}
