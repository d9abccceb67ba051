import { Agent, request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Counts, count } from './attack.ts'

type Post = { path: string; body: unknown; apiKey: string; headers?: Record<string, string> }

/** Posts, and counts the responses by status. */
export function openPoster(port: number, counts: Counts): (post: Post) => Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, rejectUnauthorized: false })
  return ({ path, body, apiKey, headers = {} }) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const text = JSON.stringify(body)
    const asking = request(
      {
        host: '127.0.0.1',
        port,
        agent,
        method: 'POST',
        path: `/v1${path}`,
        timeout: 60_000,
        headers: {
          'x-api-key': apiKey,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
          ...headers,
        },
      },
      (answer) => {
        count(counts, answer.statusCode ?? 0)
        answer.resume()
        answer.on('close', () => resolve())
      },
    )
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => {
      count(counts, 'lost')
      resolve()
    })
    asking.end(text)
    return promise
  }
}

/** Keeps this many requests in flight: each that ends is followed by the next. */
export async function keepInFlight(
  requests: number,
  stopping: AbortSignal,
  ask: (n: number) => Promise<void>,
): Promise<void> {
  async function one(n: number): Promise<void> {
    while (!stopping.aborted) {
      await ask(n)
      await sleep(20)
    }
  }
  await Promise.all(Array.from({ length: requests }, (_, n) => one(n)))
}

/** Starts this many a second, whether or not earlier ones have ended. */
export async function atRate(
  perSecond: number,
  stopping: AbortSignal,
  ask: (n: number) => Promise<void>,
): Promise<void> {
  const beganAt = performance.now()
  for (let n = 0; !stopping.aborted; n += 1) {
    await sleep(Math.max(0, beganAt + (n / perSecond) * 1_000 - performance.now()))
    void ask(n)
  }
}
