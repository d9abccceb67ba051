import { setTimeout as sleep } from 'node:timers/promises'
import type { ShownImport } from '@patchbay/contract/app/imports.ts'
import { countsOf, makePeople, start, upload } from '../../../server/test/helpers/imports.ts'
import { type Browser, openBrowser } from '../browser.ts'
import { startChild } from '../child.ts'
import { makeTenant, startWorld, type World } from '../kills/world.ts'
import { latencyOf } from '../latency.ts'
import type { ClientReady } from '../normal-client/client.ts'
import type { ClientLog } from '../normal-client/log.ts'
import type { Options } from '../options.ts'
import type { AttackResult } from '../run-attack.ts'
import type { Tenant } from '../tenants.ts'

const some = 10_000
const bad = 37
const many = 100_000
const perSecond = 100

export const titleOfImport = `imports of ${some} contacts with ${bad} bad rows, twice, and of ${many} while messages arrive`

/**
 * Every good row is imported and every bad one kept with its reason, and the same file again doubles nothing. While 100,000
 * rows are imported, the p99 of incoming messages is at most twice that of the minute before.
 */
export async function runImport(
  { server, seed, minutes = 1, say }: Options,
  started: AsyncDisposableStack,
): Promise<AttackResult> {
  const beganAt = performance.now()
  const world = await startWorld(server, started)
  const tenant = await makeTenant(world.product, 'http://127.0.0.1:9/')
  const browser = started.use(openBrowser(world.product.port, tenant.session))
  const broken = await importTwice(world, tenant, browser)
  say(`  ${some} rows twice after ${Math.round((performance.now() - beganAt) / 1_000)} s`)
  const beside = await importBeside({ world, tenant, browser, started }, { seed, quietMs: minutes * 60_000 })
  const { before, during, importMs, counts } = beside
  if (counts.added + counts.same !== many) broken.push(`of ${many} rows: ${JSON.stringify(counts)}`)
  if (during.p99 > 2 * before.p99) {
    broken.push(
      `the p99 of messages was ${during.p99.toFixed(1)} ms beside the import, ${before.p99.toFixed(1)} before`,
    )
  }
  const attack = {
    'p99 before (µs)': Math.round(before.p99 * 1_000),
    'p99 beside (µs)': Math.round(during.p99 * 1_000),
    'p50 before (µs)': Math.round(before.p50 * 1_000),
    'p50 beside (µs)': Math.round(during.p50 * 1_000),
    'import of 100,000 (s)': Math.round(importMs / 1_000),
  }
  const seconds = (performance.now() - beganAt) / 1_000
  const named = { name: 'import', title: titleOfImport, seconds }
  return { ...named, ...nothingMeasured, latency: { requests: during }, attack, broken }
}

const nothingMeasured = {
  memoryMiB: { idle: 0, peak: 0, after: 0 },
  stallMs: 0,
  failures: {},
  clientLateMs: 0,
  worstMsBySecond: [],
  statuses: {},
}

async function importAll(browser: Browser, file: string): Promise<ShownImport> {
  const id = await upload(browser, file, 120_000)
  await untilState(browser, id, 'ready')
  await start(browser, id)
  return untilState(browser, id, 'finished')
}

/** Asks twice a second: a session may ask 1,200 times a minute. */
async function untilState(browser: Browser, id: string, state: ShownImport['state']): Promise<ShownImport> {
  for (const giveUpAt = performance.now() + 1_800_000; ; await sleep(500)) {
    const { status, body } = await browser.call('GET', `/api/imports/${id}`)
    if (status === 200 && body.state === state) return body
    if (performance.now() > giveUpAt) throw new Error(`the import is ${JSON.stringify(body)}, not ${state}`)
  }
}

async function importTwice(world: World, { accountId }: Tenant, browser: Browser) {
  const broken: string[] = []
  const lines = new Map(Array.from({ length: bad }, (_, n) => [n * 251 + 13, badLines[n % badLines.length] ?? '']))
  const file = makePeople(some, lines)
  const good = some - bad
  for (const expected of [
    { rows: some, done: some, added: good, changed: 0, same: 0, failed: bad },
    { rows: some, done: some, added: 0, changed: 0, same: good, failed: bad },
  ]) {
    const job = await importAll(browser, file)
    const counts = JSON.stringify(countsOf(job))
    if (counts !== JSON.stringify(expected)) broken.push(`an import of ${some} says ${counts}`)
    const csv = (await browser.text(`/api/imports/${job.id}/errors/csv`)).trim().split('\r\n').slice(1)
    const withReason = csv.filter((line) => /,\d+,"?'?[A-Z+].*\."?$/.test(line)).length
    if (csv.length !== bad || withReason !== bad)
      broken.push(`${csv.length} rows in the file, ${withReason} with a reason`)
    const { rows } = await world.query('select count(*)::integer as n from contacts where account_id = $1', [accountId])
    if (rows[0]?.n !== good) broken.push(`${rows[0]?.n} contacts are there, not ${good}`)
  }
  return broken
}

const badLines = ['Bad,Phone,0770 900,,', 'Two,Ats,,a@@example.com,', 'No,Body,,,', 'Far,Away,+999 123456,,', 'Too,Few']

type Beside = { world: World; tenant: Tenant; browser: Browser; started: AsyncDisposableStack }

/** Messages arrive at a steady rate, for a while without the import and then for as long as it takes. */
async function importBeside(
  { world, tenant, browser, started }: Beside,
  { seed, quietMs }: { seed: number; quietMs: number },
) {
  const { port, certificate } = world.product
  const client = { port, certificate, seed }
  const messages = started.use(startChild<ClientReady, ClientLog>('normal-client/process.ts', client))
  await messages.ready
  messages.go({ streams: [{ kind: 'incoming', perSecond, apiKey: tenant.apiKey }], label: 'beside' })
  const beganAt = performance.now()
  await sleep(warmUpMs + quietMs)
  const fromMs = performance.now() - beganAt
  const job = await importAll(browser, makePeople(many))
  const toMs = performance.now() - beganAt
  const { entries } = await messages.stop()
  const within = (from: number, to: number) =>
    latencyOf(entries.filter(({ dueAtMs }) => dueAtMs >= from && dueAtMs < to).map(({ tookMs }) => tookMs))
  return {
    before: within(warmUpMs, fromMs),
    during: within(fromMs, toMs),
    importMs: toMs - fromMs,
    counts: countsOf(job),
  }
}

const warmUpMs = 10_000
