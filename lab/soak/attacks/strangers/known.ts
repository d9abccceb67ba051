import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openSender } from '../../../common/sender.ts'
import { type Guest, newGuest, writeAsGuest } from '../../../common/website-chat.ts'
import { type Browser, change } from '../../browser.ts'
import { type Counts, count } from '../attack.ts'

/** People who have written before the flood: so many browsers, and so many customers whom the shop has signed. */
export type Known = { browsers: Guest[]; members: Guest[] }

/** A visitor may write twenty times a minute. */
const everyMs = 6_000

/** Writes for the first time. */
export async function meet(port: number, guests: Guest[]): Promise<Guest[]> {
  const sender = openSender({ port })
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

export const makeGuests = (channelId: string, guests: number) =>
  Array.from({ length: guests }, (_, n) => newGuest(channelId, n))

/** All members are in one office. */
export async function signMembers(browser: Browser, channelId: string, members: number): Promise<Guest[]> {
  const { secret } = await change(browser, 'POST', `/api/channels/${channelId}/secret`, {})
  await sleep(1_000) // the server knows the channel as it was half a second ago
  return Array.from({ length: members }, (_, n) => ({
    channelId,
    from: '203.0.115.1',
    bearer: tokenOf(channelId, secret, n),
  }))
}

function tokenOf(channelId: string, secret: string, n: number): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { sub: `customer ${n}`, aud: channelId, exp: Math.floor(Date.now() / 1_000) + 23 * 3_600 }
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `j.${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

/** Those who are known go on writing on the chat that is flooded; each refusal breaks a rule. */
export async function goOnWriting(port: number, known: Known, stopping: AbortSignal): Promise<Counts> {
  const counts: Counts = {}
  const sender = openSender({ port })
  const write = async (what: keyof Known, guest: Guest) => {
    await sleep(Math.random() * everyMs)
    while (!stopping.aborted) {
      const { status } = await sender.send(writeAsGuest(guest, 'Is anybody there?'))
      count(counts, status === 201 ? `known ${what}: 201` : `broken: known ${what} were answered with ${status}`)
      await sleep(everyMs, undefined, { signal: stopping }).catch(() => {})
    }
  }
  const all = Object.entries(known) as [keyof Known, Guest[]][]
  await Promise.all(all.flatMap(([what, guests]) => guests.map((guest) => write(what, guest))))
  return counts
}
