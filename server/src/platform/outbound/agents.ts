import { type ClientRequest, type ClientRequestArgs, Agent as PlainAgent, request as requestPlain } from 'node:http'
import { request as requestSecure, Agent as SecureAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Call, OutboundError } from './call.ts'
import { hostOf, portOf } from './check-target.ts'
import type { Reader } from './reader.ts'

type Request = { target: URL; call: Call; signal: AbortSignal }

export type Agents = {
  /** Returns what ends the request. */
  send: (request: Request, reader: Reader) => () => void
  /** Reads the answer to a request that has left already. */
  read: (request: Request, reader: Reader, connection: Duplex) => () => void
  close: () => void
}

export type Connect = (target: URL, signal: AbortSignal) => Promise<Socket>

/** Shorter than the 5 s after which common servers close an idle connection, so that we close it first. */
export const idleMs = 4000

/**
 * Sends by `node:http`. Keeps connections alive for the next request to the same origin, and opens new ones only by
 * `connect`. An agent without proxy settings reads none from the environment.
 */
export function openAgents(connect: Connect, headerBytes: number): Agents {
  const agents = { 'http:': openAgent(PlainAgent, connect), 'https:': openAgent(SecureAgent, connect) }
  return {
    send({ target, call, signal }, reader) {
      const isSecure = target.protocol === 'https:'
      const body = call.body ?? '' // as text it leaves together with the headers, in one write
      const options: ClientRequestArgs & ConnectOptions = {
        connectOptions: { target, signal },
        agent: isSecure ? agents['https:'] : agents['http:'],
        host: hostOf(target),
        port: portOf(target),
        method: call.method,
        path: target.pathname + target.search,
        headers: headersOf(target, call, Buffer.byteLength(body)),
        maxHeaderSize: headerBytes,
      }
      const request = isSecure ? requestSecure(options) : requestPlain(options)
      return readInto(reader, request.end(body))
    },
    read({ call }, reader, connection) {
      const options = { createConnection: () => connection, method: call.method, maxHeaderSize: headerBytes }
      const end = readInto(reader, requestPlain(options).end())
      return () => {
        end()
        connection.destroy()
      }
    },
    close() {
      for (const agent of Object.values(agents)) closeIdle(agent)
    },
  }
}

/** What is passed from the request to the connector through the options of the agent. */
type ConnectOptions = { connectOptions: { target: URL; signal: AbortSignal } }

function openAgent<Agent extends typeof PlainAgent>(Agent: Agent, connect: Connect): InstanceType<typeof PlainAgent> {
  const agent = new Agent({ keepAlive: true, timeout: idleMs })
  agent.createConnection = (options, done) => {
    const { target, signal } = (options as ClientRequestArgs & ConnectOptions).connectOptions // set by `send`
    connect(target, signal).then(
      (socket) => done?.(null, socket),
      (error) => done?.(error, undefined as never), // there is no socket to pass
    )
    return undefined
  }
  return agent
}

/** A flat list of names and values, which Node sends unchanged. */
function headersOf(target: URL, call: Call, bodyBytes: number): string[] {
  const headers = ['host', target.host]
  for (const [name, value] of Object.entries(call.headers)) headers.push(name, value)
  if (call.method !== 'GET' || bodyBytes > 0) headers.push('content-length', String(bodyBytes))
  return headers
}

/** Interim answers (1xx) are ignored, except 101, which would change the protocol. */
function readInto(reader: Reader, request: ClientRequest): () => void {
  request.on('error', reader.onError)
  request.on('upgrade', (_response, socket) => {
    socket.destroy()
    reader.onError(new OutboundError('invalid_response', 'The host answered with another protocol.'))
  })
  request.on('response', (response) => {
    reader.onHead(response.statusCode ?? 0, response.headers)
    response.on('data', reader.onData).on('end', reader.onEnd).on('error', reader.onError)
  })
  return () => request.destroy() // has no effect on a connection that is back in its agent
}

/** Requests in flight continue; their connections are closed after them. */
function closeIdle(agent: PlainAgent): void {
  agent.maxFreeSockets = 0
  for (const socket of Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])) socket.destroy()
}
