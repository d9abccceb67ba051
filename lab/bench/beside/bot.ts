import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { incomingPath, post } from '../../common/public-api.ts'
import { openSender } from '../../common/sender.ts'
import { print } from '../app/world.ts'
import { prepareQuiet, quietKey } from '../fill.ts'
import { apiKey, type RunningServer } from '../servers/start.ts'
import { teach } from '../teach.ts'
import { type Beside, compare, p99OfMessages, type World } from './compare.ts'

/** More than are answered in the time of a round. */
const questionsOwed = 4_000

/** Messages of one account beside answers to another, with as many threads of the embedder as there are. */
export async function besideBot(world: World): Promise<Beside> {
  const { server, database, rounds } = world
  await prepareQuiet(database)
  const questions = await teach(server, database)
  await owe(server, questions.slice(0, 10))
  await untilAnswered(database)
  await p99OfMessages(world, quietKey)
  return compare({
    ...{ what: 'p99 of messages in beside answers of the bot', unit: 'ms', goal: 1.2, rounds },
    alone: () => p99OfMessages(world, quietKey),
    beside: async () => {
      await owe(
        server,
        Array.from({ length: questionsOwed }, (_, n) => questions[n % questions.length] ?? ''),
      )
      const before = await countPending(database)
      const p99 = await p99OfMessages(world, quietKey)
      const left = await countPending(database)
      print(`  ${before - left} answers meanwhile, ${left} owed at the end`)
      await untilAnswered(database)
      return p99
    },
  })
}

let asked = 0

/** Questions of as many contacts, no two the same, so that each is embedded. */
async function owe({ port, certificate }: RunningServer, questions: string[]): Promise<void> {
  const { sendOnce } = openSender({ port, certificate })
  const send = async (question: string) => {
    asked += 1
    const customData = {
      messageSid: `asked ${asked}`,
      fromId: `asking ${asked}`,
      toId: 'bot',
      body: `${question} ${asked}`,
    }
    const { status, failure } = await sendOnce(post(apiKey, incomingPath, { customData }))
    if (status !== 200) throw new Error(`a question was answered with ${failure ?? status}`)
  }
  for (let n = 0; n < questions.length; n += 50) await Promise.all(questions.slice(n, n + 50).map(send))
}

async function countPending(database: Client): Promise<number> {
  const { rows } = await database.query<{ n: string }>('select count(*) as n from turns')
  return Number(rows[0]?.n)
}

async function untilAnswered(database: Client): Promise<void> {
  const giveUpAt = performance.now() + 300_000
  while ((await countPending(database)) > 0) {
    if (performance.now() > giveUpAt) throw new Error('the bot did not come to an end')
    await sleep(200)
  }
}
