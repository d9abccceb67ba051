import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { dueTimes } from '../../common/due-times.ts'
import { percentilesOf } from '../../common/percentiles.ts'
import { behindProxy } from '../../common/website-chat.ts'
import { type Browser, change, openBrowser } from '../../soak/browser.ts'
import { connectChat } from '../../soak/connect-chat.ts'
import { startWorld, type World } from '../../soak/kills/world.ts'
import { openTenants } from '../../soak/tenants.ts'
import { type HelperProcess, startHelper } from '../helper-process.ts'
import { orInterrupted } from '../interrupt.ts'
import { cpuBetween, readCpu, readMemory } from '../measure.ts'
import { asText, type Table } from '../table.ts'
import type { PanelOrder, PanelState } from './open-panels.ts'

/** The goals: memory of a panel with our own TLS and behind a proxy, of a core for silent ones, a reply, and back after a restart. */
const most = { tlsKb: 90, plainKb: 30, idleShare: 0.025, replyMs: 300, backSeconds: 60 }
const repliesPerSecond = 20

type Settings = { panels: number; seconds: number; replies: number; isTls: boolean }
type Bench = {
  world: World
  panels: HelperProcess<PanelOrder>
  browser: Browser
  accountId: string
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
      panels: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '60' },
      replies: { type: 'string', default: '300' },
      plain: { type: 'boolean', default: false },
    },
  })
  const { panels, seconds, replies, plain } = values
  return { panels: Number(panels), seconds: Number(seconds), replies: Number(replies), isTls: !plain }
}

async function measure(settings: Settings, started: AsyncDisposableStack): Promise<void> {
  const more = { ...behindProxy, CHAT_STREAMS: String(settings.panels + 100) }
  const world = await startWorld(resolve(import.meta.dirname, '../../..'), started, { more })
  await using tenants = openTenants(world.product)
  const { accountId, session } = await tenants.make()
  const browser = started.use(openBrowser(world.product.port, session))
  const file = resolve(import.meta.dirname, 'open-panels.ts')
  const panels = started.use(startHelper<PanelOrder>(file, 'the process of the panels'))
  const bench = { world, panels, browser, accountId, settings }
  const channelId = await connectChat(browser)
  print(`${settings.panels} visitors write for the first time`)
  await ask(bench, { ask: 'write', channelId, guests: settings.panels, ...addressOf(bench) })
  await sleep(15_000) // what is put off after messages is done
  const before = await rest(bench)
  const opening = performance.now()
  const { open } = await ask(bench, { ask: 'open', isTls: settings.isTls, ...addressOf(bench) })
  print(`${open} are open after ${((performance.now() - opening) / 1_000).toFixed(0)} s`)
  await sleep(15_000)
  const silent = await rest(bench)
  const replies = await reply(bench)
  print('the server is killed and started again')
  const restart = await restartUnder(bench)
  await ask(bench, { ask: 'close' })
  process.stdout.write(`\n${asText(report(settings, { before, silent, replies, restart, open }))}`)
}

const addressOf = ({ world }: Bench) => ({ port: world.product.port, certificate: world.product.certificate })
const ask = async ({ panels }: Bench, order: PanelOrder) => (await panels.ask(order)) as PanelState // as open-panels.ts answers

type Rest = { bytes: number; nodeShare: number; statementsPerSecond: number; comments: number; listening: number }

/** What the server costs meanwhile. */
async function rest(bench: Bench): Promise<Rest> {
  const { world, settings } = bench
  const processes = { node: world.product.pid, postmaster: undefined }
  const [cpu, done, { comments }] = [
    readCpu(processes),
    await readTransactions(world),
    await ask(bench, { ask: 'state' }),
  ]
  const startedAt = performance.now()
  await sleep(settings.seconds * 1_000)
  const seconds = (performance.now() - startedAt) / 1_000
  const { node } = cpuBetween(cpu, readCpu(processes))
  const { rows } = await world.query(`select from pg_stat_activity where application_name = 'patchbay listen'`)
  return {
    bytes: readMemory(processes.node).now,
    nodeShare: node / 1_000_000 / seconds,
    statementsPerSecond: ((await readTransactions(world)) - done) / seconds,
    comments: (await ask(bench, { ask: 'state' })).comments - comments,
    listening: rows.length,
  }
}

async function readTransactions({ query }: World): Promise<number> {
  const { rows } = await query(`select xact_commit::int as n from pg_stat_database where datname = current_database()`)
  return Number(rows[0]?.n)
}

/** From the click of the person who answers until the panel has it: an upper bound of the time from the commit. */
async function reply(bench: Bench): Promise<number[]> {
  const { world, browser, accountId, settings } = bench
  const { rows } = await world.query(
    'select contact_id from conversations where account_id = $1 order by random() limit $2',
    [accountId, settings.replies],
  )
  const sentAt = new Map<string, number>()
  const sending: Promise<unknown>[] = []
  for await (const { n } of dueTimes(repliesPerSecond)) {
    const contactId = rows[n]?.contact_id
    if (contactId === undefined) break
    sentAt.set(String(n), Date.now())
    const given = { body: `Reply ${n}`, clientId: `client-id-of-reply-${n}` }
    sending.push(change(browser, 'POST', `/api/conversations/${contactId}/replies`, given))
  }
  await Promise.all(sending)
  await sleep(25_000) // a hint that was lost is made up for by then
  const { shownAt } = await ask(bench, { ask: 'state' })
  return [...sentAt].map(([n, at]) => (shownAt[n] ?? Number.POSITIVE_INFINITY) - at)
}

type Restart = { seconds: number; open: number; nodeSeconds: number; stallMs: number }

/** Time counts from when the server is there again. */
async function restartUnder(bench: Bench): Promise<Restart> {
  const { world } = bench
  await world.restart()
  const startedAt = performance.now()
  const { open } = await ask(bench, { ask: 'back', withinMs: 2 * most.backSeconds * 1_000 })
  const { node } = readCpu({ node: world.product.pid, postmaster: undefined })
  const seconds = (performance.now() - startedAt) / 1_000
  return { seconds, open, nodeSeconds: node / 1_000_000, stallMs: await world.product.readStallMs() }
}

type Measured = { before: Rest; silent: Rest; replies: number[]; restart: Restart; open: number }

function report(settings: Settings, { before, silent, replies, restart, open }: Measured): Table {
  const { panels, isTls } = settings
  const eachKb = (silent.bytes - before.bytes) / 1_024 / open
  const mostKb = isTls ? most.tlsKb : most.plainKb
  const idle = silent.nodeShare - before.nodeShare
  const statements = silent.statementsPerSecond - before.statementsPerSecond
  const p99 = percentilesOf(replies)(0.99)
  const isFine = (is: boolean) => (is ? 'met' : 'MISSED')
  const percent = (share: number) => `${(share * 100).toFixed(2)} % of a core`
  return {
    title: `${panels} open panels, ${isTls ? 'with our own TLS' : 'behind a proxy that ends TLS'}`,
    note: `Over ${settings.seconds} s in which nothing is said: ${silent.comments} comments. The return took ${restart.nodeSeconds.toFixed(1)} s of processor with the start; its longest stall was ${restart.stallMs.toFixed(0)} ms.`,
    head: ['', 'measured', 'goal', ''],
    rows: [
      ['open', String(open), String(panels), isFine(open === panels)],
      ['memory of each', `${eachKb.toFixed(1)} KB`, `≤ ${mostKb} KB`, isFine(eachKb <= mostKb)],
      [
        'processor while silent, more than without',
        percent(idle),
        `≤ ${percent(most.idleShare)}`,
        isFine(idle <= most.idleShare),
      ],
      ['transactions a second, more than without', statements.toFixed(1), '0', isFine(statements < 1)],
      ['connections that listen', String(silent.listening), '1 at most', isFine(silent.listening <= 1)],
      [
        'p99 of a reply, from the click until shown',
        `${p99.toFixed(0)} ms`,
        `≤ ${most.replyMs} ms`,
        isFine(p99 <= most.replyMs),
      ],
      [
        'open again after a kill',
        `${restart.open} in ${restart.seconds.toFixed(0)} s`,
        `all in ${most.backSeconds} s`,
        isFine(restart.open === panels && restart.seconds <= most.backSeconds),
      ],
    ],
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
