import { hash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Client } from 'pg'
import { cpuBetween, type Processes, readCpu } from '../measure.ts'
import { startServer } from '../servers/start.ts'
import { latencyOf } from '../statistics.ts'
import { failMany, fillInbox } from './fill.ts'
import { type AskedFor, appRequests } from './requests.ts'

/** The goal, in milliseconds, for the slowest of a hundred requests. */
const goalMs = 30
const requestsOfEach = 200

/** Tables that no request of the app may read from end to end. */
const large = [
  ...['contacts', 'list_members', 'conversations', 'conversation_reads', 'unread_conversations', 'messages'],
  ...['deliveries', 'attachments', 'message_search'],
]

/**
 * Measures the app's own API over HTTPS, one request at a time, on an account with many conversations. Prints the times,
 * and which large tables were read from end to end.
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
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-bench-app-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const server = started.use(await startServer('product', folder, { logFolder: undefined, profileFolder: undefined }))
  const client = await server.connect()
  started.defer(() => client.end())
  print(`filling: ${values.conversations} conversations, ${values.messages} messages`)
  await fillInbox(client, { conversations: Number(values.conversations), messages: Number(values.messages) })
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: server.certificate })
  started.defer(async () => agent.destroy())
  const world = { client, processes: server.processes, signIn: () => signIn(client, { agent, port: server.port }) }
  const asked = (await appRequests(client)).filter(({ name }) => new RegExp(values.only).test(name))
  await measureAll(world, asked)
  print('after an outage: half of the conversations have failed replies')
  await failMany(client)
  const ofFailed = asked.filter(({ name }) => /failed|counts/.test(name))
  await measureAll(world, ofFailed)
}

/** Measures each, and then says which large tables were read from end to end meanwhile. */
async function measureAll(world: World, asked: AskedFor[]): Promise<void> {
  const { client } = world
  await sleep(flushedAfterMs)
  const before = await readScans(client)
  for (const one of asked) await measure(await world.signIn(), world.processes, one)
  await sleep(flushedAfterMs)
  const after = await readScans(client)
  const scanned = large.filter((table) => after.get(table) !== before.get(table))
  print(
    scanned.length === 0 ? 'no large table was read from end to end' : `read from end to end: ${scanned.join(', ')}`,
  )
}

/** An idle connection tells its statistics after ten seconds. */
const flushedAfterMs = 12_000

type Ask = (path: string) => Promise<void>
type World = { client: Client; processes: Processes; signIn: () => Promise<Ask> }

/** Other programs make times longer, and leave CPU time as it is. */
async function measure(ask: Ask, processes: Processes, { name, path }: AskedFor): Promise<void> {
  for (let n = 0; n < 10; n += 1) await ask(path())
  const times = new Float64Array(requestsOfEach)
  const before = readCpu(processes)
  for (let n = 0; n < requestsOfEach; n += 1) {
    const startedAt = performance.now()
    await ask(path())
    times[n] = performance.now() - startedAt
  }
  const cpu = cpuBetween(before, readCpu(processes))
  const [node, postgres] = [cpu.node, cpu.postgres].map((micros) => (micros / 1_000 / requestsOfEach).toFixed(1))
  const { p50, p99, max } = latencyOf(times)
  const shown = [p50, p99, max].map((ms) => ms.toFixed(1).padStart(7))
  print(
    `${name.padEnd(34)} p50 ${shown[0]}  p99 ${shown[1]}  max ${shown[2]} ms, CPU ${node} and ${postgres} ms${p99 > goalMs ? `  over ${goalMs}` : ''}`,
  )
}

/** A browser that the owner has signed in with. Each has a limit of requests, so each kind of request has its own. */
async function signIn(client: Client, { agent, port }: { agent: Agent; port: number }): Promise<Ask> {
  const token = randomBytes(32).toString('base64url')
  await client.query(
    `insert into sessions (token_hash, account_id, user_id) select $1, account_id, id from users
     where account_id = (select owner_account_id from installation)`,
    [hash('sha256', token, 'buffer')],
  )
  const headers = { cookie: `__Host-patchbay=${token}` }
  return (path) =>
    new Promise((resolve, reject) => {
      get({ agent, host: 'localhost', port, path, headers }, (answer) => {
        text(answer).then((body) => {
          if (answer.statusCode === 200) resolve()
          else reject(new Error(`${path}: ${answer.statusCode} ${body}`))
        }, reject)
      }).once('error', reject)
    })
}

async function readScans(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ relname: string; seq_scan: string }>(
    `select relname, seq_scan from pg_stat_user_tables`,
  )
  return new Map(rows.map(({ relname, seq_scan }) => [relname, seq_scan]))
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
