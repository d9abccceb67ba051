import { parseArgs } from 'node:util'
import { failMany } from './fill.ts'
import { indexAll } from './index-all.ts'
import { appRequests } from './requests.ts'
import { measureAll, openWorld, print } from './world.ts'

/** The goal, in milliseconds, for the slowest of a hundred requests. */
const goalMs = 30

/**
 * Measures the app's own API on an account with many conversations. Prints the times, and which large tables were read from
 * end to end.
 */
export async function benchApp(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      conversations: { type: 'string', default: '10000' },
      messages: { type: 'string', default: '1000000' },
      only: { type: 'string', default: '' },
    },
  })
  await using started = new AsyncDisposableStack()
  const size = { conversations: Number(values.conversations), messages: Number(values.messages) }
  const world = await openWorld(started, size)
  print('adding all messages to the search')
  await indexAll(world.server)
  const asked = (await appRequests(world.client)).filter(({ name }) => new RegExp(values.only).test(name))
  await measureAll(world, asked, goalMs)
  print('after an outage: half of the conversations have failed replies')
  await failMany(world.client)
  const ofFailed = asked.filter(({ name }) => /failed|counts/.test(name))
  await measureAll(world, ofFailed, goalMs)
}
