import { setTimeout as sleep } from 'node:timers/promises'
import type { Asked } from '../../server/test/helpers/global-rules.ts'
import { type Latency, latencyOf } from '../latency.ts'
import { openSender } from '../normal-client/sender.ts'

type Order = { port: number; apiKey: string; perSecond: number }

/** Sends at a steady rate and retries each message with the same messageSid until it is acknowledged. */
export function openPersistentClient({ port, apiKey, perSecond }: Order) {
  const sender = openSender({ port })
  const asked: Asked[] = []
  const times: number[] = []
  const inFlight = new Set<Promise<void>>()
  const stopping = new AbortController()

  async function sendUntilAcknowledged(n: number, dueAt: number): Promise<void> {
    const messageSid = `persistent ${n}`
    const customData = { messageSid, fromId: `person ${n % 200}`, toId: 'shop', body: 'Hello' }
    const body = JSON.stringify({ customData })
    const request = { method: 'POST', path: '/v1/incoming_custom_channel_message', apiKey, body, name: messageSid }
    for (let tries = 0; tries < 300; tries += 1) {
      const { status, messageId } = await sender.send(request)
      asked.push({ messageSid, status, messageId })
      if (status === 200) {
        times.push(performance.now() - dueAt)
        // Some clients lose the first response and retry: they must get the same answer.
        if (n % 50 === 0) asked.push({ messageSid, ...(await sender.send(request)) })
        return
      }
      await sleep(400)
    }
  }

  async function run(): Promise<void> {
    const beganAt = performance.now()
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      const dueAt = beganAt + (n / perSecond) * 1_000
      await sleep(Math.max(0, dueAt - performance.now()))
      const asking = sendUntilAcknowledged(n, dueAt)
      inFlight.add(asking)
      void asking.finally(() => inFlight.delete(asking))
    }
  }

  const running = run()
  return {
    latency: (): Latency => latencyOf(times),
    /** Sends nothing new; resolves when everything is acknowledged. */
    finish: async (): Promise<Asked[]> => {
      stopping.abort()
      await running
      await Promise.all(inFlight)
      return asked
    },
  }
}
