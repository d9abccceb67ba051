import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { type Guest, streamRequest } from '../../../common/website-chat.ts'
import { type Browser, change } from '../../browser.ts'
import { type Counts, count } from '../attack.ts'

const open = (port: number) => {
  const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', rejectUnauthorized: false })
  socket.on('error', () => {}) // `close` follows
  return socket
}

/** More streams than there may be, of people who are known. Nobody reads them; who is refused comes again. */
export async function holdStreams(
  port: number,
  { sockets, guests }: { sockets: number; guests: Guest[] },
  stopping: AbortSignal,
): Promise<Counts> {
  const counts: Counts = {}
  let [held, most] = [0, 0]
  const over = once(stopping, 'abort')
  const hold = async (n: number) => {
    await sleep(n * 4) // not all handshakes at once
    while (!stopping.aborted) {
      const guest = guests[n % guests.length]
      const socket = open(port)
      const closed = once(socket, 'close').catch(() => {})
      let isHeld = false
      socket.once('data', (data) => {
        const status = data.toString('latin1', 9, 12)
        count(counts, `streams: ${status}`)
        isHeld = status === '200'
        if (isHeld) held += 1
        most = Math.max(most, held)
        socket.pause()
      })
      if (guest) socket.write(streamRequest(guest, 0))
      await Promise.race([closed, over])
      socket.destroy()
      if (isHeld) held -= 1
      await sleep(5_000, undefined, { signal: stopping }).catch(() => {})
    }
  }
  await Promise.all(Array.from({ length: sockets }, (_, n) => hold(n)))
  return { ...counts, 'streams: most at once': most }
}

const replies = { count: 500, text: '☕'.repeat(4_000) }

/** Visitors who hear nothing while six megabytes are written to each: their streams have to end long before all of it has been kept for them. */
export async function keepDeaf(
  port: number,
  { guests, contactIds, browser }: { guests: Guest[]; contactIds: string[]; browser: Browser },
  stopping: AbortSignal,
): Promise<Counts> {
  const deaf = await Promise.all(guests.map((guest) => listenAndPause(port, guest)))
  let n = 0
  for (; n < replies.count && !stopping.aborted; n += 1) {
    for (const contactId of contactIds) {
      const given = { body: `${n} ${replies.text.slice(10)}`, clientId: `deaf-${n}-${contactId}` }
      await change(browser, 'POST', `/api/conversations/${contactId}/replies`, given)
    }
    await sleep(20)
  }
  const all = n * Buffer.byteLength(replies.text)
  const ended = await Promise.all(deaf.map((socket) => readToEnd(socket)))
  const late = ended.filter((bytes) => bytes === undefined || bytes > all / 2)
  const mostKib = Math.round(Math.max(0, ...ended.map((bytes) => bytes ?? all)) / 1_024)
  return {
    'streams that read nothing: cut off': ended.length - late.length,
    'streams that read nothing: KiB under way when they were': mostKib,
    ...(late.length > 0 && { 'broken: streams that read nothing and were not cut off': late.length }),
  }
}

async function listenAndPause(port: number, guest: Guest): Promise<TLSSocket> {
  const socket = open(port)
  socket.write(streamRequest(guest, 0))
  await once(socket, 'data')
  socket.pause()
  return socket
}

/** How many bytes were on their way when the server ended it; undefined: it did not. */
async function readToEnd(socket: TLSSocket): Promise<number | undefined> {
  let bytes = 0
  socket.on('data', (data) => {
    bytes += data.length
  })
  const closed = once(socket, 'close').then(
    () => true,
    () => true,
  )
  const isEnded = await Promise.race([closed, sleep(10_000, false, { ref: false })])
  socket.destroy()
  return isEnded ? bytes : undefined
}

const teamStreams = 5

/** What the team hears while strangers take all the streams they can have. */
export async function keepTeamsStreams(port: number, session: string, stopping: AbortSignal): Promise<Counts> {
  const counts: Counts = { 'streams of the team: open': 0, 'streams of the team: beats': 0 }
  const sockets = await Promise.all(
    Array.from({ length: teamStreams }, async () => {
      const socket = open(port)
      socket.on('data', (data) => {
        if (data.includes('"beat"')) count(counts, 'streams of the team: beats')
      })
      socket.on('close', () => !stopping.aborted && count(counts, 'broken: streams of the team that were ended'))
      const cookie = `__Host-patchbay=${session}`
      socket.write(`GET /api/live HTTP/1.1\r\nhost: localhost\r\ncookie: ${cookie}\r\n\r\n`)
      await once(socket, 'data')
      count(counts, 'streams of the team: open')
      return socket
    }),
  )
  if (!stopping.aborted) await once(stopping, 'abort')
  for (const socket of sockets) socket.destroy()
  return counts
}
