import { connect, type TLSSocket } from 'node:tls'

/** A raw TLS connection, and everything received on it so far. */
export type RawSocket = {
  socket: TLSSocket
  text: () => string
  /** The responses so far, in order. */
  answers: () => RawAnswer[]
  /** Waits until the other side has closed the connection. */
  closed: Promise<unknown>
  [Symbol.dispose]: () => void
}

export type RawAnswer = { status: number; headers: Record<string, string>; body: string }

export async function openRawSocket(url: string): Promise<RawSocket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false })
  const pieces: string[] = []
  socket.on('data', (data) => pieces.push(data.toString('latin1')))
  socket.on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await Promise.race([new Promise((resolve) => socket.once('secureConnect', resolve)), closed])
  const text = () => pieces.join('')
  return {
    socket,
    text,
    answers: () => readAnswers(text()),
    closed,
    [Symbol.dispose]: () => socket.destroy(),
  }
}

/** Sends one request unchanged, and waits for the response or the end of the connection. */
export async function askRaw(url: string, request: string): Promise<RawAnswer | undefined> {
  using raw = await openRawSocket(url)
  raw.socket.write(request, 'latin1')
  for (;;) {
    const [answer] = raw.answers().filter(({ status }) => status >= 200)
    if (answer || raw.socket.destroyed) return answer
    await Promise.race([new Promise((resolve) => raw.socket.once('data', resolve)), raw.closed])
  }
}

/** Complete responses only; a truncated one is left out. */
function readAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n\r\n', at)
    if (end === -1) return answers
    const [line = '', ...rest] = text.slice(at, end).split('\r\n')
    const headers = Object.fromEntries(
      rest.map((header) => header.split(': ', 2)).map(([name = '', value]) => [name.toLowerCase(), value ?? '']),
    )
    at = end + 4 + Number(headers['content-length'] ?? 0)
    if (at > text.length) return answers
    answers.push({ status: Number(line.split(' ')[1]), headers, body: text.slice(end + 4, at) })
  }
}
