import { validateHeaderName, validateHeaderValue } from 'node:http'
import { BoundedMap } from '../collections.ts'
import { type Connect, openAgents } from './agents.ts'
import type { Call } from './call.ts'
import { openConnections } from './connections.ts'
import { dispatch } from './dispatch.ts'
import type { Reader } from './reader.ts'

export type Sender = {
  /** Sends one request; returns what ends it, after the answer or before. */
  send: (request: { target: URL; call: Call; signal: AbortSignal }, reader: Reader) => () => void
  /** Closes idle connections. Requests in flight continue; their connections are closed after them. */
  close: () => void
}

const mostOrigins = 10_000

/**
 * Requests leave by undici, which takes less time than `node:http` but closes the connection at a `100 Continue`. So
 * `node:http` reads an answer that undici does not, on the same connection and from its first byte: the request is not
 * sent again. Later requests to that origin leave by `node:http`, which can keep the connection after such an answer.
 */
export function openSender(connect: Connect, headerBytes: number): Sender {
  const agents = openAgents(connect, headerBytes)
  const connections = openConnections(connect, headerBytes)
  const forNode = new BoundedMap<string, true>(mostOrigins)
  return {
    send(request, reader) {
      assertHeaders(request.call)
      const { origin } = request.target
      if (forNode.has(origin)) return agents.send(request, reader)
      let endReading: (() => void) | undefined
      const endRequest = dispatch(connections, request, reader, (line) => {
        forNode.set(origin, true)
        endReading = agents.read(request, reader, line)
      })
      return () => {
        endRequest()
        endReading?.()
      }
    },
    close() {
      agents.close()
      connections.close()
    },
  }
}

/** These decide where a request ends and where it goes; callers must not set them. */
const framing = /^(host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer|keep-alive|proxy-.*)$/i

/** Refuses also characters that would end the line. */
function assertHeaders({ headers }: Call): void {
  for (const [name, value] of Object.entries(headers)) {
    if (framing.test(name)) throw new TypeError(`the header ${name} is not the caller's to set`)
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
}
