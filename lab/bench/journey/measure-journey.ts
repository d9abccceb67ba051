import { Agent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { signIn } from '../app/world.ts'
import { cpuBetween, readCpu } from '../measure.ts'
import { type RunningServer, startServer } from '../servers/start.ts'
import { type Latency, latencyOf } from '../statistics.ts'
import { teach } from '../teach.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type Sent, sendSteadily } from './send.ts'
import { noteAnswered, noteCounted, noteFound } from './watch.ts'

/** How long the parts of a message's journey take, in milliseconds since it was due, and how many were seen to get there. */
export type Journey = {
  perSecond: number
  messages: number
  /** How long the bot waits for a second message before it answers. */
  quietMs: number
  kept: Part
  searchable: Part
  counted: Part
  answered: Part
  received: Part
  /** CPU of a message at this rate, where batches are small, with all of that and our own searches; microseconds. */
  cpu: { node: number; postgres: number }
}

type Part = Latency & { of: number }

type Plan = { perSecond: number; seconds: number }

export const usualPlan: Plan = { perSecond: 50, seconds: 20 }
const arrivesWithinMs = 60_000

/** On a server of its own, with a bot that knows answers and a receiver. */
export async function measureJourney(started: AsyncDisposableStack, plan = usualPlan): Promise<Journey> {
  const folder = await makeTemporaryFolder('patchbay-bench-journey-', started)
  const server = started.use(await startServer('product', folder, { logFolder: undefined, profileFolder: undefined }))
  const receiver = started.use(await openReceiver())
  const database = await server.connect()
  started.defer(() => database.end())
  const questions = await teach(server, database)
  await receiveAt(server, database, receiver.port)
  const first: Sent[] = []
  await sendSteadily(server, { name: 'first', questions, perSecond: 10, count: 20 }, first) // loads the model
  await untilReceived(first, receiver)

  const sent: Sent[] = []
  const count = plan.perSecond * plan.seconds
  const before = readCpu(server.processes)
  await travel({ server, database, receiver, sent }, { name: 'journey', questions, perSecond: plan.perSecond, count })
  const { node, postgres } = cpuBetween(before, readCpu(server.processes))
  await noteAnswered(database, sent)
  const { rows } = await database.query<{ ms: number }>('select max(quiet_ms) as ms from conversations')
  return {
    ...partsOf(sent, receiver),
    perSecond: plan.perSecond,
    messages: count,
    quietMs: rows[0]?.ms ?? 0,
    cpu: {
      node: node / count,
      postgres: postgres / count,
    },
  }
}

async function receiveAt({ command }: RunningServer, database: Client, port: number): Promise<void> {
  const { rows } = await database.query<{ email: string }>(
    'select email from users where account_id = (select owner_account_id from installation) and is_holder',
  )
  await command('webhook', 'set', '--account', rows[0]?.email ?? '', '--url', `http://127.0.0.1:${port}/events`)
}

type World = { server: RunningServer; database: Client; receiver: Receiver; sent: Sent[] }

/** Sends all, and watches until all have got everywhere, or a minute longer. */
async function travel({ server, database, receiver, sent }: World, plan: Parameters<typeof sendSteadily>[1]) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: server.certificate })
  const ask = await signIn(database, { agent, port: server.port })
  const stopping = new AbortController()
  const watching = [noteCounted(database, sent, stopping.signal), noteFound(ask, sent, stopping.signal)]
  await Promise.race([sendSteadily(server, plan, sent), ...watching])
  await untilReceived(sent, receiver)
  const isWatched = () =>
    sent.every(
      ({ word, foundAt, countedAt }) => countedAt !== undefined && (word === undefined || foundAt !== undefined),
    )
  const giveUpAt = performance.now() + arrivesWithinMs
  while (!isWatched() && performance.now() < giveUpAt) await sleep(100)
  stopping.abort()
  await Promise.all(watching)
  agent.destroy()
}

async function untilReceived(sent: Sent[], { arrivedAt }: Receiver): Promise<void> {
  const giveUpAt = performance.now() + arrivesWithinMs
  while (!sent.every(({ contact }) => arrivedAt.has(contact)) && performance.now() < giveUpAt) await sleep(100)
}

function partsOf(sent: Sent[], { arrivedAt }: Receiver) {
  const part = (read: (one: Sent) => number | undefined): Part => {
    const times = sent.flatMap((one) => {
      const at = read(one)
      return at === undefined ? [] : [at - one.dueAt]
    })
    return { ...latencyOf(Float64Array.from(times)), of: times.length }
  }
  return {
    kept: part(({ keptAt }) => keptAt),
    searchable: part(({ foundAt }) => foundAt),
    counted: part(({ countedAt }) => countedAt),
    answered: part(({ answeredAt }) => answeredAt),
    received: part(({ contact }) => arrivedAt.get(contact)),
  }
}
