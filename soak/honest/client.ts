import { setTimeout as sleep } from 'node:timers/promises'
import { openRandom } from '../random.ts'
import type { HonestEntry, HonestLog, Kind } from './log.ts'
import { openReceiver } from './receiver.ts'
import { openSender } from './sender.ts'
import { openWriter } from './writer.ts'

export type HonestOrder = { port: number; certificate: string; seed: number }
export type HonestReady = { receiverPort: number }

/** Requests of one kind, at a steady rate whether or not earlier ones were answered. */
export type Stream = { kind: Kind; perSecond: number; apiKey: string }
export type Streams = {
  streams: Stream[] /** Comes before every name, so that two runs do not share any. */
  label: string
}

/** A well-behaved client with a receiver: what it does under attack is what everybody would see. */
export async function openHonest({ port, certificate, seed }: HonestOrder) {
  const receiver = await openReceiver()
  const sender = openSender({ port, certificate })
  const random = openRandom(seed)

  async function run({ streams, label }: Streams, ending: AbortSignal): Promise<HonestLog> {
    const beganAt = performance.now()
    const entries: HonestEntry[] = []
    const underway = new Set<Promise<unknown>>()
    let lateMs = 0
    const write = openWriter(label, random)

    async function play({ kind, perSecond, apiKey }: Stream): Promise<void> {
      for (let n = 0; !ending.aborted; n += 1) {
        const dueAt = beganAt + (n / perSecond) * 1_000
        const waitMs = dueAt - performance.now()
        if (waitMs > 1) await sleep(waitMs)
        if (ending.aborted) return
        lateMs = Math.max(lateMs, performance.now() - Math.max(dueAt, beganAt))
        const request = write(kind, apiKey)
        const asking = sender.send(request).then((answer) => {
          const [dueAtMs, tookMs] = [dueAt - beganAt, performance.now() - dueAt]
          entries.push({ kind, dueAtMs, tookMs, name: request.name, ...answer })
        })
        underway.add(asking)
        void asking.finally(() => underway.delete(asking))
      }
    }

    await Promise.all(streams.map(play))
    await Promise.all(underway)
    await untilQuiet(() => receiver.arrivals.length)
    const arrivals = receiver.arrivals.map((arrival) => ({ ...arrival, atMs: arrival.atMs - beganAt }))
    return { entries, arrivals, lateMs }
  }

  return { ready: { receiverPort: receiver.port }, run }
}

/** Events may still be on their way when the last request is answered. */
async function untilQuiet(count: () => number): Promise<void> {
  for (let [before, tries] = [-1, 0]; count() !== before && tries < 10; tries += 1) {
    before = count()
    await sleep(2_000)
  }
}
