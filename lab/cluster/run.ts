import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { makeTemporaryFolder } from '../common/temporary-folder.ts'
import { openRandom } from '../soak/random.ts'
import { failovers } from './failover.ts'
import { processKills } from './kills.ts'
import { type Options, readOptions, usage } from './options.ts'
import { print, type Result, textOf } from './report.ts'
import { describeMissing } from './requirements.ts'
import { rollingRestart } from './rolling-restart.ts'
import type { Scenario } from './scenario.ts'

const scenarios: Scenario[] = [...failovers, ...processKills, rollingRestart]

const options = readOptions(process.argv.slice(2))
if (options) await runAll(options)
else process.stdout.write(usage + listOf(scenarios))

/** Runs the scenarios one after another and prints a line for each. On a stop signal it ends everything it started. */
async function runAll(given: Options): Promise<void> {
  const chosen = scenarios.filter(({ name }) => given.only.length === 0 || given.only.includes(name))
  const unknown = given.only.find((wanted) => !scenarios.some(({ name }) => name === wanted))
  const missing =
    unknown === undefined
      ? describeMissing(chosen.flatMap(({ needs }) => needs))
      : `There is no scenario ${unknown}.\n${listOf(scenarios)}`
  if (missing !== undefined) {
    process.stderr.write(missing)
    process.exitCode = 2
    return
  }
  process.setMaxListeners(0) // one for each process that is started
  const interrupted = Promise.withResolvers<'interrupted'>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => interrupted.resolve('interrupted'))
  print(`seed ${given.seed}`)
  const results: Result[] = []
  for (const scenario of chosen) {
    print(`${scenario.name}: ${scenario.title}`)
    await using started = new AsyncDisposableStack()
    const running = runOne(scenario, given, started)
    running.catch(() => {}) // rethrown by the race below, unless it was interrupted
    const result = await Promise.race([running, interrupted.promise])
    if (result === 'interrupted') {
      await started.disposeAsync()
      process.exit(130)
    }
    results.push(result)
    for (const rule of result.broken.slice(0, 10)) print(`  broken: ${rule}`)
    if (given.outFile) await writeFile(given.outFile, JSON.stringify({ seed: given.seed, results }, null, 2))
  }
  process.stdout.write(`\n${textOf(results)}\nseed ${given.seed}\n`)
  if (results.some(({ broken }) => broken.length > 0)) process.exitCode = 1
}

async function runOne(scenario: Scenario, given: Options, started: AsyncDisposableStack): Promise<Result> {
  const folder = await makeTemporaryFolder('patchbay-cluster-', started)
  await chmod(folder, 0o711) // started by root, the databases run as another user
  const logFolder = given.logFolder ? resolve(given.logFolder, scenario.name) : join(folder, 'logs')
  await rm(logFolder, { recursive: true, force: true }) // of the run before
  await mkdir(logFolder, { recursive: true })
  const figures = await scenario.run({ started, folder, logFolder, random: openRandom(given.seed) })
  return { name: scenario.name, ...figures, loadAverage: loadavg()[0] ?? 0, cores: availableParallelism() }
}

function listOf(all: Scenario[]): string {
  return `\nScenarios:\n${all.map(({ name, title }) => `  ${name.padEnd(22)} ${title}\n`).join('')}`
}
