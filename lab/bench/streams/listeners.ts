import { once } from 'node:events'
import { connect } from 'node:tls'
import { serveOrders } from '../helper-process.ts'
import type { Target } from '../load/connection.ts'

/** What the runner asks of this process, one thing at a time: to open a stream with each cookie, or to end them all. */
export type ListenOrder = (Target & { cookies: string[] }) | 'close'

/** What came over all streams until they were closed, and how many the server has ended by itself. */
export type Heard = { events: number; bytes: number; ended: number }

type Open = { close: () => void }

let open: Open[] = []
let heard: Heard = { events: 0, bytes: 0, ended: 0 }

serveOrders(carryOut)

async function carryOut(order: ListenOrder): Promise<Heard> {
  if (order === 'close') {
    for (const stream of open) stream.close()
    open = []
    return heard
  }
  heard = { events: 0, bytes: 0, ended: 0 }
  open = await Promise.all(order.cookies.map((cookie) => listen(order, cookie)))
  return heard
}

/** A browser's stream, once it has got its hello. The events are counted and not read: browsers are other machines. */
async function listen({ port, certificate }: Target, cookie: string): Promise<Open> {
  const socket = connect({ host: '127.0.0.1', port, ca: certificate, servername: 'localhost' })
  await once(socket, 'secureConnect')
  const hello = Promise.withResolvers<void>()
  let [head, isClosed] = ['', false]
  socket.on('data', (data: Buffer) => {
    if (head !== 'read') head = readHead(head + data.toString('latin1'), hello)
    heard.bytes += data.length
    for (let at = data.indexOf('data: '); at !== -1; at = data.indexOf('data: ', at + 1)) heard.events += 1
  })
  socket.on('error', () => {}) // told by `close`
  socket.on('close', () => {
    hello.reject(new Error('the server ended a stream before its hello'))
    if (!isClosed) heard.ended += 1
  })
  socket.write(`GET /api/live HTTP/1.1\r\nhost: localhost:${port}\r\ncookie: ${cookie}\r\n\r\n`)
  await hello.promise
  return {
    close: () => {
      isClosed = true
      socket.destroy()
    },
  }
}

function readHead(text: string, hello: PromiseWithResolvers<void>): string {
  if (!text.includes('"hello"')) {
    if (text.startsWith('HTTP/1.1 2') || text.length < 12) return text
    hello.reject(new Error(`no stream: ${text}`))
  }
  hello.resolve()
  return 'read'
}
