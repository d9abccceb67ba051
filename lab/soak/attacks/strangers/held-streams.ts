import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { type Guest, streamRequest } from '../../../common/website-chat.ts'
import type { Browser } from '../../browser.ts'
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
    await sleep(n * 8) // not all handshakes at once
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

const replies = { count: 600, text: '☕'.repeat(4_000) }

/** What both kernels keep for a connection that nobody reads, before the server's own memory has to. */
const mostOnTheWay = 5 * 2 ** 20

/** Visitors who hear nothing: seven megabytes are written to each, and their streams have to end long before all of it has been kept for them. */
export async function openDeaf(port: number, { guests, contactIds, browser }: Deaf): Promise<Stretch> {
  const sockets = await Promise.all(guests.map((guest) => opened(port, streamRequest(guest, 0))))
  const deaf = sockets.map(pauseAndWatch)
  return async (stopping) => {
    const counts: Counts = {}
    const write = async (n: number, contactId: string) => {
      const given = { body: `${n} ${replies.text.slice(10)}`, clientId: `deaf-${n}-${contactId}` }
      const path = `/api/conversations/${contactId}/replies`
      const { status } = await browser.call('POST', path, given).catch(() => ({ status: 'lost' }))
      count(counts, `replies of the team that is flooded: ${status}`)
    }
    for (let n = 0; n < replies.count && !stopping.aborted; n += 1) {
      await Promise.all(contactIds.map((contactId) => write(n, contactId)))
      await sleep(20)
    }
    const written = counts['replies of the team that is flooded: 200'] ?? 0
    const all = (written / contactIds.length) * Buffer.byteLength(replies.text)
    const read = await Promise.all(deaf.map(({ readToEnd }) => readToEnd()))
    const late = all > mostOnTheWay ? read.filter((bytes) => bytes === undefined || bytes > mostOnTheWay) : []
    return {
      ...counts,
      'streams that read nothing: KiB written to each': Math.round(all / 1_024),
      'streams that read nothing: cut off': read.filter((bytes) => bytes !== undefined).length,
      'streams that read nothing: KiB on their way then': Math.round(Math.max(0, ...read.map((is) => is ?? 0)) / 1_024),
      ...(late.length > 0 && { 'broken: streams that read nothing and were not cut off': late.length }),
    }
  }
}

type Deaf = { guests: Guest[]; contactIds: string[]; browser: Browser }
export type Stretch = (stopping: AbortSignal) => Promise<Counts>

/** A stream whose beginning has come. */
async function opened(port: number, request: string): Promise<TLSSocket> {
  const socket = open(port)
  socket.write(request)
  await once(socket, 'data')
  return socket
}

/** `readToEnd`: how many bytes were on their way when the server ended it; undefined: it did not. */
function pauseAndWatch(socket: TLSSocket): { readToEnd: () => Promise<number | undefined> } {
  const closed = new Promise<true>((resolve) => socket.once('close', () => resolve(true)))
  socket.pause()
  return {
    readToEnd: async () => {
      let bytes = 0
      socket.on('data', (data) => {
        bytes += data.length
      })
      socket.resume()
      const isEnded = await Promise.race([closed, sleep(10_000, false, { ref: false })])
      socket.destroy()
      return isEnded ? bytes : undefined
    },
  }
}

const teamStreams = 5

/** What the team hears while strangers take all the streams they can have. */
export async function openTeamsStreams(port: number, session: string): Promise<Stretch> {
  const request = `GET /api/live HTTP/1.1\r\nhost: localhost\r\ncookie: __Host-patchbay=${session}\r\n\r\n`
  const sockets = await Promise.all(Array.from({ length: teamStreams }, () => opened(port, request)))
  const counts: Counts = { 'streams of the team: open': sockets.length, 'streams of the team: beats': 0 }
  let isOver = false
  for (const socket of sockets) {
    socket.on('data', (data) => data.includes('"beat"') && count(counts, 'streams of the team: beats'))
    socket.on('close', () => !isOver && count(counts, 'broken: streams of the team that were ended'))
  }
  return async (stopping) => {
    if (!stopping.aborted) await once(stopping, 'abort')
    isOver = true
    for (const socket of sockets) socket.destroy()
    return counts
  }
}
