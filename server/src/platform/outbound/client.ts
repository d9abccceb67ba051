import { openAgents } from './agents.ts'
import type { AllowedNetworks } from './allowed-networks.ts'
import type { Answer, Call } from './call.ts'
import { checkTarget, readTarget } from './check-target.ts'
import { connect } from './connect.ts'
import { startDeadline } from './deadline.ts'
import { exchange } from './exchange.ts'
import { OutboundError } from './outbound-error.ts'
import { type Resolve, resolveBy } from './resolve.ts'

/** The only way from here to an address that somebody else chose. */
export type Outbound = {
  /**
   * The address as the parser wrote it; throws OutboundError `blocked_address` (or `dns_error`) when it may not be
   * called. For saving and testing an address; the same judgement is made again at every connect.
   */
  check: (url: string) => Promise<URL>
  /**
   * One request. Throws OutboundError, or the reason of `call.signal`, or TypeError for a header that cannot be sent.
   * Never follows a redirect, never decompresses, never uses a proxy.
   */
  request: (call: Call) => Promise<Answer>
  /** Ends idle connections. */
  close: () => Promise<void>
}

type OutboundLimits = {
  dnsMs: number
  /** TCP and TLS together. */
  connectMs: number
  /** All of it, from the lookup to the last byte. */
  attemptMs: number
  headerBytes: number
}

const defaultLimits: OutboundLimits = { dnsMs: 3000, connectMs: 5000, attemptMs: 15_000, headerBytes: 16_384 }

export function openOutbound(options: {
  allowed: AllowedNetworks
  limits?: Partial<OutboundLimits>
  resolve?: Resolve
}): Outbound {
  const { dnsMs, connectMs, headerBytes, ...usual } = { ...defaultLimits, ...options.limits }
  const guard = { allowed: options.allowed, resolve: options.resolve ?? resolveBy(), dnsMs }
  const recall = openMemory()
  const agents = openAgents((target, signal) => connect(target, guard, { connectMs, signal }), headerBytes)
  return {
    async check(url) {
      const target = readTarget(url)
      await checkTarget(target, guard)
      return target
    },
    async request(call) {
      const target = recall(call.url)
      const attemptMs = call.attemptMs ?? usual.attemptMs
      const late = () => new OutboundError('timeout', `There was no answer within ${attemptMs / 1000} seconds.`)
      using clock = startDeadline(attemptMs, late, call.signal)
      return await exchange(agents, target, call, clock.signal)
    },
    async close() {
      agents.close()
    },
  }
}

const mostRemembered = 10_000

/** The same few addresses are called again and again, and reading one takes a twentieth of the whole request. */
function openMemory(): typeof readTarget {
  const targets = new Map<string, URL>()
  return (url) => {
    if (targets.size >= mostRemembered) targets.clear()
    return targets.getOrInsertComputed(url, readTarget)
  }
}
