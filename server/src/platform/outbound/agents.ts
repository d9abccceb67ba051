import { type ClientRequest, type ClientRequestArgs, Agent as PlainAgent, request as requestPlain } from 'node:http'
import { request as requestSecure, Agent as SecureAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Call } from './call.ts'
import { hostOf, portOf } from './check-target.ts'

export type Agents = {
  start: (target: URL, call: Call, signal: AbortSignal) => ClientRequest
  close: () => void
}

type Connect = (target: URL, signal: AbortSignal) => Promise<Socket>

/** Shorter than the 5 s after which common servers close an idle connection, so that we close it first. */
const idleMs = 4000

/**
 * Keeps connections alive for the next request to the same origin, and opens new ones only by `connect`. An agent
 * without proxy settings reads none from the environment.
 */
export function openAgents(connect: Connect, headerBytes: number): Agents {
  const agents = { 'http:': openAgent(PlainAgent, connect), 'https:': openAgent(SecureAgent, connect) }
  return {
    start(target, call, signal) {
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
      return request.end(body)
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
    const { target, signal } = (options as ClientRequestArgs & ConnectOptions).connectOptions // set by `start`
    connect(target, signal).then(
      (socket) => done?.(null, socket),
      (error) => done?.(error, undefined as never), // there is no socket to pass
    )
    return undefined
  }
  return agent
}

/** These decide where a request ends and where it goes; callers must not set them. */
const framing = /^(host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer|keep-alive|proxy-.*)$/i

/** A flat list of names and values, which Node sends unchanged; it refuses characters that would end the line. */
function headersOf(target: URL, call: Call, bodyBytes: number): string[] {
  const headers = ['host', target.host]
  for (const [name, value] of Object.entries(call.headers)) {
    if (framing.test(name)) throw new TypeError(`the header ${name} is not the caller's to set`)
    headers.push(name, value)
  }
  if (call.method !== 'GET' || bodyBytes > 0) headers.push('content-length', String(bodyBytes))
  return headers
}

/** Requests in flight continue; their connections are closed after them. */
function closeIdle(agent: PlainAgent): void {
  agent.maxFreeSockets = 0
  for (const socket of Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])) socket.destroy()
}
