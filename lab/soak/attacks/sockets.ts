import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { type Counts, count } from './attack.ts'

/** A TLS connection that counts the responses it reads by status; undefined when it could not connect. */
async function openSocket(port: number, counts: Counts): Promise<CountingSocket | undefined> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', rejectUnauthorized: false })
  socket.on('error', () => {}) // `close` follows
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const connected = once(socket, 'secureConnect').then(
    () => true,
    () => false,
  )
  const tooLate = sleep(10_000, false, { ref: false })
  if (!(await Promise.race([connected, closed, tooLate]))) {
    socket.destroy()
    count(counts, 'not connected')
    return undefined
  }
  socket.setNoDelay(true)
  const counting = { socket, closed, answers: 0, onAnswers: () => {} }
  let rest = ''
  socket.on('data', (data: Buffer) => {
    rest += data.toString('latin1')
    const statuses = rest.match(/HTTP\/1\.1 \d{3} /g) ?? []
    for (const status of statuses) count(counts, status.slice(9, 12))
    rest = rest.slice(-12) // shorter than the pattern, so that none is counted twice
    counting.answers += statuses.length
    if (statuses.length > 0) counting.onAnswers()
  })
  void closed.then(() => count(counts, 'closed'))
  return counting
}

export type CountingSocket = { socket: TLSSocket; closed: Promise<void>; answers: number; onAnswers: () => void }

/** Writes all of it, as fast as the other side reads it. */
export async function writeAll({ socket, closed }: CountingSocket, text: string | Buffer): Promise<void> {
  if (!socket.destroyed && !socket.write(text)) await Promise.race([once(socket, 'drain').catch(() => {}), closed])
}

/** Resolves when so many answers have come in all, or the connection is closed, or the timeout has passed. */
export async function untilAnswers(counting: CountingSocket, wanted: number, timeoutMs = 60_000): Promise<void> {
  const enough = Promise.withResolvers<void>()
  counting.onAnswers = () => counting.answers >= wanted && enough.resolve()
  counting.onAnswers()
  await Promise.race([enough.promise, counting.closed, sleep(timeoutMs, undefined, { ref: false })])
}

type Use = (socket: CountingSocket, stopping: AbortSignal) => Promise<void>

/** Keeps this many connections in use: one that is closed is replaced. */
export async function keepConnected(
  { sockets, port, counts }: { sockets: number; port: number; counts: Counts },
  stopping: AbortSignal,
  use: Use,
): Promise<void> {
  async function runOne(): Promise<void> {
    while (!stopping.aborted) {
      const socket = await openSocket(port, counts)
      const over = new Promise<void>((resolve) => stopping.addEventListener('abort', () => resolve()))
      if (socket) await Promise.race([use(socket, stopping), over])
      socket?.socket.destroy()
      await sleep(100, undefined, { ref: false })
    }
  }
  await Promise.all(Array.from({ length: sockets }, runOne))
}
