import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPublic, isSameAddress } from './addresses.ts'
import type { AllowedNetworks } from './allowed-networks.ts'
import { OutboundError } from './call.ts'
import { startDeadline } from './deadline.ts'
import type { Resolve } from './resolve.ts'

export type Guard = Readonly<{ allowed: AllowedNetworks; resolve: Resolve; dnsMs: number }>

const mostCharacters = 2048

/** Parses once; from here on only the parser's output is used. No allow-list overrides these refusals. */
export function readTarget(text: string): URL {
  if (text.length > mostCharacters) throw blocked(`The address must have at most ${mostCharacters} characters.`)
  // The parser drops or rewrites these: a person and the parser would read different hosts.
  if (/[\p{Cc}\\]/u.test(text)) throw blocked('The address must not contain control characters or backslashes.')
  const target = URL.parse(text)
  if (target === null || !/^https?:$/.test(target.protocol)) throw blocked('The address must begin with https://.')
  if (target.username || target.password) throw blocked('The address must not contain a user name or a password.')
  if (target.href.includes('#')) throw blocked('The address must not contain a fragment (#).')
  target.hostname = target.hostname.replace(/\.$/, '')
  if (!isHost(hostOf(target))) throw blocked('The host name of the address is not valid.')
  if (target.href.length > mostCharacters) throw blocked(`The address must have at most ${mostCharacters} characters.`)
  return target
}

/**
 * The one check of a target, made when its address is saved, tested and dialled: returns the IP addresses that may be
 * dialled for it, all of them checked, or throws. One forbidden address among many refuses the whole name.
 */
export async function checkTarget(target: URL, guard: Guard, signal?: AbortSignal): Promise<string[]> {
  const brokenRule = brokenRuleOf(target)
  if (brokenRule && guard.allowed.entries.length === 0) throw blocked(brokenRule)
  const addresses = await addressesOf(hostOf(target), portOf(target), guard, signal)
  const others = addresses.filter((address) => !guard.allowed.includes(address, portOf(target)))
  if (others.length === 0) return addresses
  if (brokenRule) throw blocked(brokenRule)
  if (others.some((address) => !isPublic(address) || isOwnAddress(address))) {
    throw blocked('The address does not lead to the public internet, and the operator has not allowed it.')
  }
  return addresses
}

/** The host without the brackets of IPv6. */
export function hostOf(target: URL): string {
  return target.hostname.replace(/^\[|\]$/g, '')
}

export function portOf(target: URL): number {
  return Number(target.port || (target.protocol === 'https:' ? 443 : 80))
}

function blocked(sentence: string): OutboundError {
  return new OutboundError('blocked_address', sentence)
}

function isHost(host: string): boolean {
  return isIP(host) !== 0 || (host.length <= 253 && /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(host))
}

/** The rules that do not apply where the operator allows the address itself. */
function brokenRuleOf(target: URL): string | undefined {
  const host = hostOf(target)
  if (target.protocol !== 'https:') return 'The address must begin with https://.'
  if (isIP(host) === 0 && !isPublicName(host)) return 'The host name of the address is not a public one.'
  return isPortAllowed(portOf(target)) ? undefined : 'The port of the address may not be called.'
}

function isPublicName(name: string): boolean {
  return name.includes('.') && !/\.(localhost|local|internal|home\.arpa)$/.test(`.${name}`)
}

function isPortAllowed(port: number): boolean {
  return port === 443 || port === 80 || (port >= 1024 && !otherProtocols.has(port))
}

/** The fetch standard's blocked ports above 1023, and Redis, which executes lines of HTTP as commands. */
const otherProtocols = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697],
  ...[10_080, 6379],
])

async function addressesOf(host: string, port: number, guard: Guard, signal?: AbortSignal): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  if (/(^|\.)localhost$/.test(host)) return loopbackFor(port, guard.allowed)
  const timeoutError = () => new OutboundError('dns_error', 'The host name could not be looked up in time.')
  using deadline = startDeadline(guard.dnsMs, timeoutError, signal)
  try {
    const addresses = await guard.resolve(host, deadline.signal)
    if (addresses.length > 0) return addresses
    throw Object.assign(new Error('an empty answer'), { code: 'ENODATA' })
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.signal.reason
    throw new OutboundError('dns_error', dnsSentence(error), { cause: error })
  }
}

/** `localhost` is not looked up. Where the operator allows one of its two addresses, only that one is used. */
function loopbackFor(port: number, allowed: AllowedNetworks): string[] {
  const both = ['127.0.0.1', '::1']
  const usable = both.filter((address) => allowed.includes(address, port))
  return usable.length > 0 ? usable : both
}

function dnsSentence(error: unknown): string {
  const isUnknown = error instanceof Error && 'code' in error && /^(ENOTFOUND|ENODATA)$/.test(String(error.code))
  return isUnknown ? 'The host name has no address.' : 'The host name could not be looked up.'
}

/** A public address of this machine bypasses the firewall and reaches services that trust local connections. */
function isOwnAddress(address: string): boolean {
  return Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .some((found) => isSameAddress(found.address, address))
}
