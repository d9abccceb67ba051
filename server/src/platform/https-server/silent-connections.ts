import type { Server } from 'node:https'
import type { Socket } from 'node:net'

/**
 * Closes a connection unless the returned function is called in time. A process that was stalled runs its timers before it
 * reads what has arrived meanwhile: so that is read first, and a peer that has sent something gets the same time again, once.
 */
export function closeUnlessDone(socket: Socket, ms: number): () => void {
  let timer = setTimeout(lookAgain, ms)
  let isDone = false
  let isExtended = false

  function lookAgain(): void {
    const readBefore = socket.bytesRead
    setImmediate(() => {
      if (isDone) return
      if (isExtended || socket.bytesRead === readBefore) {
        socket.destroy()
        return
      }
      isExtended = true
      timer = setTimeout(lookAgain, ms)
    })
  }

  const done = () => {
    isDone = true
    clearTimeout(timer)
  }
  socket.once('close', done)
  return done
}

/** Limits the time of TLS handshakes: call the returned function with each connection that begins one. */
export function limitHandshakes(server: Server, ms: number): (socket: Socket) => void {
  const running = new Map<string, () => void>() // the socket that Node reports in the end is another object
  server.on('secureConnection', (socket: Socket) => running.get(peerOf(socket))?.())
  return (socket) => {
    const peer = peerOf(socket)
    const done = closeUnlessDone(socket, ms)
    running.set(peer, done)
    socket.once('close', () => running.get(peer) === done && running.delete(peer))
  }
}

const peerOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
