import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Parses an address as the URL parser and the resolver write it; IPv4 mapped into IPv6 becomes IPv4. */
export function parseAddress(text: string): Address | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.process(text)
}

/**
 * Whether anybody on the internet may be behind an address: IPv4 unicast, or IPv6 inside 2000::/3, that no registry
 * keeps for a special purpose. Blocks that IANA calls reachable but that belong to a protocol (AS112, AMT) do not
 * count.
 */
export function isPublic(text: string): boolean {
  const address = parseAddress(text)
  if (address === undefined || address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' ? !isIn(address, azurePlatform) : isIn(address, globalUnicast)
}

export function isSameAddress(one: string, other: string): boolean {
  const [first, second] = [parseAddress(one), parseAddress(other)]
  return first !== undefined && second !== undefined && first.toNormalizedString() === second.toNormalizedString()
}

export function isIn(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits)
}

/** The library returns "unicast" for every range that it does not know; only this block is global unicast. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** Looks public, but inside Azure it is the platform's own service: DNS, DHCP and the agent that holds secrets. */
const azurePlatform = ipaddr.parseCIDR('168.63.129.16/32')
