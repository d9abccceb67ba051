import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { AddressRanges } from '../config/ip-ranges.ts'

/**
 * Whose share of a limit an address uses: an IPv4 address its own, also where IPv6 carries it, and all addresses of one
 * IPv6 network of 64 bits, which is what one customer has, a common one. Undefined where there is no limit: on this
 * machine itself, and for what is no address.
 */
export function shareOf(address: string | undefined): string | undefined {
  if (address === undefined || isIP(address) === 0) return undefined
  const parsed = ipaddr.process(address)
  if (parsed.range() === 'loopback') return undefined
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${parsed.toByteArray().slice(0, 8).join('.')}/64`
}

/**
 * Who asked, as far as proxies that we trust can tell: the last address in `X-Forwarded-For` that is none of theirs. What
 * stands before it came from the client and may be made up.
 */
export function forwardedFor(header: string | string[] | undefined, proxies: AddressRanges): string | undefined {
  const named = String(header ?? '').split(',') // of several headers, the last one is the last
  const addresses = named.map(withoutPort).filter((address) => address !== '')
  return addresses.findLast((address) => !proxies.includes(address))
}

/** Some proxies write `1.2.3.4:5678` and `[2001:db8::1]:5678`. */
function withoutPort(entry: string): string {
  const text = entry.trim()
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
}
