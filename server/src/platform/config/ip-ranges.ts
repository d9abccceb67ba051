import { BlockList, isIP } from 'node:net'

/** A set of IP addresses. */
export type AddressRanges = {
  includes: (address: string | undefined) => boolean
  isEmpty: boolean
  /** The ranges as the operator wrote them. */
  entries: readonly string[]
}

/** Reads `address` or `address/bits`, separated by commas; undefined when any part is malformed. */
export function parseRanges(text: string): AddressRanges | undefined {
  const list = new BlockList()
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  for (const part of parts) {
    const [address = '', bits, ...rest] = part.split('/')
    const version = isIP(address)
    const addressBits = version === 4 ? 32 : 128
    const prefix = bits === undefined ? addressBits : Number(bits)
    if (version === 0 || rest.length > 0 || !/^\d*$/.test(bits ?? '') || bits === '' || prefix > addressBits)
      return undefined
    list.addSubnet(address, prefix, version === 4 ? 'ipv4' : 'ipv6')
  }
  return { includes: (address) => isIn(list, address), isEmpty: parts.length === 0, entries: parts }
}

function isIn(list: BlockList, address: string | undefined): boolean {
  const plain = unmapped(address ?? '')
  const version = isIP(plain)
  return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6')
}

/** A dual-stack socket shows IPv4 peers as ::ffff:1.2.3.4; operators write them as 1.2.3.4. */
function unmapped(address: string): string {
  return address.toLowerCase().startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}
