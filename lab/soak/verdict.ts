import { breachesOf, type Query } from '../../server/test/helpers/global-rules.ts'
import type { Counts } from './attacks/attack.ts'
import { type Latency, latencyOf } from './latency.ts'
import type { ClientLog, Kind, LogEntry } from './normal-client/log.ts'
import { ownerKey } from './product.ts'
import type { Measured, Scenario } from './scenarios.ts'
import type { Tenant } from './tenants.ts'

export type Memory = { idle: number; peak: number; after: number }

/** The tenant that makes the load, one whose bot answers, and the website chat of a third. */
export type NormalTenants = { normal: Tenant; withBot: Tenant; chat: string }

export type Verdict = {
  latency: Partial<Record<Measured, Latency>>
  statuses: Record<string, number>
  /** Why requests had no answer. */
  failures: Record<string, number>
  /** How late the client's own timers were at most: beyond that, the machine was too busy to measure. */
  clientLateMs: number
  /** The longest request of each second, by when it was due. */
  worstMsBySecond: number[]
  /** Rules that were broken; empty when all hold. */
  broken: string[]
}

type Observed = {
  log: ClientLog
  untimedMs: number
  attack: Counts
  memoryMiB: Memory
  stallMs: number
  isAlive: boolean
  serverLog: string
}
type Case = { scenario: Scenario; tenants: NormalTenants; observed: Observed; ledger: string[]; query: Query }

/** How long the bot waits for more messages of a new contact. */
const quietMs = 2_000

const most = { growthMiB: 150, keptMiB: 60, stallMs: 500 }

export async function checkRules({ scenario, tenants, observed, ledger, query }: Case): Promise<Verdict> {
  const { log } = observed
  const timed = log.entries.filter(({ dueAtMs }) => dueAtMs >= observed.untimedMs)
  const latency = measure({ ...log, entries: timed })
  const statuses = countBy(log.entries, ({ status }) => String(status))
  const failures = countBy(
    log.entries.filter(({ failure }) => failure !== undefined),
    ({ failure }) => failure ?? '',
  )
  const broken = [
    ...slow(scenario, latency),
    ...(scenario.mayFail ? [] : refused(log.entries)),
    ...overMemory(observed.memoryMiB, scenario.mostMiB),
    ...Object.entries(observed.attack).flatMap(([what, n]) =>
      what.startsWith('broken: ') ? [`${what.slice(8)}: ${n}`] : [],
    ),
    ...(observed.isAlive ? [] : ['P1: the server has exited']),
    ...(observed.stallMs > most.stallMs
      ? [`P1: its event loop was blocked for ${observed.stallMs.toFixed(0)} ms`]
      : []),
    ...ledger,
    ...(await storedDifferently(tenants, observed, query)),
  ]
  const worstMsBySecond = worstOf(log.entries)
  return { latency, statuses, failures, clientLateMs: Math.round(log.lateMs), worstMsBySecond, broken }
}

function measure({ entries, arrivals }: ClientLog): Verdict['latency'] {
  const timesOf = (is: (kind: Kind) => boolean) => entries.filter(({ kind }) => is(kind)).map(({ tookMs }) => tookMs)
  const requests = timesOf((kind) => kind !== 'upload')
  const [visitors, app, uploads] = (['chat', 'app', 'upload'] as const).map((one) => timesOf((kind) => kind === one))
  const sent = entries.filter(({ kind, status }) => kind === 'send' && status === 200)
  const arrivedAt = new Map(arrivals.map(({ messageId, atMs }) => [messageId, atMs]))
  const replies = sent.map((entry) => waited(entry, arrivedAt.get(entry.messageId ?? '')))
  const answeredAt = new Map(arrivals.map(({ contact, atMs }) => [contact, atMs]))
  const hellos = entries.filter(({ kind, status }) => kind === 'hello' && status === 200)
  const answers = hellos.map((entry) => Math.max(0, waited(entry, answeredAt.get(entry.name)) - quietMs))
  const all = { requests, visitors, app, uploads, replies, answers }
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, times = []]) => times.length > 0)
      .map(([name, times = []]) => [name, latencyOf(times)]),
  )
}

function worstOf(entries: LogEntry[]): number[] {
  const worst: number[] = []
  for (const { dueAtMs, tookMs } of entries) {
    const second = Math.max(0, Math.floor(dueAtMs / 1_000))
    worst[second] = Math.max(worst[second] ?? 0, Math.round(tookMs))
  }
  return Array.from(worst, (ms) => ms ?? 0)
}

/** From the response until the event arrived; infinite if it never did. */
function waited({ dueAtMs, tookMs }: LogEntry, arrivedAtMs: number | undefined): number {
  return Math.max(0, (arrivedAtMs ?? Number.POSITIVE_INFINITY) - dueAtMs - tookMs)
}

function slow({ p99Ms }: Scenario, latency: Verdict['latency']): string[] {
  return Object.entries(p99Ms).flatMap(([name, limit]) => {
    const p99 = latency[name as Measured]?.p99 ?? Number.NaN
    return p99 <= limit ? [] : [`L1: p99 of ${name} is ${p99.toFixed(0)} ms, not ${limit} at most`]
  })
}

function refused(entries: LogEntry[]): string[] {
  const bad = entries.filter(({ status }) => status < 200 || status > 299)
  const found = Object.entries(countBy(bad, ({ kind, status, failure }) => `${kind} ${status} ${failure ?? ''}`))
  return found.map(([what, n]) => `L1: ${n} normal requests were not answered with 2xx: ${what}`)
}

/** M1 */
function overMemory({ idle, peak, after }: Memory, mostMiB: number | undefined): string[] {
  if (mostMiB !== undefined) return peak <= mostMiB ? [] : [`M1: it took ${peak} MiB, not ${mostMiB} at most`]
  return [
    ...(peak - idle > most.growthMiB ? [`M1: memory grew by ${peak - idle} MiB, not ${most.growthMiB} at most`] : []),
    ...(after - idle > most.keptMiB ? [`M1: ${after - idle} MiB were not freed, ${most.keptMiB} at most`] : []),
  ]
}

async function storedDifferently(
  { normal, withBot }: NormalTenants,
  observed: Observed,
  query: Query,
): Promise<string[]> {
  const asked = observed.log.entries.map(({ name, status, messageId }) => ({ messageSid: name, status, messageId }))
  const histories = [
    { tenant: normal, kinds: ['incoming', 'upload'] },
    ...(withBot === normal ? [] : [{ tenant: withBot, kinds: ['hello'] }]),
  ]
  const breaches: string[] = []
  for (const { tenant, kinds } of histories) {
    const own = asked.filter((_, n) => kinds.includes(observed.log.entries[n]?.kind ?? ''))
    const secrets = [tenant.apiKey, ownerKey]
    const found = await breachesOf(query, {
      accountId: tenant.accountId,
      asked: own,
      secrets,
      logs: [observed.serverLog],
    })
    breaches.push(...found.filter((breach) => !/^N2: warm-up/.test(breach)))
  }
  return breaches.length > 5 ? [...breaches.slice(0, 5), `and ${breaches.length - 5} more of this kind`] : breaches
}

function countBy<Item>(items: Item[], nameOf: (item: Item) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1
  return counts
}
