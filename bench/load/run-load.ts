import { availableParallelism } from 'node:os'
import { type Cpu, cpuBetween, type Memory, type Processes, readCpu, readMachineCpu, readMemory } from '../measure.ts'
import { type Latency, latencyOf } from '../statistics.ts'
import { type Connection, connect, type Target } from './connection.ts'
import { makeTraffic, type TrafficKind } from './traffic.ts'

/** One stretch of load on one server. */
export type Load = Target & {
  traffic: TrafficKind
  apiKey: string
  processes: Processes
  connections: number
  warmupMs: number
  measuredMs: number
  /** Left out: every connection sends its next request as soon as it has its answer. */
  requestsPerSecond?: number
}

export type Outcome = {
  requests: number
  seconds: number
  /** How often each status was answered in the measured time. */
  statuses: Record<string, number>
  latency: Latency
  cpu: Cpu
  memory: Memory
  /** What this process used itself, as a share of one core. */
  clientShare: number
  /** What programs that have nothing to do with this used meanwhile, as a share of the machine. */
  othersShare: number
  /** All requests that were answered 200, before and after the measured time too. */
  acknowledged: number
  /** Connections that the server ended on us. */
  dropped: number
}

/** Ends when the measured time is over, or before, when `stopped` settles. */
export async function runLoad(load: Load, stopped: Promise<void>): Promise<Outcome> {
  const recorder = openRecorder(load)
  const clock = load.requestsPerSecond === undefined ? undefined : openClock(load.requestsPerSecond)
  const lanes = await Promise.all(Array.from({ length: load.connections }, () => openLane(load, recorder, clock)))
  for (const lane of lanes) lane.start()

  await sleep(load.warmupMs)
  recorder.start()
  await Promise.race([sleep(load.measuredMs), stopped])
  const outcome = recorder.stop()
  clock?.stop()
  await Promise.all(lanes.map((lane) => lane.finish()))
  return { ...outcome, acknowledged: recorder.acknowledged() }
}

type Recorder = ReturnType<typeof openRecorder>

function openRecorder({ processes, measuredMs, connections }: Load) {
  // Room for more than any server here answers; what does not fit would not be measured.
  const times = new Float64Array(Math.ceil(measuredMs / 1_000) * 60_000 + connections)
  let [count, acknowledged, dropped] = [0, 0, 0]
  let statuses: Record<string, number> = {}
  let isMeasuring = false
  let before = { at: 0, cpu: { node: 0, postgres: 0 }, own: process.cpuUsage(), machine: 0 }
  return {
    record: (status: number, sentAt: number, answeredAt: number) => {
      if (status === 200) acknowledged += 1
      if (!isMeasuring) return
      statuses[status] = (statuses[status] ?? 0) + 1
      times[count] = answeredAt - sentAt
      count += 1
    },
    drop: () => {
      dropped += 1
    },
    start: () => {
      statuses = {}
      before = { cpu: readCpu(processes), own: process.cpuUsage(), machine: readMachineCpu(), at: performance.now() }
      isMeasuring = true
    },
    stop: () => {
      isMeasuring = false
      const ms = performance.now() - before.at
      const { user, system } = process.cpuUsage(before.own)
      const cpu = cpuBetween(before.cpu, readCpu(processes))
      const others = readMachineCpu() - before.machine - cpu.node - cpu.postgres - user - system
      return {
        requests: count,
        seconds: ms / 1_000,
        statuses,
        cpu,
        memory: readMemory(processes.node),
        latency: latencyOf(times.subarray(0, count)),
        clientShare: (user + system) / 1_000 / ms,
        othersShare: Math.max(0, others / 1_000 / ms / availableParallelism()),
        dropped,
      }
    },
    acknowledged: () => acknowledged,
  }
}

type Clock = ReturnType<typeof openClock>

/**
 * Requests fall due at a steady rate, whether or not earlier ones were answered, and their time counts from then: a
 * server that stalls is not spared the requests it would have had in the meantime.
 */
function openClock(requestsPerSecond: number) {
  const startedAt = performance.now()
  const waiting: (() => void)[] = []
  let taken = 0
  const dueAt = () => startedAt + (taken / requestsPerSecond) * 1_000
  const timer = setInterval(() => {
    while (waiting.length > 0 && dueAt() <= performance.now()) waiting.shift()?.()
  }, 1)
  return {
    /** The time that the next request was due, or undefined; then `retry` is called when it is. */
    take: (retry: () => void): number | undefined => {
      const due = dueAt()
      if (due > performance.now()) {
        waiting.push(retry)
        return undefined
      }
      taken += 1
      return due
    },
    stop: () => clearInterval(timer),
  }
}

type Lane = { start: () => void; finish: () => Promise<void> }

/** One connection at work. When the server ends it, another takes its place. */
async function openLane(load: Load, recorder: Recorder, clock: Clock | undefined): Promise<Lane> {
  const makeRequest = makeTraffic({ kind: load.traffic, port: load.port, apiKey: load.apiKey })
  const finished = Promise.withResolvers<void>()
  let [sentAt, isBusy, isFinishing] = [0, false, false]
  let connection: Connection

  function sendNext(): void {
    if (isFinishing) {
      end()
      return
    }
    const due = clock ? clock.take(sendNext) : performance.now()
    if (due === undefined) return
    sentAt = due
    isBusy = true
    connection.send(makeRequest())
  }
  function answered(status: number): void {
    isBusy = false
    recorder.record(status, sentAt, performance.now())
    sendNext()
  }
  function closed(): void {
    if (isFinishing && !isBusy) return
    recorder.drop()
    isBusy = false
    if (isFinishing) end()
    else void open().then(sendNext, finished.reject)
  }
  function end(): void {
    connection.close()
    finished.resolve()
  }
  async function open(): Promise<void> {
    connection = await connect(load, { answered, closed })
  }

  await open()
  return {
    start: sendNext,
    finish: () => {
      isFinishing = true
      if (!isBusy) end()
      return finished.promise
    },
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
