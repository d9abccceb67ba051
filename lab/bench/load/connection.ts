import { once } from 'node:events'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** `isPlain`: without TLS, as a proxy does that has ended it. */
export type Target = { port: number; certificate: string; isPlain?: boolean }

export type Connection = { socket: Socket; send: (request: string) => void; close: () => void }

export type Listener = { answered: (status: number, body: string) => void; closed: () => void }

/**
 * A keep-alive connection with one request on its way at a time. Neither `node:https` nor undici: the client shares
 * the cores with the server, and reading nothing but status and length takes half of what they take.
 */
export async function connect({ port, certificate, isPlain }: Target, listener: Listener): Promise<Connection> {
  const socket = isPlain
    ? connectPlain(port, '127.0.0.1')
    : connectTls({ host: '127.0.0.1', port, ca: certificate, servername: 'localhost' })
  await once(socket, isPlain ? 'connect' : 'secureConnect')
  socket.setNoDelay(true)
  let received = ''
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1')
    const answer = readAnswer(received)
    if (!answer) return
    received = ''
    listener.answered(answer.status, answer.body)
  })
  socket.on('error', () => {}) // told by `close`
  socket.on('close', () => listener.closed())
  return {
    socket,
    send: (request) => socket.write(request, 'latin1'),
    close: () => socket.destroy(),
  }
}

/** Undefined until all of it has arrived. Every answer to our requests names its length. */
function readAnswer(text: string): { status: number; body: string } | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
  if (length === undefined) throw new Error(`an answer without a length: ${text.slice(0, headEnd)}`)
  const body = text.slice(headEnd + 4)
  return body.length < Number(length) ? undefined : { status: Number(text.slice(9, 12)), body }
}
