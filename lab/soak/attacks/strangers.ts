import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { Client } from 'pg'
import { openSender } from '../../common/sender.ts'
import { chatHeaders, type Guest, newGuest, streamRequest, writeAsGuest } from '../../common/website-chat.ts'
import { openBrowser } from '../browser.ts'
import { connectChat } from '../connect-chat.ts'
import { openTenants } from '../tenants.ts'
import { type Attack, type Counts, count } from './attack.ts'
import { atRate, keepInFlight, openCountingSender } from './requests.ts'

const streams = { sockets: 5_000, guests: 2_000 }
/** What a channel is limited to that sets nothing else. */
const usual = { contactsAMinute: 60, contactsADay: 2_000 }

/** WC16 to WC18 at once: everything that strangers can do to a chat, whose limits are the usual ones. */
export const strangers: Attack = async (order, started) => {
  const { port, database } = order
  const tenants = started.use(openTenants(order))
  using browser = openBrowser(port, (await tenants.make()).session)
  const flooded = await connectChat(browser, 'usual')
  const known = await meet(port, await connectChat(browser))
  const client = new Client(database)
  client.on('error', () => {})
  await client.connect()
  started.defer(() => client.end())
  return async (stopping) => {
    const startedAt = performance.now()
    const counts: Counts = {}
    const beginning = [
      fromOneAddress(port, flooded, counts, stopping),
      fromEverywhere(port, flooded, counts, stopping),
      forge(port, flooded, counts, stopping),
      holdStreams(port, known, counts, stopping),
    ]
    await Promise.all(beginning)
    const { rows } = await client.query('select count(*)::int as n from contact_addresses where channel_id = $1', [
      flooded,
    ])
    const made = Number(rows[0]?.n)
    count(counts, 'strangers who got in', made)
    const minutes = (performance.now() - startedAt) / 60_000
    const most = Math.min(usual.contactsADay, usual.contactsAMinute * (Math.ceil(minutes) + 1))
    if (made > most) count(counts, `broken: contacts beyond the ${most} that may come`, made - most)
    if (made === 0) count(counts, 'broken: nobody got in', 1)
    return counts
  }
}

/** People of another chat who have written before. */
async function meet(port: number, channelId: string): Promise<Guest[]> {
  const sender = openSender({ port })
  const guests = Array.from({ length: streams.guests }, (_, n) => newGuest(channelId, n))
  const rest = guests.values()
  const write = async () => {
    for (const guest of rest) {
      const { status } = await sender.send(writeAsGuest(guest, 'Hello'))
      if (status !== 201) throw new Error(`a first message was answered with ${status}`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, write))
  return guests
}

const stranger = (channelId: string, from: string) => ({ ...newGuest(channelId, 0), from })

/** WC16 */
async function fromOneAddress(port: number, channelId: string, counts: Counts, stopping: AbortSignal): Promise<void> {
  const own: Counts = {}
  const send = openCountingSender(port, own)
  await keepInFlight(50, stopping, () => send(writeAsGuest(stranger(channelId, '203.0.113.9'), 'Hello')))
  tell(counts, 'one address', own)
}

/** WC17: every /64 of one IPv6 /48, and IPv4 addresses anywhere. */
async function fromEverywhere(port: number, channelId: string, counts: Counts, stopping: AbortSignal): Promise<void> {
  const own: Counts = {}
  const send = openCountingSender(port, own)
  await atRate(200, stopping, (n) => {
    const v6 = `2001:db8:77:${(n % 65_536).toString(16)}::1`
    const v4 = `${20 + (n % 100)}.${(n >> 8) & 255}.${(n * 7) & 255}.${n & 255}`
    return send(writeAsGuest(stranger(channelId, n % 2 === 0 ? v6 : v4), 'Hello'))
  })
  tell(counts, 'everywhere', own)
}

/** Tokens that no shop has signed. */
async function forge(port: number, channelId: string, counts: Counts, stopping: AbortSignal): Promise<void> {
  const own: Counts = {}
  const send = openCountingSender(port, own)
  await atRate(20, stopping, (n) => {
    const guest = { ...newGuest(channelId, n), bearer: `j.${'e30'.repeat(20)}.${'e30'.repeat(20)}.${'A'.repeat(43)}` }
    return send({ method: 'GET', path: `/chat/${channelId}/messages`, headers: chatHeaders(guest), body: undefined })
  })
  tell(counts, 'forged', own)
}

/** WC18: streams of people who are known, more than there may be; nobody reads them. */
async function holdStreams(port: number, guests: Guest[], counts: Counts, stopping: AbortSignal): Promise<void> {
  const own: Counts = {}
  const over = once(stopping, 'abort')
  const hold = async (n: number) => {
    await sleep(n * 4) // not all handshakes at once
    while (!stopping.aborted) {
      const guest = guests[n % guests.length]
      const socket = connect({ host: '127.0.0.1', port, servername: 'localhost', rejectUnauthorized: false })
      socket.on('error', () => {}) // `close` follows
      const closed = once(socket, 'close').catch(() => {})
      socket.once('data', (data) => {
        count(own, data.toString('latin1', 9, 12))
        socket.pause()
      })
      if (guest) socket.write(streamRequest(guest, 0))
      await Promise.race([closed, over])
      socket.destroy()
      await sleep(5_000, undefined, { signal: stopping }).catch(() => {})
    }
  }
  await Promise.all(Array.from({ length: streams.sockets }, (_, n) => hold(n)))
  tell(counts, 'stream', own)
}

function tell(counts: Counts, what: string, own: Counts): void {
  for (const [status, n] of Object.entries(own)) count(counts, `${what} ${status}`, n)
}
