import { parseArgs } from 'node:util'
import { indexAll } from '../app/index-all.ts'
import { measureAll, openWorld, print } from '../app/world.ts'
import { prepareAccount } from '../fill.ts'
import { startLoadClient } from '../load/client.ts'
import { compareBackfill } from './backfill.ts'
import { measureLag } from './lag.ts'
import { searchRequests } from './requests.ts'

/** The goal, in milliseconds, for the slowest of a hundred searches. */
const goalMs = 100

/**
 * Measures the search of messages: what a backfill costs messages that come meanwhile, how long searches take, and how long
 * it takes until a new message is found.
 */
export async function benchSearch(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      conversations: { type: 'string', default: '10000' },
      messages: { type: 'string', default: '1000000' },
      rate: { type: 'string', default: '500' },
      seconds: { type: 'string', default: '60' },
      rounds: { type: 'string', default: '3' },
    },
  })
  const [perSecond, seconds, rounds] = [values.rate, values.seconds, values.rounds].map(Number) as [
    number,
    number,
    number,
  ]
  await using started = new AsyncDisposableStack()
  const size = { conversations: Number(values.conversations), messages: Number(values.messages) }
  const world = await openWorld(started, size)
  await prepareAccount(world.client)
  const load = started.use(startLoadClient())
  print('messages that come while old ones are added to the search')
  await compareBackfill(world, load, { perSecond, seconds: seconds / 3, rounds })
  print('adding all messages to the search')
  await indexAll(world.server)
  await measureAll(world, searchRequests(), goalMs)
  print(`until a message is found, while ${perSecond} come a second`)
  await measureLag(world, load, { perSecond, seconds })
}
