import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { freePort } from '../common/free-port.ts'
import { makeTemporaryFolder } from '../common/temporary-folder.ts'
import { benchApp } from './app/run.ts'
import { benchBackup } from './backup/run.ts'
import { chart } from './chart.ts'
import { prepareAccount, prepareOwing } from './fill.ts'
import { benchGrowth } from './growth/run.ts'
import { measureIdle } from './idle/measure-idle.ts'
import { benchIdle } from './idle/run.ts'
import { exitIfInterrupted, orInterrupted } from './interrupt.ts'
import { journeyChart } from './journey/chart.ts'
import { measureJourney } from './journey/measure-journey.ts'
import { benchJourney } from './journey/run.ts'
import { startLoadClient } from './load/client.ts'
import { describeMachine, processorSlug } from './machine.ts'
import { benchMemory } from './memory/run.ts'
import { type Options, readOptions, usage } from './options.ts'
import { benchPanels } from './panels/run.ts'
import { markdownReport, textReport } from './report.ts'
import { benchReports } from './reports/run.ts'
import type { Result } from './result.ts'
import { benchRetention } from './retention/run.ts'
import { benchSearch } from './search/run.ts'
import { compareAnswers } from './sections/answers.ts'
import { type Bench, letRun } from './sections/bench.ts'
import { measureBot } from './sections/bot.ts'
import { measureDelivery } from './sections/delivery.ts'
import { sendFilesBeside } from './sections/files.ts'
import { measureGrants } from './sections/grants.ts'
import { fillProduct, measureGrowthPoint } from './sections/growth.ts'
import { runRounds } from './sections/rounds.ts'
import { measureWhole } from './sections/whole.ts'
import { startServer } from './servers/start.ts'
import { benchStreams } from './streams/run.ts'
import { benchUpgrade } from './upgrade/run.ts'
import { benchVersions } from './versions/run.ts'

const [section, ...rest] = process.argv.slice(2)
const parts: Record<string, (args: string[]) => Promise<void>> = {
  app: benchApp,
  backup: benchBackup,
  // Loaded only for itself: the helpers of tests that it uses refuse statements that are not in server/sql, as others here run.
  beside: async (args) => (await import('./beside/run.ts')).benchBeside(args),
  growth: benchGrowth,
  idle: benchIdle,
  journey: benchJourney,
  memory: benchMemory,
  panels: benchPanels,
  reports: benchReports,
  retention: benchRetention,
  search: benchSearch,
  streams: benchStreams,
  upgrade: benchUpgrade,
  versions: benchVersions,
}
const part = parts[section ?? '']
const options = part ? undefined : readOptions(process.argv.slice(2))
if (part) await part(rest)
else if (options) await run(options)
else process.stdout.write(usage)
exitIfInterrupted()

/** Runs everything and ends all that it started, whichever way it ends. */
async function run(given: Options): Promise<void> {
  const started = new AsyncDisposableStack()
  const starting = startAll(started, given)
  const work = starting.then(async (ready) => {
    const deaths = [...Object.values(ready.servers), ...Object.values(ready.senders)].map(({ died }) => died)
    await save(await Promise.race([measureAll(ready), ...deaths]))
  })
  try {
    await orInterrupted(work)
  } finally {
    await starting.catch(() => {}) // what is just starting is only ours to end once it has started
    await started.disposeAsync()
  }
}

async function startAll(started: AsyncDisposableStack, given: Options): Promise<Bench> {
  const folder = await makeTemporaryFolder('patchbay-bench-', started)
  const { logFolder, profileFolder } = given
  if (logFolder) await mkdir(logFolder, { recursive: true })
  const traces = { logFolder, profileFolder }
  printProgress('starting the servers')
  const start = async (name: Parameters<typeof startServer>[0], metricsPort?: number) =>
    started.use(await startServer(name, folder, { ...traces, ...(metricsPort && { metricsPort }) }))
  const starts = {
    fastifyNoop: start('fastifyNoop'),
    productNoop: start('productNoop'),
    product: start('product', await freePort()),
    naive: start('naive'),
    deliverer: start('deliverer'),
    keeper: start('keeper'),
  }
  await Promise.allSettled(Object.values(starts)) // when one fails, the others must have started to be ended
  const servers = {
    fastifyNoop: await starts.fastifyNoop,
    productNoop: await starts.productNoop,
    product: await starts.product,
    naive: await starts.naive,
  }
  const senders = { deliverer: await starts.deliverer, keeper: await starts.keeper }
  printProgress('all are ready')
  const client = started.use(startLoadClient())
  for (const { connect } of [servers.product, servers.naive]) {
    const database = await connect()
    await prepareAccount(database)
    await prepareOwing(database)
    await database.end()
  }
  const patience = { leftMs: given.patienceSeconds * 1_000 }
  const startAnswerer = () => start('answerer')
  const openStack = () => started.use(new AsyncDisposableStack())
  return { client, servers, senders, startAnswerer, openStack, options: given, patience, printProgress }
}

async function measureAll(bench: Bench): Promise<Result> {
  const { quick, connections, rounds: count, secondsPerTurn, rows } = bench.options
  const startedAt = new Date().toISOString()
  const database = await bench.servers.product.connect()
  const machine = await describeMachine(database)
  await database.end()

  const empty = quick ? undefined : await measureGrowthPoint(bench)
  const rounds = await runRounds(bench)
  const whole = await measureWhole(bench)
  const answers = await compareAnswers(bench)
  const delivery = await measureDelivery(bench)
  const bot = quick ? undefined : await measureBot(bench, 20)
  const grants = await measureGrants(bench)
  const journey = quick ? undefined : await alone(bench, 'the journey of a message', (own) => measureJourney(own))
  const idle = quick
    ? undefined
    : await alone(bench, 'idle servers, for a minute and a half', (own) => measureIdle(own))
  if (!quick) await fillProduct(bench)
  const filled = quick ? undefined : await measureGrowthPoint(bench)
  const files = quick ? undefined : await sendFilesBeside(bench)
  return {
    startedAt,
    machine,
    settings: { quick, connections, rounds: count, secondsPerTurn, rows },
    rounds,
    answers,
    delivery,
    whole,
    idle,
    bot,
    journey,
    grants,
    growth: empty && filled ? { empty, filled } : undefined,
    files,
  }
}

/** With all other servers stopped, and its own ended afterwards. */
async function alone<Measured>(
  bench: Bench,
  words: string,
  measure: (own: AsyncDisposableStack) => Promise<Measured>,
): Promise<Measured> {
  letRun(bench)
  bench.printProgress(words)
  await using own = bench.openStack()
  return await measure(own)
}

/** One set of results for each kind of processor. Those of a quick run are only printed: they show whether it works. */
async function save(result: Result): Promise<void> {
  process.stdout.write(`\n${textReport(result)}\n`)
  if (result.settings.quick) return
  const folder = resolve(import.meta.dirname, 'results')
  const name = processorSlug(result.machine)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`)
  const charts = { [`${name}.svg`]: chart(result) }
  if (result.journey) charts[`${name}-journey.svg`] = journeyChart(result, result.journey)
  for (const [file, drawn] of Object.entries(charts)) await writeFile(join(folder, file), drawn)
  await writeFile(join(folder, `${name}.md`), markdownReport(result, Object.keys(charts)))
  process.stdout.write(`written to lab/bench/results/${name}.{md,json,svg}\n`)
}

function printProgress(line: string): void {
  process.stdout.write(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${line}\n`)
}
