import { EngineBusy, EngineError } from './engine.ts'

/** Where every call to a provider passes: a few at a time, and none while it is known to be down. */
export type Gates = {
  /**
   * Runs `call` when there is room for it. Throws EngineBusy when it was not run at all, the reason of the signal when
   * that came while waiting in line, else what `call` throws. An EngineError that is not final counts as a failure.
   */
  pass: <Result>(key: string, signal: AbortSignal, call: () => Promise<Result>) => Promise<Result>
}

type Limits = { mostAtOnce: number; mostFailures: number; openMs: number; now: () => number }

type Gate = {
  running: number
  line: Waiting[]
  /** In a row. */
  failures: number
  openUntil: number
  /** After a pause a single call finds out whether the provider is back. */
  isProbed: boolean
}

type Waiting = { enter: () => void; refuse: (error: Error) => void }

const usual: Limits = { mostAtOnce: 4, mostFailures: 5, openMs: 60_000, now: () => performance.now() }

/** How long a turn stays away while another one finds out whether the provider is back. */
const probeSeconds = 5

export function openGates(limits: Partial<Limits> = {}): Gates {
  const { mostAtOnce, mostFailures, openMs, now } = { ...usual, ...limits }
  const gates = new Map<string, Gate>()

  function assertOpen(gate: Gate): void {
    const pauseMs = gate.openUntil - now()
    if (pauseMs > 0) throw pausing(Math.ceil(pauseMs / 1000))
    if (gate.failures >= mostFailures && gate.isProbed) throw pausing(probeSeconds)
  }

  /** Returns whether this call is the one that finds out. */
  async function enter(gate: Gate, signal: AbortSignal): Promise<boolean> {
    assertOpen(gate)
    const isProbe = gate.failures >= mostFailures
    if (isProbe) gate.isProbed = true
    try {
      if (gate.running >= mostAtOnce) await standInLine(gate.line, signal)
      else gate.running += 1
      return isProbe
    } catch (error) {
      if (isProbe) gate.isProbed = false
      throw error
    }
  }

  function leave(gate: Gate, isProbe: boolean, isFailure: boolean | undefined): void {
    if (isProbe) gate.isProbed = false
    if (isFailure !== undefined) gate.failures = isFailure ? gate.failures + 1 : 0
    if (isFailure && gate.failures >= mostFailures) {
      gate.openUntil = now() + openMs
      for (const waiting of gate.line.splice(0)) waiting.refuse(pausing(Math.ceil(openMs / 1000)))
    }
    const next = gate.line.shift()
    if (next) next.enter()
    else gate.running -= 1
  }

  return {
    async pass(key, signal, call) {
      signal.throwIfAborted()
      const gate = gates.getOrInsertComputed(key, newGate)
      const isProbe = await enter(gate, signal)
      let isFailure: boolean | undefined // neither: it was called off, or the provider works and says no
      try {
        const result = await call()
        isFailure = false
        return result
      } catch (error) {
        if (error instanceof EngineError && !error.isFinal) isFailure = true
        throw error
      } finally {
        leave(gate, isProbe, isFailure)
        if (gate.running === 0 && gate.failures === 0) gates.delete(key)
      }
    },
  }
}

function newGate(): Gate {
  return { running: 0, line: [], failures: 0, openUntil: 0, isProbed: false }
}

function pausing(seconds: number): EngineBusy {
  return new EngineBusy('The provider has failed several times in a row and is left alone for a while.', seconds)
}

/** The place of whoever leaves goes to the first in line, so nobody can slip in between. */
function standInLine(line: Waiting[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      line.splice(line.indexOf(waiting), 1)
      reject(signal.reason)
    }
    const done = () => signal.removeEventListener('abort', giveUp)
    const waiting: Waiting = {
      enter: () => {
        done()
        resolve()
      },
      refuse: (error) => {
        done()
        reject(error)
      },
    }
    line.push(waiting)
    signal.addEventListener('abort', giveUp, { once: true })
  })
}
