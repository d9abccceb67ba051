import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { OperatorError } from '../operator-error.ts'
import { isIn, parseAddress } from './addresses.ts'

/** The addresses and ports that may be called although they are not public, because the operator allows them. */
export type AllowedNetworks = Readonly<{
  includes: (address: string, port: number) => boolean
  /** The entries as the operator wrote them, for the log. */
  entries: readonly string[]
}>

type Network = { range: [ipaddr.IPv4 | ipaddr.IPv6, number]; port: number | undefined }

const loopback = '127.0.0.0/8,::1/128'

/**
 * Reads OUTBOUND_ALLOWED_NETWORKS. Unset allows loopback while the server listens on this machine only, so that a
 * newcomer's receiver on localhost works; once others can reach the server, loopback would give them our own services.
 */
export function readAllowedNetworks(text: string | undefined, isForThisMachineOnly: boolean): AllowedNetworks {
  const entries = (text ?? (isForThisMachineOnly ? loopback : ''))
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  const networks = entries.map(parseNetwork)
  return {
    entries,
    includes(text, port) {
      const address = parseAddress(text)
      if (address === undefined) return false
      return networks.some(
        (network) => (network.port === undefined || network.port === port) && isIn(address, network.range),
      )
    },
  }
}

/** Parses `10.0.0.0/8`, `10.0.0.5:8080`, `::1`, `::1/128`, `[::1/128]:8080`. */
function parseNetwork(entry: string): Network {
  const inBrackets = /^\[(?<range>[^\]]*:[^\]]*)\](:(?<port>\d{1,5}))?$/
  const ipv4 = /^(?<range>[\d./]+)(:(?<port>\d{1,5}))?$/
  const parts = (inBrackets.exec(entry) ?? ipv4.exec(entry))?.groups
  const range = parseRange(parts?.range ?? entry)
  const port = parts?.port === undefined ? undefined : Number(parts.port)
  if (range && (port === undefined || (port > 0 && port <= 65_535))) return { range, port }
  throw new OperatorError(
    `OUTBOUND_ALLOWED_NETWORKS must be a list such as 10.0.0.0/8,127.0.0.1/32:9000,[::1/128]:9000; "${entry}" is none of these.`,
  )
}

function parseRange(text: string): Network['range'] | undefined {
  const [, address = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const version = isIP(address)
  const widest = version === 4 ? 32 : 128
  if (version === 0 || Number(bits ?? 0) > widest) return undefined
  const network = ipaddr.parse(address)
  // A mapped network would never match: mapped addresses are compared as IPv4.
  if (network.range() === 'ipv4Mapped') return undefined
  return [network, Number(bits ?? widest)]
}
