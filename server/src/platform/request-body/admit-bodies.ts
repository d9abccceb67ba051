import type { IncomingMessage } from 'node:http'
import { Transform } from 'node:stream'
import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import type { Refusal } from '../refusal.ts'
import { type Admission, type Body, openAdmission } from './body-budget.ts'

/** So much comes in one piece with its headers; every socket may hold as much uncounted. */
const smallBytes = 16 * 1024
const largeBytes = 1024 * 1024

/**
 * Parsing a body of 16 MiB takes some 60 MB and tens of milliseconds: a few at once leave room for everybody else. All
 * that are smaller take no more than 16 MiB together, which costs some four times as much on the way to their rows.
 * Neither is for one owner alone.
 */
const largeAtOnce = { inAll: 4, ofOne: 3 }
const bytesAtOnce = { inAll: 16 * 1024 * 1024, ofOne: 8 * 1024 * 1024 }

/**
 * Stands before a body is read, and bounds the memory that all of them take together. A body is counted by the length
 * that it says, which Node holds it to, until it is answered. One that says none passes like any other until it turns out
 * not to be small, and again not to be large.
 */
export function admitBodies(ownerOf: (request: FastifyRequest) => string): preParsingHookHandler {
  const large = openAdmission(largeAtOnce)
  const others = openAdmission(bytesAtOnce)

  return (request, reply, payload, done) => {
    const { raw, headers, routeOptions } = request
    const isUnsaid = 'transfer-encoding' in headers
    const length = Number(headers['content-length'] ?? 0)
    // What is larger than its route allows is refused unread.
    if (!isUnsaid && (length <= smallBytes || length > (routeOptions.bodyLimit ?? length))) return done(null, payload)
    const owner = ownerOf(request)
    const reading = openReading(raw)
    const enter = (admission: Admission, weight: number, goOn: (refusal?: Refusal) => void) => {
      const body: Body = { owner, weight, ...reading }
      reply.raw.once('close', () => admission.leave(body))
      admission.enter(body, goOn)
    }
    const read = () => {
      payload.once('error', (error) => reading.gate.destroy(error))
      done(null, payload.pipe(reading.gate))
    }
    if (isUnsaid) {
      reading.stopAt(smallBytes, (goOn) => enter(others, limits.requestBytes, goOn))
      reading.stopAt(limits.requestBytes, (goOn) => enter(large, 1, goOn))
      return read()
    }
    const isLarge = length > largeBytes
    enter(isLarge ? large : others, isLarge ? 1 : length, (refusal) => (refusal ? done(refusal) : read()))
  }
}

type Stop = { atBytes: number; ask: (goOn: (refusal?: Refusal) => void) => void }

/** Passes on what it is given, and counts it; beyond a stop only when it may go on. */
function openReading(raw: IncomingMessage) {
  const stops: Stop[] = []
  let received = 0
  const gate = new Transform({
    transform(chunk: Buffer, _, pass) {
      received += chunk.length
      const [stop] = stops
      if (!stop || received <= stop.atBytes) return pass(null, chunk)
      stops.shift()
      stop.ask((refusal) => (refusal ? pass(refusal) : pass(null, chunk)))
    },
  })
  return {
    gate,
    stopAt: (atBytes: number, ask: Stop['ask']) => void stops.push({ atBytes, ask }),
    receivedBytes: () => received,
    isComplete: () => raw.complete,
    end: (refusal: Refusal) => void gate.destroy(refusal),
  }
}
