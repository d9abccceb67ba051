import { setTimeout as sleep } from 'node:timers/promises'
import { openSender } from '../../common/sender.ts'
import { openRandom } from '../random.ts'
import type { ClientLog, Kind, LogEntry } from './log.ts'
import { openReceiver } from './receiver.ts'
import { openWriter } from './writer.ts'

export type ClientOrder = { port: number; certificate: string; seed: number }
export type ClientReady = { receiverPort: number }

/** Requests of one kind, at a steady rate whether or not earlier ones were answered. */
export type Stream = { kind: Kind; perSecond: number; apiKey: string }
export type Streams = {
  streams: Stream[] /** Prefix of every name, so that two runs share none. */
  label: string
}

/** A well-behaved client with a receiver: what it observes under attack is what every tenant would. */
export async function openNormalClient({ port, certificate, seed }: ClientOrder) {
  const receiver = await openReceiver()
  const sender = openSender({ port, certificate })
  const random = openRandom(seed)

  async function run({ streams, label }: Streams, stopping: AbortSignal): Promise<ClientLog> {
    const beganAt = performance.now()
    const entries: LogEntry[] = []
    const inFlight = new Set<Promise<unknown>>()
    let lateMs = 0
    const write = openWriter(label, random)

    async function runStream({ kind, perSecond, apiKey }: Stream): Promise<void> {
      for (let n = 0; !stopping.aborted; n += 1) {
        const dueAt = beganAt + (n / perSecond) * 1_000
        const waitMs = dueAt - performance.now()
        if (waitMs > 1) await sleep(waitMs)
        if (stopping.aborted) return
        lateMs = Math.max(lateMs, performance.now() - Math.max(dueAt, beganAt))
        const request = write(kind, apiKey)
        const asking = sender.send(request).then((answer) => {
          const [dueAtMs, tookMs] = [dueAt - beganAt, performance.now() - dueAt]
          entries.push({ kind, dueAtMs, tookMs, name: request.name, ...answer })
        })
        inFlight.add(asking)
        void asking.finally(() => inFlight.delete(asking))
      }
    }

    await Promise.all(streams.map(runStream))
    await Promise.all(inFlight)
    await untilQuiet(() => receiver.arrivals.length)
    const arrivals = receiver.arrivals.map((arrival) => ({ ...arrival, atMs: arrival.atMs - beganAt }))
    return { entries, arrivals, lateMs }
  }

  return { ready: { receiverPort: receiver.port }, run }
}

/** Events may still be in flight when the last request is answered. */
async function untilQuiet(count: () => number): Promise<void> {
  for (let [before, tries] = [-1, 0]; count() !== before && tries < 10; tries += 1) {
    before = count()
    await sleep(2_000)
  }
}
