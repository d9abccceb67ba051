import { writeFile } from 'node:fs/promises'
import { availableParallelism, cpus } from 'node:os'
import { asMarkdown, asText, type Table } from '../bench/table.ts'
import { runBroadcast, titleOfBroadcast } from './broadcast/run-broadcast.ts'
import { runImport, titleOfImport } from './import/run-import.ts'
import { runKills, titleOfKills } from './kills/run-kills.ts'
import { type Options, readOptions, usage } from './options.ts'
import { type AttackResult, runAttack } from './run-attack.ts'
import { scenarios } from './scenarios.ts'
import { runSteady, titleOfSteady } from './steady/run-steady.ts'

/** What can be run: the attacks, the run of random kills, and everything at once for a long time. */
type Run = {
  name: string
  title: string
  start: (given: Options, started: AsyncDisposableStack) => Promise<AttackResult>
}

const attacks: Run[] = [
  ...scenarios.map((scenario) => ({
    name: scenario.name,
    title: scenario.title,
    start: (given: Options, started: AsyncDisposableStack) => runAttack(scenario, given, started),
  })),
  { name: 'kills', title: titleOfKills, start: runKills },
]
const broadcast: Run = { name: 'broadcast', title: titleOfBroadcast, start: runBroadcast }
const importing: Run = { name: 'import', title: titleOfImport, start: runImport }
const steady: Run = { name: 'steady', title: titleOfSteady, start: runSteady }
const runs = [steady, broadcast, importing, ...attacks]

const options = readOptions(process.argv.slice(2))
if (options) await soak(options)
else process.stdout.write(usage + listOf(runs))

/** Runs what was chosen, one after another, and prints the broken rules. On a stop signal it stops everything it started. */
async function soak(given: Options): Promise<void> {
  const chosen = choose(given.only)
  const interrupted = Promise.withResolvers<'interrupted'>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.resolve('interrupted'))
  given.say(`seed ${given.seed}; the product in ${given.server}`)
  const results: AttackResult[] = []
  for (const { name, title, start } of chosen) {
    given.say(`${name}: ${title}`)
    await using started = new AsyncDisposableStack()
    const running = start(given, started)
    running.catch(() => {}) // rethrown by the race below, unless it was interrupted
    const result = await Promise.race([running, interrupted.promise])
    if (result === 'interrupted') {
      await started.disposeAsync()
      process.exit(130)
    }
    results.push(result)
    given.say(
      `  ${Object.entries(result.attack)
        .map(([what, n]) => `${what} ${n}`)
        .join(', ')}`,
    )
    for (const rule of result.broken) given.say(`  broken: ${rule}`)
    if (given.outFile) await writeFile(given.outFile, textFor(given, results))
  }
  process.stdout.write(`\n${asText(tableOf(results))}\nseed ${given.seed}\n`)
  if (results.some(({ broken }) => broken.length > 0)) process.exitCode = 1
}

function choose(names: string[]): Run[] {
  const all = names.flatMap((name) => (name === 'attacks' ? attacks.map((attack) => attack.name) : [name]))
  const unknown = all.find((name) => !runs.some((run) => run.name === name))
  if (unknown !== undefined) throw new Error(`There is no run ${unknown}.\n${listOf(runs)}`)
  return all.length === 0 ? [steady] : runs.filter(({ name }) => all.includes(name))
}

function listOf(all: Run[]): string {
  return `\nRuns:\n${all.map(({ name, title }) => `  ${name.padEnd(18)} ${title}\n`).join('')}`
}

/** For people, where the file is one of Markdown: with what each run did, and the rules that it broke. */
function textFor({ outFile, seed }: Options, results: AttackResult[]): string {
  if (!outFile?.endsWith('.md')) return JSON.stringify({ seed, results }, null, 2)
  const machine = `${availableParallelism()} cores of ${cpus()[0]?.model.trim()}, Node ${process.version}`
  const did = results.map(({ name, title, seconds, attack, broken }) => ({
    title: name,
    note: `For ${seconds} s: ${title}. ${broken.length === 0 ? 'All rules hold.' : `Broken: ${broken.join('; ')}.`}`,
    head: ['', ''],
    rows: Object.entries(attack).map(([what, n]) => [what, String(n)]),
  }))
  const day = new Date().toISOString().slice(0, 10)
  const head = `# Attacks\n\n${day}, ${machine}. Server, database, attackers and the normal client share the machine. Seed ${seed}.`
  return [head, ...[tableOf(results), ...did].map(asMarkdown)].join('\n\n')
}

function tableOf(results: AttackResult[]): Table {
  const head = [
    'attack',
    'of',
    'count',
    'p50 ms',
    'p95 ms',
    'p99 ms',
    'max ms',
    '5xx',
    'others',
    'MiB idle/peak/after',
    'stall ms',
    'verdict',
  ]
  const rows = results.flatMap(({ name, latency, statuses, memoryMiB, stallMs, broken }) => {
    const totals = [
      sum(statuses, (status) => status >= 500),
      sum(statuses, (status) => status < 200 || (status > 299 && status < 500)),
      ...[`${memoryMiB.idle}/${memoryMiB.peak}/${memoryMiB.after}`, stallMs.toFixed(0)],
      broken.length === 0 ? 'holds' : `${broken.length} broken`,
    ].map(String)
    const observed = Object.entries(latency).map(([of, { count, p50, p95, p99, max }]) => [
      ...[of, String(count)],
      ...[p50, p95, p99, max].map((ms) => ms.toFixed(0)),
    ])
    const [first = ['', '', '', '', '', ''], ...others] = observed // a scenario may have no tenant beside it
    return [[name, ...first, ...totals], ...others.map((figures) => ['', ...figures])]
  })
  return { title: 'What a normal tenant observed', head, rows }
}

function sum(statuses: Record<string, number>, isCounted: (status: number) => boolean): number {
  return Object.entries(statuses).reduce((total, [status, n]) => total + (isCounted(Number(status)) ? n : 0), 0)
}
