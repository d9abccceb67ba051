import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { limits } from '@patchbay/contract/limits.ts'
import type { App } from '../http-app.ts'
import { OperatorError } from '../operator-error.ts'

export type ReservedPort = {
  port: number
  /** The app listens on the port from now on, and gets the connections that were accepted before. */
  handOverTo: (app: App) => Promise<void>
  /**
   * Gives every connection to whoever `give` finds for it, instead of to an app. While it returns false they wait,
   * until `retry` is called.
   */
  distribute: (give: (socket: Socket) => boolean) => { retry: () => void }
  [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Listens on the port before anything else is done, so that a start that cannot have it changes nothing. Clients that
 * connect meanwhile wait: no byte is read until there is an app that can answer.
 */
export async function reservePort({
  host,
  port,
  chatStreams = 0,
}: {
  host: string
  port: number
  chatStreams?: number
}): Promise<ReservedPort> {
  const waiting = new Set<Socket>()
  let give = (_: Socket) => false
  const accept = (socket: Socket) => void (give(socket) || waiting.add(socket))
  const server = createServer({ pauseOnConnect: true, noDelay: true }, accept)
  server.maxConnections = limits.sockets + chatStreams
  try {
    await once(server.listen({ host, port }), 'listening')
  } catch (cause) {
    throw new OperatorError(
      `Cannot listen on ${host} port ${port} (${reasonNotListening(cause)}); set HOST and PORT.`,
      { cause },
    )
  }
  let isHandedOver = false
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port, never on a pipe
    handOverTo: async (app) => {
      // Node listens on the handle of another server if `_handle` is set, and then ignores host and port.
      const handle = { _handle: Reflect.get(server, '_handle') as unknown }
      isHandedOver = true
      await app.listen({ host, port, ...handle })
      for (const socket of waiting) app.server.emit('connection', socket)
      waiting.clear()
    },
    distribute: (giveAway) => {
      give = giveAway
      const retry = () => {
        for (const socket of waiting) if (give(socket)) waiting.delete(socket)
      }
      retry()
      return { retry }
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of waiting) socket.destroy()
      // Not awaited: connections that were given away stay open until their process has answered.
      if (!isHandedOver && server.listening) server.close()
    },
  }
}

/** Why a server could not listen. */
export function reasonNotListening(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') return 'something else listens there'
  return code === 'EACCES' ? 'ports below 1024 need privileges' : String(code ?? error)
}
