import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from '../http-app.ts'

/**
 * Serves the connections that another process has accepted.
 *
 * Node sets up the timeouts of a server when it begins to listen, and a server that listens is closed as a whole: so it
 * listens, on a socket that accepts nobody. On Linux that is none of the file system, which may be read-only.
 */
export async function serveHandedOver(app: App): Promise<(socket: Socket) => void> {
  const name = `patchbay-${randomUUID()}`
  const path = process.platform === 'linux' ? `\0${name}` : join(tmpdir(), name)
  app.server.maxConnections = 0 // of those that it accepts itself
  await app.listen({ path })
  if (process.platform !== 'linux') await rm(path, { force: true })
  return (socket) => accept(app.server, socket)
}

/** What Node does with a connection that it accepts itself, so that closing the server waits for its requests. */
function accept(server: Server, socket: Socket): void {
  if (!server.listening) {
    socket.destroy() // it came after the stop
    return
  }
  socket.allowHalfOpen = true
  const counting = server as Server & { _connections: number }
  counting._connections += 1
  Object.assign(socket, { _server: server })
  server.emit('connection', socket)
}
