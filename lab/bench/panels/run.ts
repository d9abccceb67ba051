import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { dueTimes } from '../../common/due-times.ts'
import { findPostmaster } from '../../common/server-process.ts'
import { behindProxy } from '../../common/website-chat.ts'
import { type Browser, change, openBrowser } from '../../soak/browser.ts'
import { connectChat } from '../../soak/connect-chat.ts'
import { startWorld, type World } from '../../soak/kills/world.ts'
import { openTenants, type Tenant } from '../../soak/tenants.ts'
import { type HelperProcess, startHelper } from '../helper-process.ts'
import { orInterrupted } from '../interrupt.ts'
import { describeMachine, type Machine, processorSlug } from '../machine.ts'
import { cpuBetween, readCpu, readMemory } from '../measure.ts'
import { asMarkdown, asText, type Table } from '../table.ts'
import type { Replies, Rest, Restart, Settings } from './measured.ts'
import { besideMessages } from './messages.ts'
import type { PanelOrder, PanelState } from './open-panels.ts'
import { goals, report } from './report.ts'

const repliesPerSecond = 20
/** So many people answer at the same time. */
const colleagues = 32
/** So many are the full size, whose result is kept. */
const fullSize = 10_000

type Bench = {
  world: World
  panels: HelperProcess<PanelOrder>
  browser: Browser
  tenant: Tenant
  /** Writes messages meanwhile. */
  other: Tenant
  settings: Settings
}

/** Measures what open panels of a website chat cost that say nothing, how fast a reply is shown, and a restart under them. */
export async function benchPanels(args: string[]): Promise<void> {
  await using started = new AsyncDisposableStack()
  await orInterrupted(measure(readSettings(args), started))
}

function readSettings(args: string[]): Settings {
  const { values } = parseArgs({
    args,
    options: {
      panels: { type: 'string', default: String(fullSize) },
      seconds: { type: 'string', default: '60' },
      replies: { type: 'string', default: '300' },
      plain: { type: 'boolean', default: false },
    },
  })
  const { panels, seconds, replies, plain } = values
  return { panels: Number(panels), seconds: Number(seconds), replies: Number(replies), isPlain: plain }
}

async function measure(settings: Settings, started: AsyncDisposableStack): Promise<void> {
  const more = { ...behindProxy, CHAT_STREAMS: String(settings.panels + 100) }
  const world = await startWorld(resolve(import.meta.dirname, '../../..'), started, { more })
  await using tenants = openTenants(world.product)
  const [tenant, other] = [await tenants.make(), await tenants.make()]
  const browser = started.use(openBrowser(world.product.port, tenant.session, colleagues))
  const file = resolve(import.meta.dirname, 'open-panels.ts')
  const panels = started.use(startHelper<PanelOrder>(file, 'the process of the panels'))
  const bench = { world, panels, browser, tenant, other, settings }
  const channelId = await connectChat(browser)
  print(`${settings.panels} visitors write for the first time`)
  await ask(bench, { ask: 'write', channelId, guests: settings.panels, ...addressOf(bench) })
  await sleep(15_000) // what is put off after messages is done
  print('nothing is said, and no panel is open')
  const before = await rest(bench)
  const opening = performance.now()
  const { open } = await ask(bench, { ask: 'open', ...addressOf(bench) })
  print(`${open} are open after ${((performance.now() - opening) / 1_000).toFixed(0)} s`)
  await sleep(15_000)
  const silent = await rest(bench)
  print('replies')
  const replies = await reply(bench)
  print('the server is killed and started again')
  const restart = await restartUnder(bench)
  await ask(bench, { ask: 'close' })
  await show(bench, report(settings, { before, silent, replies, restart, open }))
}

const addressOf = ({ world, settings }: Bench) => ({
  ...{ port: world.product.port, certificate: world.product.certificate, isPlain: settings.isPlain },
})
const ask = async ({ panels }: Bench, order: PanelOrder) => (await panels.ask(order)) as PanelState // as open-panels.ts answers

/** What the server costs meanwhile. */
async function rest(bench: Bench): Promise<Rest> {
  const { world, settings } = bench
  const processes = { node: world.product.pid, postmaster: findPostmaster(join(world.product.dataDir, 'postgres')) }
  const { comments } = await ask(bench, { ask: 'state' })
  const [cpu, done] = [readCpu(processes), await readTransactions(world)]
  const startedAt = performance.now()
  await sleep(settings.seconds * 1_000)
  const micros = (performance.now() - startedAt) * 1_000
  const { node, postgres } = cpuBetween(cpu, readCpu(processes))
  const { rows } = await world.query(`select from pg_stat_activity where application_name = 'patchbay listen'`)
  return {
    bytes: readMemory(processes.node).now,
    shares: { node: node / micros, postgres: postgres / micros },
    transactionsPerSecond: ((await readTransactions(world)) - done) / (micros / 1_000_000),
    comments: (await ask(bench, { ask: 'state' })).comments - comments,
    listening: rows.length,
  }
}

async function readTransactions({ query }: World): Promise<number> {
  const { rows } = await query(`select xact_commit::int as n from pg_stat_database where datname = current_database()`)
  return Number(rows[0]?.n)
}

/** People answer visitors, each another one, while others use the server. */
async function reply(bench: Bench): Promise<Replies> {
  const { world, browser, tenant, other, settings } = bench
  const { rows } = await world.query(
    'select contact_id from conversations where account_id = $1 order by random() limit $2',
    [tenant.accountId, settings.replies],
  )
  const sentAt = new Map<string, number>()
  const answered: number[] = []
  const sending: Promise<unknown>[] = []
  const { beside } = await besideMessages({ ...addressOf(bench), apiKey: other.apiKey }, async () => {
    for await (const { n } of dueTimes(repliesPerSecond)) {
      const contactId = rows[n]?.contact_id
      if (contactId === undefined) break
      const at = Date.now()
      sentAt.set(String(n), at)
      const given = { body: `Reply ${n}`, clientId: `client-id-of-reply-${n}` }
      const path = `/api/conversations/${contactId}/replies`
      sending.push(change(browser, 'POST', path, given).then(() => answered.push(Date.now() - at)))
    }
    await Promise.all(sending)
  })
  await sleep(25_000) // a hint that was lost is made up for by then
  const { shown } = await ask(bench, { ask: 'state' })
  const never = { storedAt: 0, shownAt: Number.POSITIVE_INFINITY }
  const all = [...sentAt].map(([n, at]) => ({ at, ...(shown[n] ?? never) }))
  return {
    ...{ answered, beside },
    fromClick: all.map(({ at, shownAt }) => shownAt - at),
    fromStored: all.map(({ storedAt, shownAt }) => shownAt - storedAt),
  }
}

async function restartUnder(bench: Bench): Promise<Restart> {
  const { world, other } = bench
  const killedAt = performance.now()
  await world.restart()
  const since = Date.now()
  const downSeconds = (performance.now() - killedAt) / 1_000
  const processes = { node: world.product.pid, postmaster: findPostmaster(join(world.product.dataDir, 'postgres')) }
  const cpu = readCpu(processes)
  const { done, beside } = await besideMessages({ ...addressOf(bench), apiKey: other.apiKey }, () =>
    ask(bench, { ask: 'back', since, withinMs: 2 * goals.backSeconds * 1_000 }),
  )
  const { backAfterMs, refused } = done
  const stallMs = await world.product.readStallMs()
  return { downSeconds, backAfterMs, refused, beside, cpu: cpuBetween(cpu, readCpu(processes)), stallMs }
}

/** Kept beside other results if it is of the full size; less shows whether it works. */
async function show({ world, settings }: Bench, table: Table): Promise<void> {
  process.stdout.write(`\n${asText(table)}`)
  if (settings.panels < fullSize) return
  const client = new Client(world.product.database)
  await client.connect()
  const machine = await describeMachine(client)
  await client.end()
  const folder = resolve(import.meta.dirname, '../results')
  const name = `${processorSlug(machine)}-panels${settings.isPlain ? '-behind-a-proxy' : ''}.md`
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, name), `${headOf(machine)}\n\n${asMarkdown(table)}`)
  print(`written to lab/bench/results/${name}`)
}

function headOf({ cores, cpu, memoryGiB, node, postgres }: Machine): string {
  const day = new Date().toISOString().slice(0, 10)
  return `# Open panels of a website chat\n\n${day}, ${cores} cores of ${cpu}, ${memoryGiB} GiB, Node ${node}, PostgreSQL ${postgres}. Server, database and panels share the machine.`
}

function print(line: string): void {
  process.stdout.write(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${line}\n`)
}
