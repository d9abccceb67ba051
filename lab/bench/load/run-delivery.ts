import { setTimeout as sleep } from 'node:timers/promises'
import type { Processes } from '../measure.ts'
import { connectTo } from '../servers/connect.ts'
import { type Latency, latencyOf } from '../statistics.ts'
import type { Target } from './connection.ts'
import { type Ledger, openLedger, type Tally } from './ledger.ts'
import { openClock, openLoadConnection, type RequestSource } from './load-connection.ts'
import { type Metered, startMeter } from './meter.ts'
import { makeOutgoing } from './outgoing.ts'

/** One stretch of messages sent through a server, whose events arrive in this process. */
export type DeliveryLoad = Target & {
  processes: Processes
  connections: number
  warmupMs: number
  measuredMs: number
  /** Left out: every connection sends its next message as soon as it has its answer. */
  requestsPerSecond?: number
  /** Whether events will come at all. */
  isDelivered: boolean
  /** The data folder of the server: what is measured ends when its database says that all are sent. */
  sentIn?: string
}

export type DeliveryOutcome = Metered & {
  /** Those of the measured time that were accepted; if events come, those whose event arrived. */
  requests: number
  /**
   * From the first request until the last event is there, or the last answer if none will come; with `sentIn` until all
   * are sent.
   */
  seconds: number
  statuses: Record<string, number>
  dropped: number
  /** From when a message was due until its event was read; and the same of every five seconds. */
  latency: Latency
  stretches: Latency[]
  /** When the last request had been sent, in milliseconds since 1970. */
  stoppedAt: number
  /** Of all stretches until now whose events come. */
  tally: Tally
}

/** A receiver that answers has everything long before; what is not here by then is lost, or waits for its next attempt. */
const arrivesWithinMs = 20_000

/**
 * Sends as long as it is told to, twice: first to warm up; then, once everything has arrived and so with nothing left
 * over from before, for what is measured. `kept` is the ledger of the receiver.
 */
export async function runDelivery(load: DeliveryLoad, kept: Ledger): Promise<DeliveryOutcome> {
  const ledger = load.isDelivered ? kept : openLedger()
  await using database = load.sentIn === undefined ? undefined : await openDue(load.sentIn)
  const answers = { statuses: {} as Record<string, number>, accepted: 0, dropped: 0 }
  const source = () => sourceOf(load.port, ledger, answers)
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => openLoadConnection(load, source())),
  )

  async function send(forMs: number): Promise<number> {
    const clock = load.requestsPerSecond === undefined ? undefined : openClock(load.requestsPerSecond)
    for (const connection of connections) connection.start(clock)
    await sleep(forMs)
    clock?.stop()
    const stoppedAt = performance.timeOrigin + performance.now()
    await Promise.all(connections.map((connection) => connection.stop()))
    if (load.isDelivered) await untilArrived(ledger)
    return stoppedAt
  }

  await send(load.warmupMs)
  Object.assign(answers, { statuses: {}, accepted: 0 })
  const first = ledger.size()
  const startedAt = performance.now()
  const stopMeter = startMeter(load.processes)
  const stoppedAt = await send(load.measuredMs)
  await database?.untilNoneDue()
  const metered = stopMeter()
  for (const connection of connections) connection.close()

  const { statuses, accepted, dropped } = answers
  const times = ledger.timesFrom(first)
  const latencies = { latency: latencyOf(times), stretches: stretchesOf(ledger, first, startedAt) }
  const given = { ...metered, statuses, dropped, stoppedAt, ...latencies, tally: kept.tally() }
  if (!load.isDelivered) return { ...given, requests: accepted }
  if (database) return { ...given, requests: times.length }
  return { ...given, requests: times.length, seconds: (ledger.lastArrivalAt() - startedAt) / 1_000 }
}

const stretchMs = 5_000

/** By when a message fell due, so that one that takes long counts where it began. */
function stretchesOf(ledger: Ledger, first: number, startedAt: number): Latency[] {
  const stretches: Latency[] = []
  for (let since = startedAt; ; since += stretchMs) {
    const times = ledger.timesFrom(first, { since, until: since + stretchMs })
    if (times.length === 0) return stretches
    stretches.push(latencyOf(times))
  }
}

type Answers = { statuses: Record<string, number>; accepted: number; dropped: number }

function sourceOf(port: number, ledger: Ledger, answers: Answers): RequestSource {
  let n = 0
  return {
    next: (dueAt) => {
      n = ledger.add(dueAt)
      return makeOutgoing(port, n)
    },
    answered: (status, body) => {
      answers.statuses[status] = (answers.statuses[status] ?? 0) + 1
      if (status !== 200) return
      answers.accepted += 1
      ledger.acknowledge(n, /"messageId":"(\w+)"/.exec(body)?.[1] ?? '')
    },
    dropped: () => {
      answers.dropped += 1
    },
  }
}

async function untilArrived(ledger: Ledger): Promise<void> {
  const giveUpAt = performance.now() + arrivesWithinMs
  while (ledger.missing() > 0 && performance.now() < giveUpAt) await sleep(1)
}

/** The last outcomes are stored some milliseconds after their events have arrived. */
async function openDue(dataDir: string) {
  const client = await connectTo(dataDir)
  await client.query('set enable_seqscan = off') // the question must cost the server's database nothing that counts
  return {
    untilNoneDue: async () => {
      const giveUpAt = performance.now() + arrivesWithinMs
      const question = 'select from deliveries where due_at is not null limit 1'
      while ((await client.query(question)).rowCount !== 0 && performance.now() < giveUpAt) await sleep(2)
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}
