import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import type { Refusal } from '../refusal.ts'
import { type Body, type BodyBudget, openBodyBudget } from './body-budget.ts'

/** A body of this size arrives together with its headers, and is not counted: every socket may hold as much anyway. */
const smallBytes = 16 * 1024
const largeBytes = 1024 * 1024

/**
 * Parsing a body of 16 MiB takes some 60 MB and tens of milliseconds, so only a few are read at a time. All smaller ones
 * take at most 16 MiB together, which costs some four times as much memory until they are stored. No owner gets all of
 * either budget.
 */
const largeAtOnce = { inAll: 4, ofOne: 3 }
const bytesAtOnce = { inAll: 16 * 1024 * 1024, ofOne: 8 * 1024 * 1024 }

/**
 * Runs before a body is read, and bounds the memory that all bodies take together. A body counts with its Content-Length,
 * which Node enforces, until its request is answered. A chunked body has no length: it is counted when more than
 * `smallBytes` of it have arrived, and again, as a large one, when it exceeds `limits.requestBytes`.
 */
export function admitBodies(ownerOf: (request: FastifyRequest) => string): preParsingHookHandler {
  const large = openBodyBudget(largeAtOnce)
  const others = openBodyBudget(bytesAtOnce)

  return (request, reply, payload, done) => {
    const { raw, headers, routeOptions } = request
    const isChunked = 'transfer-encoding' in headers
    const length = Number(headers['content-length'] ?? 0)
    // A body that is larger than its route allows passes here, and Fastify refuses it unread.
    if (!isChunked && (length <= smallBytes || length > (routeOptions.bodyLimit ?? length))) return done(null, payload)
    const owner = ownerOf(request)
    const reading = openReading(raw)
    const acquire = (budget: BodyBudget, weight: number, proceed: (refusal?: Refusal) => void) => {
      const body: Body = { owner, weight, ...reading }
      reply.raw.once('close', () => budget.release(body))
      budget.acquire(body, proceed)
    }
    const read = () => {
      payload.once('error', (error) => reading.counted.destroy(error))
      done(null, payload.pipe(reading.counted))
    }
    if (isChunked) {
      reading.checkAt(smallBytes, (proceed) => acquire(others, limits.requestBytes, proceed))
      reading.checkAt(limits.requestBytes, (proceed) => acquire(large, 1, proceed))
      return read()
    }
    const isLarge = length > largeBytes
    acquire(isLarge ? large : others, isLarge ? 1 : length, (refusal) => (refusal ? done(refusal) : read()))
  }
}

type Checkpoint = { atBytes: number; check: (proceed: (refusal?: Refusal) => void) => void }

/** A stream that counts the bytes that pass, and waits at each checkpoint until its check lets it proceed. */
function openReading(raw: IncomingMessage) {
  const checkpoints: Checkpoint[] = []
  let received = 0
  const counted = new Transform({
    transform(chunk: Buffer, _, pass) {
      received += chunk.length
      const [next] = checkpoints
      if (!next || received <= next.atBytes) return pass(null, chunk)
      checkpoints.shift()
      next.check((refusal) => (refusal ? pass(refusal) : pass(null, chunk)))
    },
  })
  return {
    counted,
    checkAt: (atBytes: number, check: Checkpoint['check']) => void checkpoints.push({ atBytes, check }),
    receivedBytes: () => received,
    isComplete: () => raw.complete,
    end: (refusal: Refusal) => void counted.destroy(refusal),
  }
}
