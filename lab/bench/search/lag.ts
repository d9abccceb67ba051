import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { incomingPath, post } from '../../common/public-api.ts'
import { openSender } from '../../common/sender.ts'
import { type Ask, print, type World } from '../app/world.ts'
import type { LoadClient } from '../load/client.ts'
import { apiKey } from '../servers/start.ts'
import { latencyOf } from '../statistics.ts'

const askEveryMs = 200
const goalSeconds = 10

/**
 * How long it takes until a message is found, while others come at a steady rate: sends one with a word of its own, asks for
 * it until it is found, and sends the next.
 */
export async function measureLag(
  world: World,
  load: LoadClient,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<void> {
  const { port, certificate, processes } = world.server
  const target = { port, certificate, processes, apiKey, connections: 64, traffic: 'plain' as const }
  const sender = openSender({ port, certificate })
  const ask = await world.signIn()
  let isOver = false
  const sending = load
    .load({ ...target, requestsPerSecond: perSecond, warmupMs: 5_000, measuredMs: seconds * 1_000 })
    .finally(() => {
      isOver = true
    })
  const lags: number[] = []
  await sleep(5_000)
  while (!isOver) lags.push(await timeToFind(ask, sender))
  const { latency, requests } = await sending
  const found = latencyOf(Float64Array.from(lags, (ms) => ms / 1_000))
  print(
    `found after p50 ${found.p50.toFixed(1)} s, at most ${found.max.toFixed(1)} s (${lags.length} messages; goal ${goalSeconds} s), while ${(requests / seconds).toFixed(0)} messages/s came with p99 ${latency.p99.toFixed(1)} ms`,
  )
}

async function timeToFind(ask: Ask, { send }: ReturnType<typeof openSender>): Promise<number> {
  const word = `z${randomBytes(8).toString('hex')}`
  const customData = { messageSid: word, fromId: 'who-asks', toId: 'shop', channel: 'bench', body: `Where is ${word}?` }
  const { status, failure } = await send(post(apiKey, incomingPath, { customData }))
  if (status !== 200) throw new Error(`a message was answered with ${failure ?? status}`)
  const startedAt = performance.now()
  while (!(await ask(`/api/search?q=${word}`)).includes(word)) await sleep(askEveryMs)
  return performance.now() - startedAt
}
