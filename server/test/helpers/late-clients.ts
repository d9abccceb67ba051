import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { parentPort, workerData } from 'node:worker_threads'

/*
 * Clients in a thread of their own, so that they go on while the thread of the server is blocked. They connect, send the
 * first bytes of a handshake, so many of each, and the rest when they are told to; then they ask for /. `written` is set
 * when all have sent it.
 */
const { port, firstBytes, written } = workerData as { port: number; firstBytes: number[]; written: Int32Array }

/** What TLS writes is kept from the first byte that is not to be sent yet. */
function openHeld(socket: Socket, free: number) {
  let left = free
  let kept: Buffer[] = []
  const held = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _encoding, done) => {
      if (left > 0) socket.write(chunk.subarray(0, left))
      if (left < chunk.length) kept.push(chunk.subarray(left))
      left = Math.max(0, left - chunk.length)
      done()
    },
  })
  socket.on('data', (data) => held.push(data))
  socket.on('close', () => held.destroy())
  socket.on('error', () => {})
  /** Resolves when the other side can read it. */
  const release = async () => {
    left = Number.POSITIVE_INFINITY
    const rest = Buffer.concat(kept)
    kept = []
    await new Promise((resolve) => socket.write(rest, resolve))
  }
  return { held, release }
}

async function askLate(free: number) {
  const socket = connectTcp(port, '127.0.0.1')
  await once(socket, 'connect')
  const { held, release } = openHeld(socket, free)
  const tls = connectTls({ socket: held, rejectUnauthorized: false })
  const answered = new Promise<boolean>((resolve) => {
    tls.once('data', () => resolve(true))
    tls.on('error', () => {})
    tls.once('close', () => resolve(false))
  })
  tls.once('secureConnect', () => tls.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'))
  return { release, answered, end: () => socket.destroy() }
}

const clients = await Promise.all(firstBytes.map(askLate))
parentPort?.once('message', async () => {
  await Promise.all(clients.map(({ release }) => release()))
  Atomics.store(written, 0, 1)
  Atomics.notify(written, 0)
  const answers = await Promise.all(clients.map(({ answered }) => answered))
  for (const { end } of clients) end()
  parentPort?.postMessage({ answered: answers.filter(Boolean).length })
})
parentPort?.postMessage('connected')
