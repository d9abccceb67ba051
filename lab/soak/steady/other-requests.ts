import { setTimeout as sleep } from 'node:timers/promises'
import { openSender } from '../../common/sender.ts'
import type { Answered } from '../kills/client.ts'
import type { Kind } from '../normal-client/log.ts'
import { openWriter } from '../normal-client/writer.ts'

/** In a second: beside the messages that the persistent client sends. */
const rates: Partial<Record<Kind, number>> = { find: 5, create: 5, send: 5, upload: 0.05 }

/** For so long after a fault a request may be refused. */
const recoversMs = 20_000

/** Requests of other kinds at a steady rate, each sent once. Those during a fault may fail, the others may not. */
export function openOtherRequests({ port, apiKey, random }: { port: number; apiKey: string; random: () => number }) {
  const sender = openSender({ port })
  const write = openWriter('other', random)
  const faults: { from: number; to: number }[] = []
  const asked: (Answered & { kind: Kind; sentAt: number; failure: string | undefined })[] = []
  const inFlight = new Set<Promise<void>>()
  const stopping = new AbortController()

  async function send(kind: Kind): Promise<void> {
    const request = write(kind, apiKey)
    const sentAt = performance.now()
    const { status, messageId, failure } = await sender.send(request)
    asked.push({ kind, messageSid: request.name, status, messageId, at: Date.now(), sentAt, failure })
  }

  async function run([kind, perSecond]: [string, number]): Promise<void> {
    while (!stopping.signal.aborted) {
      await sleep(1_000 / perSecond, undefined, stopping).catch(() => {}) // it stops
      const asking = send(kind as Kind)
      inFlight.add(asking)
      void asking.finally(() => inFlight.delete(asking))
    }
  }

  // The first contact is the one that `find` looks up.
  const running = send('create').then(() => Promise.all(Object.entries(rates).map(run)))

  function refusals(): string[] {
    const unexpected = asked.filter(
      ({ status, sentAt }) =>
        !(status >= 200 && status < 300) && !faults.some(({ from, to }) => sentAt > from && sentAt < to),
    )
    const found = Map.groupBy(
      unexpected,
      ({ kind, status, failure }) => `${kind} ${status} ${failure ? `${failure} ` : ''}`,
    )
    const secondsOf = (all: typeof asked) => all.map(({ sentAt }) => Math.round(sentAt / 1_000)).slice(0, 5)
    return [...found].map(
      ([what, all]) =>
        `L1: ${all.length} requests were refused without a fault: ${what}at ${secondsOf(all).join(', ')} s`,
    )
  }

  return {
    /** A fault that began before it and has just ended. A request may have been sent up to its timeout before. */
    duringFault: async (inject: () => Promise<void>): Promise<void> => {
      const fault = { from: performance.now() - recoversMs, to: Number.POSITIVE_INFINITY }
      faults.push(fault)
      await inject()
      fault.to = performance.now() + recoversMs
    },
    finish: async (): Promise<{ incoming: Answered[]; refusals: string[]; count: number }> => {
      stopping.abort()
      await running
      await Promise.all(inFlight)
      return { incoming: asked.filter(({ kind }) => kind === 'upload'), refusals: refusals(), count: asked.length }
    },
  }
}
