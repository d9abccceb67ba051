import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** An address that is known before the server has a port: what comes there goes to the server. */
export type Entrance = AsyncDisposable & {
  url: string
  leadTo: (url: string) => void
  /** How many connections have come so far. */
  taken: () => number
  /** What comes on open connections still goes in, and no answer comes out. Returns what ends these connections. */
  loseAnswers: () => () => void
}

export async function startEntrance(): Promise<Entrance> {
  let [port, taken] = [0, 0]
  /** Each with the one that it leads to. */
  const open = new Map<Socket, Socket>()
  const server = createServer((socket) => {
    taken += 1
    const inner = connect(port, '127.0.0.1')
    open.set(socket, inner)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => inner.destroy())
    inner.on('error', () => socket.destroy())
    socket.pipe(inner).pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const endAll = () => {
    for (const end of [...open].flat()) end.destroy()
  }
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    leadTo: (url) => {
      port = Number(new URL(url).port)
    },
    taken: () => taken,
    loseAnswers: () => {
      for (const [socket, inner] of open) inner.unpipe(socket)
      return endAll
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      endAll()
    },
  }
}
