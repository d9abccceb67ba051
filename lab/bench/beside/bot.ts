import { print } from '../app/world.ts'
import { prepareQuiet, quietKey } from '../fill.ts'
import { countPending, openQuestions, untilAnswered } from '../questions.ts'
import { teach } from '../teach.ts'
import { type Beside, compare, p99OfMessages, type World } from './compare.ts'

/** More than are answered in the time of a round. */
const questionsOwed = 4_000

/** Messages of one account beside answers to another, with as many threads of the embedder as there are. */
export async function besideBot(world: World): Promise<Beside> {
  const { server, database, rounds } = world
  await prepareQuiet(database)
  const questions = openQuestions(server, await teach(server, database))
  await questions.ask(10)
  await untilAnswered(database)
  await p99OfMessages(world, quietKey)
  return compare({
    ...{ what: 'p99 of messages in beside answers of the bot', unit: 'ms', goal: 1.2, rounds },
    alone: () => p99OfMessages(world, quietKey),
    beside: async () => {
      await questions.ask(questionsOwed)
      const before = await countPending(database)
      const p99 = await p99OfMessages(world, quietKey)
      const left = await countPending(database)
      print(`  ${before - left} answers meanwhile, ${left} owed at the end`)
      await untilAnswered(database)
      return p99
    },
  })
}
