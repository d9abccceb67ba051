/*
 * The outbound HTTP client: every request to an address that a customer chose goes through it. `check-target.ts`
 * refuses private addresses (SSRF) when an address is saved and at every connect; `exchange.ts` bounds time and size.
 */

import { BoundedMap } from '../collections.ts'
import type { AllowedNetworks } from './allowed-networks.ts'
import { type Answer, type Call, OutboundError } from './call.ts'
import { checkTarget, readTarget } from './check-target.ts'
import { connect } from './connect.ts'
import { startDeadline } from './deadline.ts'
import { exchange } from './exchange.ts'
import { type Resolve, resolveBy } from './resolve.ts'
import { openSender } from './sender.ts'

/** The only way to send a request to an address that a customer chose. */
export type Outbound = {
  /**
   * Returns the address as the parser wrote it; throws OutboundError `blocked_address` (or `dns_error`) when it may not
   * be called. For saving and testing an address; every connect makes the same check again.
   */
  check: (url: string) => Promise<URL>
  /**
   * One request. Throws OutboundError, or the reason of `call.signal`, or TypeError for a header that cannot be sent.
   * Never follows a redirect, never decompresses, never uses a proxy.
   */
  request: (call: Call) => Promise<Answer>
  /** Closes idle connections. */
  close: () => Promise<void>
}

type OutboundLimits = {
  dnsMs: number
  /** The limit for TCP and TLS together. */
  connectMs: number
  /** The limit for the whole attempt, from the DNS lookup to the last byte. */
  attemptMs: number
  headerBytes: number
}

const defaultLimits: OutboundLimits = { dnsMs: 3000, connectMs: 5000, attemptMs: 15_000, headerBytes: 16_384 }
const mostCached = 10_000

export function openOutbound(options: {
  allowed: AllowedNetworks
  limits?: Partial<OutboundLimits>
  resolve?: Resolve
}): Outbound {
  const { dnsMs, connectMs, headerBytes, ...defaults } = { ...defaultLimits, ...options.limits }
  const guard = { allowed: options.allowed, resolve: options.resolve ?? resolveBy(), dnsMs }
  // The same few addresses are called repeatedly, and parsing one takes a twentieth of the time of a request.
  const targets = new BoundedMap<string, URL>(mostCached)
  const sender = openSender((target, signal) => connect(target, guard, { connectMs, signal }), headerBytes)
  return {
    async check(url) {
      const target = readTarget(url)
      await checkTarget(target, guard)
      return target
    },
    async request(call) {
      const target = call.hasSecretUrl ? readTarget(call.url) : targets.getOrInsertComputed(call.url, readTarget)
      const attemptMs = call.attemptMs ?? defaults.attemptMs
      const timeoutError = () => new OutboundError('timeout', `There was no answer within ${attemptMs / 1000} seconds.`)
      using deadline = startDeadline(attemptMs, timeoutError, call.signal)
      return await exchange(sender, target, call, deadline.signal)
    },
    async close() {
      sender.close()
    },
  }
}
