import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** An address that is known before the server has a port: what comes there goes to the server. */
export type Entrance = AsyncDisposable & {
  url: string
  leadTo: (url: string) => void
  /** From now on what comes goes in, and the connection ends instead of an answer. Returns what ends that. */
  loseAnswers: () => () => void
}

export async function startEntrance(): Promise<Entrance> {
  let port = 0
  let losesAnswers = false
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const inner = connect(port, '127.0.0.1')
    for (const end of [socket, inner]) {
      sockets.add(end)
      end.on('close', () => sockets.delete(end))
    }
    socket.on('error', () => inner.destroy())
    inner.on('error', () => socket.destroy())
    socket.pipe(inner).pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    leadTo: (url) => {
      port = Number(new URL(url).port)
    },
    loseAnswers: () => {
      losesAnswers = true
      return () => {
        losesAnswers = false
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
