import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { dueTimes } from '../../common/due-times.ts'
import { readStalls } from '../../common/event-loop.ts'
import { incomingPath, post } from '../../common/public-api.ts'
import { openSender } from '../../common/sender.ts'
import { cpuBetween, readCpu, readMemory } from '../measure.ts'
import { countPending, openQuestions, untilAnswered } from '../questions.ts'
import { apiKey, type RunningServer } from '../servers/start.ts'
import { teach } from '../teach.ts'
import { type Bench, loadOn, perSecond } from './bench.ts'

/** The built-in bot: how long an answer takes, whether the server notices, and what is left of its speed meanwhile. */
export type Bot = {
  turnsPerSecond: number
  turns: number
  /** The engine alone, and from when the answer was due until it was kept, in milliseconds. */
  engine: Percentiles
  untilKept: Percentiles
  /** For how long the event loop was held up. */
  stallMs: { max: number; p99: number }
  memoryBytes: number
  /** New messages a second while answers are owed, as a share of those while the bot is off. */
  ingestShare: number
  /**
   * Answers once the messages stopped, all with the same text, which is embedded once; and to questions of which no two are
   * the same.
   */
  repeated: Drain
  different: Drain
}

/** Answers a second, and the CPU of one in microseconds, its own search and reports too. */
type Drain = { perSecond: number; cpu: { node: number; postgres: number } }

type Percentiles = { p50: number; p95: number; max: number }

const turnsPerSecond = 10

export async function measureBot(bench: Bench, seconds: number): Promise<Bot> {
  await using answerer = await bench.startAnswerer() // ends with this section: it would still be answering in the next
  const database = await answerer.connect()
  const questions = await teach(answerer, database)
  bench.printProgress('the bot knows its answers')
  await ask(answerer, questions.slice(0, turnsPerSecond)) // loads the model
  await untilAnswered(database)
  await readStall(answerer)
  const { rows: before } = await database.query<{ now: Date }>('select now()')
  await ask(
    answerer,
    Array.from({ length: turnsPerSecond * seconds }, (_, n) => questions[n % questions.length] ?? ''),
  )
  await untilAnswered(database)
  const stallMs = await readStall(answerer)
  const memoryBytes = readMemory(answerer.processes.node).now
  const times = await readTimes(database, before[0]?.now ?? new Date())
  bench.printProgress(
    `${turnsPerSecond} turns a second: p95 of the engine ${times.engine.p95} ms, stall ${stallMs.max.toFixed(1)} ms`,
  )
  const rest = await saturate(bench, answerer, database)
  const different = await answerDifferent(bench, answerer, { database, questions })
  await database.end()
  return { turnsPerSecond, ...times, stallMs, memoryBytes, ...rest, different }
}

let contacts = 0

/** One question after another, each of a contact of its own, so many a second. */
async function ask({ port, certificate }: RunningServer, questions: string[]): Promise<void> {
  const { sendOnce } = openSender({ port, certificate })
  const sent: ReturnType<typeof sendOnce>[] = []
  for await (const { n } of dueTimes(turnsPerSecond)) {
    const body = questions[n]
    if (body === undefined) break
    contacts += 1
    const name = `asking ${contacts}`
    const customData = { messageSid: name, fromId: name, toId: 'bot', body }
    sent.push(sendOnce(post(apiKey, incomingPath, { customData })))
  }
  const refused = (await Promise.all(sent)).find(({ status }) => status !== 200)
  if (refused) throw new Error(`a question was answered with ${refused.failure ?? refused.status}`)
}

async function readTimes(database: Client, since: Date): Promise<Pick<Bot, 'turns' | 'engine' | 'untilKept'>> {
  const { rows } = await database.query<{ n: string; engine: number[]; kept: number[] }>(
    `select count(*) as n,
      percentile_cont(array[0.5, 0.95, 1]) within group (order by a.duration_ms) as engine,
      percentile_cont(array[0.5, 0.95, 1]) within group (
        order by extract(epoch from a.created_at - m.created_at)::float8 * 1000 - c.quiet_ms
      ) as kept
    from answers a
    join messages m on m.account_id = a.account_id and m.contact_id = a.contact_id and m.seq = a.from_seq
    join conversations c on c.account_id = a.account_id and c.contact_id = a.contact_id
    where a.created_at >= $1 and a.engine = 'builtin'`,
    [since],
  )
  const [row] = rows
  const read = ([p50 = Number.NaN, p95 = Number.NaN, max = Number.NaN]: number[] = []) => ({ p50, p95, max })
  return { turns: Number(row?.n), engine: read(row?.engine), untilKept: read(row?.kept) }
}

async function readStall({ processes, dataDir }: RunningServer): Promise<Bot['stallMs']> {
  const { maxMs, p99Ms } = await readStalls(processes.node, dataDir)
  return { max: maxMs, p99: p99Ms }
}

/** New messages as fast as they are taken, with the bot off and on; then the answers that are owed. */
async function saturate(bench: Bench, answerer: RunningServer, database: Client) {
  const rates: Record<'on' | 'off', number> = { on: 0, off: 0 }
  for (const state of ['off', 'on'] as const) {
    await database.query('update accounts set bot_active = $1', [state === 'on'])
    await sleep(1_000) // until the server has forgotten what it knew
    rates[state] = perSecond(await loadOn(bench, answerer, { warmupMs: 1_000, measuredMs: 4_000 }))
  }
  const repeated = await drain(answerer, database)
  const ingestShare = rates.on / rates.off
  bench.printProgress(
    `with the bot on ${ingestShare.toFixed(2)} of the messages; then ${repeated.perSecond.toFixed(0)} answers a second`,
  )
  return { ingestShare, repeated }
}

/** More than are answered while it is measured. */
const differentQuestions = 3_000

async function answerDifferent(
  bench: Bench,
  answerer: RunningServer,
  { database, questions }: { database: Client; questions: string[] },
): Promise<Drain> {
  await database.query('delete from turns')
  await openQuestions(answerer, questions).ask(differentQuestions)
  await database.query(`update turns set due_at = now() + interval '1 hour'`)
  const different = await drain(answerer, database)
  bench.printProgress(`${different.perSecond.toFixed(0)} answers a second to different questions`)
  return different
}

/** Until the messages are searchable and counted: then only answers are left. */
const catchesUpMs = 8_000
const drainedMs = 15_000

async function drain({ processes }: RunningServer, database: Client): Promise<Drain> {
  await sleep(catchesUpMs)
  await database.query('update turns set due_at = now() where due_at > now()')
  const all = await countPending(database)
  for (let waits = 0; waits < 250 && (await countPending(database)) === all; waits += 1) await sleep(20)
  const [owed, startedAt, before] = [await countPending(database), performance.now(), readCpu(processes)]
  while (performance.now() - startedAt < drainedMs && (await countPending(database)) > 0) await sleep(200)
  const answers = owed - (await countPending(database))
  const { node, postgres } = cpuBetween(before, readCpu(processes))
  const seconds = (performance.now() - startedAt) / 1_000
  return { perSecond: answers / seconds, cpu: { node: node / answers, postgres: postgres / answers } }
}
