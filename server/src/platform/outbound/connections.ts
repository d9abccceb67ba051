import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Client as UndiciClient } from 'undici'
import { type Connect, idleMs } from './agents.ts'
import { Line } from './line.ts'

/** An undici client with at most one connection, for one request at a time. */
export type Connection = {
  readonly client: UndiciClient
  line: Line | undefined
  /** Connects for the request that has the connection now. */
  dial: () => Promise<Socket>
}

export type Connections = {
  take: (target: URL, signal: AbortSignal) => Connection
  /** Keeps the connection for the next request to the origin, or closes it if it cannot be used again. */
  giveBack: (connection: Connection, origin: string) => void
  /** Requests in flight continue; their connections are closed after them. */
  close: () => void
}

// Only this file of undici: its index takes twice the time and memory, and replaces the agent of the global `fetch`.
const Client: typeof UndiciClient = createRequire(import.meta.url)('undici/lib/dispatcher/client.js')

/** Keeps connections alive for the next request to the same origin, and opens new ones only by `connect`. */
export function openConnections(connect: Connect, headerBytes: number): Connections {
  const idle = new Map<string, Connection[]>() // no origin is kept longer than its last connection
  let isOpen = true
  const removeIdle: OnDisconnect = (connection, origin) => {
    const others = idle.get(origin)?.filter((other) => other !== connection) ?? []
    if (others.length > 0) idle.set(origin, others)
    else idle.delete(origin)
  }
  return {
    take(target, signal) {
      const { origin } = target
      const dial = () => connect(target, signal)
      const connection = idle.get(origin)?.pop()
      if (connection) return Object.assign(connection, { dial })
      return openConnection(origin, dial, headerBytes, removeIdle)
    },
    giveBack(connection, origin) {
      connection.dial = dialForNobody // the former one would keep the last request and its answer in memory
      if (isOpen && connection.line?.isFree) idle.getOrInsertComputed(origin, () => []).push(connection)
      else closeConnection(connection)
    },
    close() {
      isOpen = false
      for (const connection of [...idle.values()].flat()) closeConnection(connection)
    },
  }
}

/** undici connects for requests only. */
function dialForNobody(): Promise<never> {
  return Promise.reject(new Error('there is no request to connect for'))
}

/** A request that has the connection fails. */
export function closeConnection({ client, line }: Connection): void {
  line?.close()
  void client.destroy()
}

type OnDisconnect = (connection: Connection, origin: string) => void

function openConnection(
  origin: string,
  dial: Connection['dial'],
  headerBytes: number,
  onDisconnect: OnDisconnect,
): Connection {
  const client = new Client(origin, {
    connect: (_options, done) => {
      connection.dial().then(
        (socket) => {
          connection.line = new Line(socket)
          done(null, connection.line as Duplex as Socket) // undici uses what any stream has
        },
        (error) => done(error, null),
      )
    },
    maxHeaderSize: headerBytes,
    allowH2: false,
    useMilo: false, // explicit, so that no environment variable can turn it on
    headersTimeout: 0, // the deadline of the attempt is the only one
    bodyTimeout: 0,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    keepAliveTimeoutThreshold: 1000, // before the time that the receiver offers
  })
  const connection: Connection = { client, line: undefined, dial }
  client.on('disconnect', () => onDisconnect(connection, origin))
  return connection
}
