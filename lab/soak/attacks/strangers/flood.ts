import { once } from 'node:events'
import { openClock, openLoadConnection } from '../../../bench/load/load-connection.ts'
import { newGuest, textOf, writeAsGuest } from '../../../common/website-chat.ts'
import { type Counts, count } from '../attack.ts'

/** New visitors of one chat, so many a second, each with a key of their own and from the address that is given. */
export type Flood = { what: string; channelId: string; perSecond: number; from: (n: number) => string }

const connections = 50

/** As fast as it is told, over plain connections, as a proxy makes them that has ended TLS. Counts what it tried and each answer by its reason. */
export async function flood(
  port: number,
  { what, channelId, perSecond, from }: Flood,
  stopping: AbortSignal,
): Promise<Counts> {
  const counts: Counts = {}
  let n = 0
  const source = {
    next: () => {
      count(counts, `${what}: tried`)
      n += 1
      return textOf(writeAsGuest({ ...newGuest(channelId, 0), from: from(n) }, 'Hello'))
    },
    answered: (status: number, body: string) => count(counts, `${what}: ${status}${reasonOf(body)}`),
    dropped: () => count(counts, `${what}: closed`),
  }
  const target = { port, certificate: '', isPlain: true }
  const opened = await Promise.all(Array.from({ length: connections }, () => openLoadConnection(target, source)))
  const clock = openClock(perSecond)
  for (const connection of opened) connection.start(clock)
  if (!stopping.aborted) await once(stopping, 'abort')
  clock.stop()
  await Promise.all(opened.map((connection) => connection.stop()))
  for (const connection of opened) connection.close()
  return counts
}

/** What a refusal says: for the chat in the browser, or else its code. */
function reasonOf(body: string): string {
  const why = /"reason":"([^"]*)"/.exec(body)?.[1] ?? /"error":"([^"]*)"/.exec(body)?.[1]
  return why === undefined ? '' : ` ${why}`
}

const byte = (n: number) => n & 255
const hex = (n: number) => (n & 65_535).toString(16)

/** 256 addresses of one /24 and 60,000 networks of one /48. */
export const fewNetworks = (n: number) =>
  n % 2 === 0 ? `203.0.114.${byte(n >> 1)}` : `2001:db8:77:${hex((n >> 1) % 60_000)}::1`

/** 65,536 networks of IPv4 (/24), and as many of IPv6 (/48). */
export const everywhere = (n: number) =>
  n % 2 === 0 ? `20.${byte(n >> 9)}.${byte(n >> 1)}.7` : `2a00:${hex(n >> 1)}::1`
