import { setTimeout as sleep } from 'node:timers/promises'
import { openSender } from '../../common/sender.ts'
import type { Answered } from '../kills/client.ts'
import type { Kind } from '../normal-client/log.ts'
import { openWriter } from '../normal-client/writer.ts'

/** In a second: beside the messages that the persistent client sends. */
const rates: Partial<Record<Kind, number>> = { find: 5, create: 5, send: 5, upload: 0.05, chat: 0.2 }
/** All have the address of this machine, of which twenty may come in ten minutes. */
const guests = 15

/** For so long after a fault a request may be refused. */
const recoversMs = 20_000

type Order = { port: number; apiKey: string; chat: string | undefined; random: () => number }

/** Requests of other kinds at a steady rate, each sent once. Those during a fault may fail, the others may not. */
export function openOtherRequests({ port, apiKey, chat, random }: Order) {
  const sender = openSender({ port })
  const write = openWriter('other', random, guests)
  const faults: Fault[] = []
  const asked: Other[] = []
  const inFlight = new Set<Promise<void>>()
  const stopping = new AbortController()

  async function send(kind: Kind): Promise<void> {
    const request = write(kind, kind === 'chat' && chat ? chat : apiKey)
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
  const running = send('create').then(() =>
    Promise.all(
      Object.entries(rates)
        .filter(([kind]) => kind !== 'chat' || chat)
        .map(run),
    ),
  )

  return {
    /** A fault that began before it and has just ended. A request may have been sent up to its timeout before. */
    duringFault: async (inject: () => Promise<void>): Promise<void> => {
      const fault = { from: performance.now() - recoversMs, to: Number.POSITIVE_INFINITY }
      faults.push(fault)
      await inject()
      fault.to = performance.now() + recoversMs
    },
    finish: async (): Promise<{ incoming: Answered[]; chats: Answered[]; refusals: string[]; count: number }> => {
      stopping.abort()
      await running
      await Promise.all(inFlight)
      const incoming = asked.filter(({ kind }) => kind === 'upload')
      const chats = asked.filter(({ kind, status }) => kind === 'chat' && status === 201)
      return { incoming, chats, refusals: refusalsOf(asked, faults), count: asked.length }
    },
  }
}

type Other = Answered & { kind: Kind; sentAt: number; failure: string | undefined }
type Fault = { from: number; to: number }

function refusalsOf(asked: Other[], faults: Fault[]): string[] {
  const unexpected = asked.filter(
    ({ status, sentAt }) =>
      !(status >= 200 && status < 300) && !faults.some(({ from, to }) => sentAt > from && sentAt < to),
  )
  const found = Map.groupBy(
    unexpected,
    ({ kind, status, failure }) => `${kind} ${status} ${failure ? `${failure} ` : ''}`,
  )
  const secondsOf = (all: Other[]) => all.map(({ sentAt }) => Math.round(sentAt / 1_000)).slice(0, 5)
  return [...found].map(
    ([what, all]) =>
      `L1: ${all.length} requests were refused without a fault: ${what}at ${secondsOf(all).join(', ')} s`,
  )
}
