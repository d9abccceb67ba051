import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { AddressRanges } from '../config/ip-ranges.ts'

/**
 * The client that an address counts for in a limit: an IPv4 address itself, also when mapped to IPv6, and for IPv6 the
 * /64 network, which is what one customer has. Undefined where there is no limit: on loopback, and for text that is no
 * address.
 */
export function clientOf(address: string | undefined): string | undefined {
  const version = address === undefined ? 0 : isIP(address)
  if (address === undefined || version === 0) return undefined
  if (version === 4) return address.startsWith('127.') ? undefined : address // every request has one, and parsing takes longer
  const parsed = ipaddr.process(address)
  if (parsed.range() === 'loopback') return undefined
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${network.join(':')}::/64`
}

/** The network of a client: the /24 of an IPv4 address, and the /48 of an IPv6 network, of which one customer may have many. */
export function networkOf(client: string): string {
  if (isIP(client) === 4) return `${client.split('.', 3).join('.')}.0/24`
  return client.endsWith('::/64') ? `${client.split(':', 3).join(':')}::/48` : client
}

/**
 * The client's address as trusted proxies report it: the last address in `X-Forwarded-For` that is not one of theirs. The
 * addresses before it were sent by the client and may be forged.
 */
export function forwardedFor(header: string | string[] | undefined, proxies: AddressRanges): string | undefined {
  const named = String(header ?? '').split(',') // several headers join in order, so the last address stays last
  const addresses = named.map(withoutPort).filter((address) => address !== '')
  return addresses.findLast((address) => !proxies.includes(address))
}

/** Some proxies write `1.2.3.4:5678` and `[2001:db8::1]:5678`. */
function withoutPort(entry: string): string {
  const text = entry.trim()
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
}

/** The client's address as it is logged: of a proxy's client what the proxy says, if that is an address. */
export function loggedAddress({ socket, headers }: IncomingMessage, proxies: AddressRanges): string | undefined {
  const { remoteAddress } = socket
  if (proxies.isEmpty || !proxies.includes(remoteAddress)) return remoteAddress
  const named = forwardedFor(headers['x-forwarded-for'], proxies)
  return named !== undefined && isIP(named) !== 0 ? named : remoteAddress
}

/** The client of a request, as it counts for limits; all of loopback is one. */
export function clientAddress({ socket, headers }: IncomingMessage, proxies: AddressRanges): string {
  const isProxied = proxies.includes(socket.remoteAddress)
  return clientOf(isProxied ? forwardedFor(headers['x-forwarded-for'], proxies) : socket.remoteAddress) ?? 'loopback'
}
