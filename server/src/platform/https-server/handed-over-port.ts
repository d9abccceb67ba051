import { mkdtemp, rm } from 'node:fs/promises'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from '../http-app.ts'

/**
 * Serves the connections that another process has accepted.
 *
 * Node sets up the timeouts of a server when it begins to listen, and a server that listens is closed as a whole: so it
 * listens, on a socket of its own that nobody can reach, as its folder is removed at once.
 */
export async function serveHandedOver(app: App): Promise<(socket: Socket) => void> {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-'))
  await app.listen({ path: join(folder, 's') })
  await rm(folder, { recursive: true, force: true })
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
