import { setTimeout as sleep } from 'node:timers/promises'
import type { Asked } from '../../../server/test/helpers/global-rules.ts'
import { dueTimes } from '../../common/due-times.ts'
import { incomingPath, post } from '../../common/public-api.ts'
import { openSender } from '../../common/sender.ts'
import { type Latency, latencyOf } from '../latency.ts'

type Order = {
  port: number
  /** Of more servers: messages go to all in turn, and what one did not acknowledge to the next. */
  otherPorts?: number[]
  apiKey: string
  perSecond: number
  /** After this time a copy of some messages is sent once more. */
  lateCopyMs?: number
}

/** `at`: when it was answered, in milliseconds since 1970. */
export type Answered = Asked & { at: number }

/** `sentAtMs`: in milliseconds of this process's clock. */
export type Attempt = Answered & { port: number; sentAtMs: number; tookMs: number }

/** Sends at a steady rate and retries each message with the same messageSid until it is acknowledged. */
export function openPersistentClient({ port, otherPorts = [], apiKey, perSecond, lateCopyMs }: Order) {
  const senders = [port, ...otherPorts].map((own) => ({ own, ...openSender({ port: own }) }))
  const asked: Attempt[] = []
  const times: number[] = []
  const inFlight = new Set<Promise<void>>()
  const stopping = new AbortController()

  async function sendUntilAcknowledged(n: number, dueAt: number): Promise<void> {
    const messageSid = `persistent ${n}`
    const customData = { messageSid, fromId: `person ${n % 200}`, toId: 'shop', body: 'Hello' }
    const request = post(apiKey, incomingPath, { customData })
    let turn = n
    const send = async () => {
      const [sender, sentAtMs] = [senders[turn % senders.length], performance.now()]
      if (!sender) throw new Error('there is no server to send to')
      const { status, messageId } = await sender.send(request)
      const tookMs = performance.now() - sentAtMs
      asked.push({ messageSid, status, messageId, at: Date.now(), port: sender.own, sentAtMs, tookMs })
      turn += 1
      return status
    }
    for (let tries = 0; tries < 300; tries += 1) {
      if ((await send()) === 200) {
        times.push(performance.now() - dueAt)
        if (n % 50 === 0) await send() // some clients lose the first response and retry: they must get the same answer
        if (n % 100 === 0 && lateCopyMs !== undefined) await sleep(lateCopyMs, undefined, stopping).then(send, () => {})
        return
      }
      await sleep(400)
    }
  }

  async function run(): Promise<void> {
    for await (const { n, dueAt } of dueTimes(perSecond)) {
      if (stopping.signal.aborted) return
      const asking = sendUntilAcknowledged(n, dueAt)
      inFlight.add(asking)
      void asking.finally(() => inFlight.delete(asking))
    }
  }

  const running = run()
  return {
    latency: (): Latency => latencyOf(times),
    /** Sends nothing new; resolves when everything is acknowledged. */
    finish: async (): Promise<Attempt[]> => {
      stopping.abort()
      await running
      await Promise.all(inFlight)
      return asked
    },
  }
}

export function countStatuses(asked: { status: number }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of asked) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
