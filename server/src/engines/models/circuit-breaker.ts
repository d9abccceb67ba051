import { EngineBusy, EngineError } from '../common/engine.ts'

/**
 * Where every call to a provider passes: a few at a time, and none while it is known to be down. Nobody waits here: who
 * finds no slot is told so at once, and leaves its place to others.
 */
export type CircuitBreakers = {
  /**
   * Runs `call`, or throws EngineBusy when it was not run at all; else what `call` throws. An EngineError that is not
   * final counts as a failure.
   */
  pass: <Result>(key: string, signal: AbortSignal, call: () => Promise<Result>) => Promise<Result>
}

type Limits = {
  /** Calls at once to a provider whose last call succeeded. Any other gets one at a time. */
  mostAtOnce: number
  /** Calls at once to all providers; and to those together whose last call did not succeed, so that slots are left. */
  mostCalls: number
  mostUnproven: number
  mostFailures: number
  openMs: number
  now: () => number
}

type CircuitBreaker = {
  running: number
  isProven: boolean
  /** In a row. */
  failures: number
  openUntil: number
  freed: PromiseWithResolvers<void> | undefined
}

const usual: Limits = {
  ...{ mostAtOnce: 4, mostCalls: 256, mostUnproven: 64, mostFailures: 5, openMs: 60_000 },
  now: () => performance.now(),
}

/** What a provider is known by: each account has its own. */
export function breakerKey(accountId: string, { kind, url }: { kind: string; url: string | null }): string {
  return JSON.stringify([accountId, kind, url])
}

export function openCircuitBreakers(limits: Partial<Limits> = {}): CircuitBreakers {
  const { mostAtOnce, mostCalls, mostUnproven, mostFailures, openMs, now } = { ...usual, ...limits }
  const breakers = new Map<string, CircuitBreaker>()
  const calls = { all: 0, unproven: 0 }

  function assertOpen(breaker: CircuitBreaker): void {
    const pauseMs = breaker.openUntil - now()
    if (pauseMs > 0) throw pausing(Math.ceil(pauseMs / 1000))
    if (breaker.running >= (breaker.isProven ? mostAtOnce : Math.min(1, mostAtOnce))) throw full(breaker)
    if (calls.all >= mostCalls || (!breaker.isProven && calls.unproven >= mostUnproven)) {
      throw new EngineBusy('There are too many calls to models at the moment.', 1)
    }
  }

  function settle(breaker: CircuitBreaker, isFailure: boolean | undefined): void {
    if (isFailure !== undefined) {
      breaker.isProven = !isFailure
      breaker.failures = isFailure ? breaker.failures + 1 : 0
      if (breaker.failures >= mostFailures) breaker.openUntil = now() + openMs
    }
    breaker.freed?.resolve()
    breaker.freed = undefined
  }

  return {
    async pass(key, signal, call) {
      signal.throwIfAborted()
      const breaker = breakers.getOrInsertComputed(key, newCircuitBreaker)
      assertOpen(breaker)
      const isUnproven = !breaker.isProven
      breaker.running += 1
      calls.all += 1
      if (isUnproven) calls.unproven += 1
      let isFailure: boolean | undefined // neither: it was called off, or the provider works and says no
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
        if (isUnproven) calls.unproven -= 1
        settle(breaker, isFailure)
        if (breaker.running === 0 && breaker.failures === 0 && !breaker.isProven) breakers.delete(key)
      }
    },
  }
}

function newCircuitBreaker(): CircuitBreaker {
  return { running: 0, isProven: false, failures: 0, openUntil: 0, freed: undefined }
}

function full(breaker: CircuitBreaker): EngineBusy {
  breaker.freed ??= Promise.withResolvers()
  return new EngineBusy('The provider has no room.', 1, breaker.freed.promise)
}

function pausing(seconds: number): EngineBusy {
  return new EngineBusy('The provider has failed several times in a row and is left alone for a while.', seconds)
}
