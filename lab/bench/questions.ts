import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { incomingPath, post } from '../common/public-api.ts'
import { openSender } from '../common/sender.ts'
import { apiKey, type RunningServer } from './servers/start.ts'

const atOnce = 50

/** Asks so many questions as fast as they are taken, each of a contact of its own, and no two the same, so that each is embedded. */
export function openQuestions(
  { port, certificate }: RunningServer,
  texts: string[],
): { ask: (count: number) => Promise<void> } {
  const { sendOnce } = openSender({ port, certificate })
  let asked = 0
  async function askOne(): Promise<void> {
    asked += 1
    const body = `${texts[asked % texts.length]} ${asked}`
    const customData = { messageSid: `different ${asked}`, fromId: `different ${asked}`, toId: 'bot', body }
    const { status, failure } = await sendOnce(post(apiKey, incomingPath, { customData }))
    if (status !== 200) throw new Error(`a question was answered with ${failure ?? status}`)
  }
  return {
    ask: async (count) => {
      for (let left = count; left > 0; left -= atOnce) {
        await Promise.all(Array.from({ length: Math.min(left, atOnce) }, askOne))
      }
    },
  }
}

export async function countPending(database: Client): Promise<number> {
  const { rows } = await database.query<{ n: string }>('select count(*) as n from turns')
  return Number(rows[0]?.n)
}

const givesUpAfterMs = 300_000

export async function untilAnswered(database: Client): Promise<void> {
  const giveUpAt = performance.now() + givesUpAfterMs
  while ((await countPending(database)) > 0) {
    if (performance.now() > giveUpAt) throw new Error('the bot did not come to an end')
    await sleep(50)
  }
}
