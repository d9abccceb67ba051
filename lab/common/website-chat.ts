import { randomBytes, randomUUID } from 'node:crypto'
import type { Sent } from './sender.ts'

/** The page that visitors are on, and what its channel may cost: so much that only the limits of visitors, addresses and networks are met. */
export const chatPage = 'https://shop.example'
export const wideCaps = {
  contactsAMinute: 10_000,
  contactsADay: 1_000_000,
  messagesAMinute: 100_000,
  messagesADay: 10_000_000,
  fileBytesADay: 1_000_000_000,
  modelAnswersADay: 500,
}
/** With it, each visitor of one machine has an address of their own, and connections are not counted for it. */
export const behindProxy = { TRUST_PROXY: '127.0.0.0/8', OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32' }

/** Somebody on the page, by the key of their browser. `from`: their network address. */
export type Guest = { channelId: string; bearer: string; from: string }

/** Each in a network of their own, of 65,536. */
export function newGuest(channelId: string, n: number): Guest {
  const from = `11.${(n >> 8) & 255}.${n & 255}.1`
  return { channelId, from, bearer: `b.${randomBytes(32).toString('base64url')}` }
}

/** What a proxy says of a client with this address. */
export function forwardedFrom(address: string): Record<string, string> {
  return { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' }
}

export function chatHeaders({ bearer, from }: Guest): Record<string, string> {
  return { origin: chatPage, authorization: `Bearer ${bearer}`, ...forwardedFrom(from) }
}

export function writeAsGuest(guest: Guest, text: string): Sent {
  const body = JSON.stringify({ id: randomUUID(), text, language: 'en' })
  return { method: 'POST', path: `/chat/${guest.channelId}/messages`, headers: chatHeaders(guest), body }
}

/** To be written to a socket. */
export function streamRequest(guest: Guest, after: number): string {
  const path = `/chat/${guest.channelId}/stream?after=${after}`
  return textOf({ method: 'GET', path, headers: chatHeaders(guest), body: undefined })
}

/** A request as it is written to a socket. */
export function textOf({ method, path, headers, body }: Sent): string {
  const more = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': byteLength(body) }
  const lines = Object.entries({ host: 'localhost', ...headers, ...more }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

const byteLength = (text: string) => String(Buffer.byteLength(text))
