import type { Processes } from '../measure.ts'
import { type Latency, latencyOf } from '../statistics.ts'
import type { Target } from './connection.ts'
import { openClock, openLoadConnection, type RequestSource } from './load-connection.ts'
import { type Metered, startMeter } from './meter.ts'
import { makeTraffic, type TrafficKind } from './traffic.ts'

/** One stretch of load on one server. */
export type Load = Target & {
  traffic: TrafficKind
  /** Several: the connections use them in turn. */
  apiKey: string | string[]
  processes: Processes
  connections: number
  warmupMs: number
  measuredMs: number
  /** Left out: every connection sends its next request as soon as it has its answer. */
  requestsPerSecond?: number
}

export type Outcome = Metered & {
  requests: number
  seconds: number
  /** How often each status was answered in the measured time. */
  statuses: Record<string, number>
  latency: Latency
  /** All requests that were answered 200, before and after the measured time too. */
  acknowledged: number
  /** Connections that the server ended on us. */
  dropped: number
}

/** Ends when the measured time is over, or before, when `stopped` settles. */
export async function runLoad(load: Load, stopped: Promise<void>): Promise<Outcome> {
  const recorder = openRecorder(load)
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => openLoadConnection(load, recorder.source())),
  )
  const clock = load.requestsPerSecond === undefined ? undefined : openClock(load.requestsPerSecond)
  for (const connection of connections) connection.start(clock)

  await sleep(load.warmupMs)
  recorder.start()
  await Promise.race([sleep(load.measuredMs), stopped])
  const outcome = recorder.stop()
  clock?.stop()
  await Promise.all(connections.map((connection) => connection.stop()))
  for (const connection of connections) connection.close()
  return { ...outcome, acknowledged: recorder.acknowledged() }
}

function openRecorder({ processes, measuredMs, connections, traffic: kind, port, apiKey }: Load) {
  // Room for more than any server here answers; what does not fit would not be measured.
  const times = new Float64Array(Math.ceil(measuredMs / 1_000) * 60_000 + connections)
  let [count, acknowledged, dropped] = [0, 0, 0]
  let statuses: Record<string, number> = {}
  let stopMeter: ReturnType<typeof startMeter> | undefined
  const keys = [apiKey].flat()
  let sources = 0

  function record(status: number, sentAt: number, answeredAt: number): void {
    if (status === 200) acknowledged += 1
    if (!stopMeter) return
    statuses[status] = (statuses[status] ?? 0) + 1
    times[count] = answeredAt - sentAt
    count += 1
  }
  function source(): RequestSource {
    const makeRequest = makeTraffic({ kind, port, apiKey: keys[sources++ % keys.length] ?? '' })
    let sentAt = 0
    return {
      next: (dueAt) => {
        sentAt = dueAt
        return makeRequest()
      },
      answered: (status) => record(status, sentAt, performance.now()),
      dropped: () => {
        dropped += 1
      },
    }
  }
  return {
    source,
    start: () => {
      statuses = {}
      stopMeter = startMeter(processes)
    },
    stop: () => {
      const metered = (stopMeter ?? startMeter(processes))()
      stopMeter = undefined
      return { requests: count, ...metered, statuses, latency: latencyOf(times.subarray(0, count)), dropped }
    },
    acknowledged: () => acknowledged,
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
