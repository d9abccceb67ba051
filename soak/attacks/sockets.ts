import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { type Counts, count } from './attack.ts'

/** A TLS connection that counts the answers it reads by status; undefined when it could not be made. */
async function openSocket(port: number, counts: Counts): Promise<CountingSocket | undefined> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', rejectUnauthorized: false })
  socket.on('error', () => {}) // told by `close`
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
    rest = rest.slice(-12) // shorter than what is looked for, so that none is found twice
    counting.answers += statuses.length
    if (statuses.length > 0) counting.onAnswers()
  })
  void closed.then(() => count(counts, 'closed'))
  return counting
}

export type CountingSocket = { socket: TLSSocket; closed: Promise<void>; answers: number; onAnswers: () => void }

/** Writes all of it, as fast as the other side takes it. */
export async function pour({ socket, closed }: CountingSocket, text: string | Buffer): Promise<void> {
  if (!socket.destroyed && !socket.write(text)) await Promise.race([once(socket, 'drain').catch(() => {}), closed])
}

/** Resolves when so many answers have come in all, or the connection is closed, or the patience is over. */
export async function untilAnswers(counting: CountingSocket, wanted: number, patienceMs = 60_000): Promise<void> {
  const enough = Promise.withResolvers<void>()
  counting.onAnswers = () => counting.answers >= wanted && enough.resolve()
  counting.onAnswers()
  await Promise.race([enough.promise, counting.closed, sleep(patienceMs, undefined, { ref: false })])
}

type Play = (socket: CountingSocket, ending: AbortSignal) => Promise<void>

/** Keeps so many connections at it: one that is closed is followed by another. */
export async function keepPlaying(
  { sockets, port, counts }: { sockets: number; port: number; counts: Counts },
  ending: AbortSignal,
  play: Play,
): Promise<void> {
  async function playOne(): Promise<void> {
    while (!ending.aborted) {
      const socket = await openSocket(port, counts)
      const over = new Promise<void>((resolve) => ending.addEventListener('abort', () => resolve()))
      if (socket) await Promise.race([play(socket, ending), over])
      socket?.socket.destroy()
      await sleep(100, undefined, { ref: false })
    }
  }
  await Promise.all(Array.from({ length: sockets }, playOne))
}
