import { setTimeout as sleep } from 'node:timers/promises'
import type { Asked } from '../../server/test/helpers/global-rules.ts'
import { openSender } from '../honest/sender.ts'
import { type Latency, latencyOf } from '../latency.ts'

type Order = { port: number; apiKey: string; perSecond: number }

/** Sends at a steady rate, and each again until it is acknowledged, under the same messageSid. */
export function openPersistentClient({ port, apiKey, perSecond }: Order) {
  const sender = openSender({ port })
  const asked: Asked[] = []
  const times: number[] = []
  const underway = new Set<Promise<void>>()
  const ending = new AbortController()

  async function retryConflicts(n: number, dueAt: number): Promise<void> {
    const messageSid = `persistent ${n}`
    const customData = { messageSid, fromId: `person ${n % 200}`, toId: 'shop', body: 'Hello' }
    const body = JSON.stringify({ customData })
    const request = { method: 'POST', path: '/v1/incoming_custom_channel_message', apiKey, body, name: messageSid }
    for (let tries = 0; tries < 300; tries += 1) {
      const { status, messageId } = await sender.send(request)
      asked.push({ messageSid, status, messageId })
      if (status === 200) {
        times.push(performance.now() - dueAt)
        // Some never hear the first answer, and ask again: they must be told the same.
        if (n % 50 === 0) asked.push({ messageSid, ...(await sender.send(request)) })
        return
      }
      await sleep(400)
    }
  }

  async function run(): Promise<void> {
    const beganAt = performance.now()
    for (let n = 0; !ending.signal.aborted; n += 1) {
      const dueAt = beganAt + (n / perSecond) * 1_000
      await sleep(Math.max(0, dueAt - performance.now()))
      const asking = retryConflicts(n, dueAt)
      underway.add(asking)
      void asking.finally(() => underway.delete(asking))
    }
  }

  const running = run()
  return {
    latency: (): Latency => latencyOf(times),
    /** Sends nothing new; resolves when everything is acknowledged. */
    finish: async (): Promise<Asked[]> => {
      ending.abort()
      await running
      await Promise.all(underway)
      return asked
    },
  }
}
