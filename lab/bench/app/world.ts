import { hash, randomBytes } from 'node:crypto'
import { Agent, get } from 'node:https'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { cpuBetween, type Processes, readCpu } from '../measure.ts'
import { type RunningServer, startServer } from '../servers/start.ts'
import { latencyOf } from '../statistics.ts'
import { fillInbox, type Size } from './fill.ts'
import type { AskedFor } from './requests.ts'

const requestsOfEach = 200

/** Tables that no request of the app may read from end to end. */
const large = [
  ...['contacts', 'list_members', 'conversations', 'conversation_reads', 'unread_conversations', 'messages'],
  ...['deliveries', 'attachments', 'message_search', 'search_marks'],
]

/** A server with a large account, and how to sign in to it. `Ask` returns the body of an answer. */
export type World = { server: RunningServer; client: Client; signIn: () => Promise<Ask> }
export type Ask = (path: string) => Promise<string>

export async function openWorld(started: AsyncDisposableStack, size: Size): Promise<World> {
  const folder = await makeTemporaryFolder('patchbay-bench-app-', started)
  const server = started.use(await startServer('product', folder, { logFolder: undefined, profileFolder: undefined }))
  const client = await server.connect()
  started.defer(() => client.end())
  print(`filling: ${size.conversations} conversations, ${size.messages} messages`)
  await fillInbox(client, size)
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: server.certificate })
  started.defer(async () => agent.destroy())
  return { server, client, signIn: () => signIn(client, { agent, port: server.port }) }
}

/** Measures each over HTTPS, one request at a time, and then says which large tables were read from end to end meanwhile. */
export async function measureAll(
  { server, client, signIn: enter }: World,
  asked: AskedFor[],
  goalMs: number,
): Promise<void> {
  await sleep(flushedAfterMs)
  const before = await readScans(client)
  for (const one of asked) print(await measure(await enter(), server.processes, { ...one, goalMs }))
  await sleep(flushedAfterMs)
  const after = await readScans(client)
  const scanned = large.filter((table) => after.get(table) !== before.get(table))
  print(
    scanned.length === 0 ? 'no large table was read from end to end' : `read from end to end: ${scanned.join(', ')}`,
  )
}

/** An idle connection tells its statistics after ten seconds. */
const flushedAfterMs = 12_000

/** Other programs make times longer, and leave CPU time as it is. */
async function measure(ask: Ask, processes: Processes, one: AskedFor & { goalMs: number }): Promise<string> {
  const { name, path, answered = () => {}, goalMs } = one
  for (let n = 0; n < 10; n += 1) answered(await ask(path()))
  const times = new Float64Array(requestsOfEach)
  const before = readCpu(processes)
  for (let n = 0; n < requestsOfEach; n += 1) {
    const startedAt = performance.now()
    const body = await ask(path())
    times[n] = performance.now() - startedAt
    answered(body)
  }
  const cpu = cpuBetween(before, readCpu(processes))
  const [node, postgres] = [cpu.node, cpu.postgres].map((micros) => (micros / 1_000 / requestsOfEach).toFixed(1))
  const { p50, p99, max } = latencyOf(times)
  const shown = [p50, p99, max].map((ms) => ms.toFixed(1).padStart(7))
  const isOver = p99 > goalMs ? `  over ${goalMs}` : ''
  return `${name.padEnd(34)} p50 ${shown[0]}  p99 ${shown[1]}  max ${shown[2]} ms, CPU ${node} and ${postgres} ms${isOver}`
}

/** A browser that the owner has signed in with. Each has a limit of requests, so each kind of request has its own. */
export async function signIn(client: Client, { agent, port }: { agent: Agent; port: number }): Promise<Ask> {
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
          if (answer.statusCode === 200) resolve(body)
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

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
