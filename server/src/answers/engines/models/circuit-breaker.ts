import type { BreakerStates } from '../../../platform/metrics/instruments.ts'
import { EngineBusy, EngineError } from '../common/engine.ts'

/**
 * A circuit breaker per provider, and the slots for calls to models. Closed: a few calls at once. Half-open, at first
 * and after any failure: one probe at a time, until one succeeds. Open, after several failures in a row: no calls for a
 * while. There is no queue: a call that finds no slot fails at once with EngineBusy.
 */
export type CircuitBreakers = {
  /**
   * Runs `call`, or throws EngineBusy without running it; else throws what `call` throws. An EngineError that is not
   * final counts as a failure.
   */
  pass: <Result>(key: string, signal: AbortSignal, call: () => Promise<Result>) => Promise<Result>
  /** How many providers are in each state. */
  count: () => BreakerStates
}

type Limits = {
  /** Calls at once to a provider whose breaker is closed. */
  mostAtOnce: number
  /** Calls at once to all providers, and how many of them may be probes, so that healthy providers keep slots. */
  mostCalls: number
  mostProbes: number
  mostFailures: number
  openMs: number
  now: () => number
}

type CircuitBreaker = {
  running: number
  /** The last call succeeded. */
  isClosed: boolean
  /** The failures in a row. */
  failures: number
  openUntil: number
  freed: PromiseWithResolvers<void> | undefined
}

const usual: Limits = {
  mostAtOnce: 4,
  mostCalls: 256,
  mostProbes: 64,
  mostFailures: 5,
  openMs: 60_000,
  now: () => performance.now(),
}

/** The key of a provider's breaker: each account has its own. */
export function breakerKey(accountId: string, { kind, url }: { kind: string; url: string | null }): string {
  return JSON.stringify([accountId, kind, url])
}

export function openCircuitBreakers(limits: Partial<Limits> = {}): CircuitBreakers {
  const { mostAtOnce, mostCalls, mostProbes, mostFailures, openMs, now } = { ...usual, ...limits }
  const breakers = new Map<string, CircuitBreaker>()
  const calls = { all: 0, probes: 0 }

  function assertSlot(breaker: CircuitBreaker): void {
    const leftMs = breaker.openUntil - now()
    if (leftMs > 0) throw isOpen(Math.ceil(leftMs / 1000))
    if (breaker.running >= (breaker.isClosed ? mostAtOnce : Math.min(1, mostAtOnce))) throw full(breaker)
    if (calls.all >= mostCalls || (!breaker.isClosed && calls.probes >= mostProbes)) {
      throw new EngineBusy('There are too many calls to models at the moment.', 1)
    }
  }

  function settle(breaker: CircuitBreaker, isFailure: boolean | undefined): void {
    if (isFailure !== undefined) {
      breaker.isClosed = !isFailure
      breaker.failures = isFailure ? breaker.failures + 1 : 0
      if (breaker.failures >= mostFailures) breaker.openUntil = now() + openMs
    }
    breaker.freed?.resolve()
    breaker.freed = undefined
  }

  return {
    count: () => countStates([...breakers.values()], now()),
    async pass(key, signal, call) {
      signal.throwIfAborted()
      const breaker = breakers.getOrInsertComputed(key, newCircuitBreaker)
      assertSlot(breaker)
      const isProbe = !breaker.isClosed
      breaker.running += 1
      calls.all += 1
      if (isProbe) calls.probes += 1
      let isFailure: boolean | undefined // undefined: the call was aborted, or the provider works and refused it
      try {
        const result = await call()
        isFailure = false
        return result
      } catch (error) {
        if (error instanceof EngineError && !error.isFinal) isFailure = true
        throw error
      } finally {
        breaker.running -= 1
        calls.all -= 1
        if (isProbe) calls.probes -= 1
        settle(breaker, isFailure)
        if (breaker.running === 0 && breaker.failures === 0 && !breaker.isClosed) breakers.delete(key)
      }
    },
  }
}

function countStates(breakers: CircuitBreaker[], now: number): BreakerStates {
  const open = breakers.filter(({ openUntil }) => openUntil > now).length
  const closed = breakers.filter(({ isClosed }) => isClosed).length
  return { closed, halfOpen: breakers.length - closed - open, open }
}

function newCircuitBreaker(): CircuitBreaker {
  return { running: 0, isClosed: false, failures: 0, openUntil: 0, freed: undefined }
}

function full(breaker: CircuitBreaker): EngineBusy {
  breaker.freed ??= Promise.withResolvers()
  return new EngineBusy('All slots for calls to the provider are taken.', 1, breaker.freed.promise)
}

function isOpen(seconds: number): EngineBusy {
  return new EngineBusy('The provider has failed several times in a row; the circuit breaker is open.', seconds)
}
