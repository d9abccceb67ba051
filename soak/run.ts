import { writeFile } from 'node:fs/promises'
import { asText } from '../bench/table.ts'
import { playKills, titleOfKills } from './kills/play.ts'
import { type Options, readOptions, usage } from './options.ts'
import { type Played, play } from './play.ts'
import { scenarios } from './scenarios.ts'

/** What can be played: the attacks, and the run that has no attacker. */
type Run = { name: string; title: string; play: (given: Options, started: AsyncDisposableStack) => Promise<Played> }

const runs: Run[] = [
  ...scenarios.map((scenario) => ({
    ...{ name: scenario.name, title: scenario.title },
    play: (given: Options, started: AsyncDisposableStack) => play(scenario, given, started),
  })),
  { name: 'kills', title: titleOfKills, play: playKills },
]

const options = readOptions(process.argv.slice(2))
if (options) await soak(options)
else process.stdout.write(usage + listOf(runs))

/** Plays the attacks one after another and says which rules were broken. Told to end, it ends all that it started. */
async function soak(given: Options): Promise<void> {
  const chosen = choose(given.only)
  const interrupted = Promise.withResolvers<'interrupted'>()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted.resolve('interrupted'))
  tell(`seed ${given.seed}; ${given.minutes} minutes each; the product in ${given.server}`)
  const results: Played[] = []
  for (const { name, title, play: begin } of chosen) {
    tell(`${name}: ${title}`)
    await using started = new AsyncDisposableStack()
    const playing = begin(given, started)
    playing.catch(() => {}) // thrown here, unless we were told to end
    const played = await Promise.race([playing, interrupted.promise])
    if (played === 'interrupted') {
      await started.disposeAsync()
      process.exit(130)
    }
    results.push(played)
    for (const rule of played.broken) tell(`  broken: ${rule}`)
    if (given.outFile) await writeFile(given.outFile, JSON.stringify({ seed: given.seed, results }, null, 2))
  }
  process.stdout.write(`\n${tableOf(results)}\nseed ${given.seed}\n`)
  if (results.some(({ broken }) => broken.length > 0)) process.exitCode = 1
}

function choose(names: string[]): Run[] {
  const unknown = names.find((name) => !runs.some((run) => run.name === name))
  if (unknown !== undefined) throw new Error(`There is no attack ${unknown}.\n${listOf(runs)}`)
  return names.length === 0 ? runs : runs.filter(({ name }) => names.includes(name))
}

function listOf(all: Run[]): string {
  return `\nAttacks:\n${all.map(({ name, title }) => `  ${name.padEnd(18)} ${title}\n`).join('')}`
}

function tableOf(results: Played[]): string {
  const head = [
    'attack',
    'of',
    'count',
    'p50 ms',
    'p99 ms',
    'max ms',
    '5xx',
    'others',
    'MiB idle/peak/after',
    'stall ms',
    'verdict',
  ]
  const rows = results.flatMap(({ name, latency, statuses, memoryMiB, stallMs, broken }) =>
    Object.entries(latency).map(([of, { count, p50, p99, max }], n) => {
      const figures = [p50, p99, max].map((ms) => ms.toFixed(0))
      const whole = [
        ...[
          sum(statuses, (status) => status >= 500),
          sum(statuses, (status) => status < 200 || (status > 299 && status < 500)),
        ],
        ...[`${memoryMiB.idle}/${memoryMiB.peak}/${memoryMiB.after}`, stallMs.toFixed(0)],
        broken.length === 0 ? 'holds' : `${broken.length} broken`,
      ]
      return [n === 0 ? name : '', of, String(count), ...figures, ...(n === 0 ? whole.map(String) : [])]
    }),
  )
  return asText({ title: 'What an honest tenant saw', head, rows })
}

function sum(statuses: Record<string, number>, isMeant: (status: number) => boolean): number {
  return Object.entries(statuses).reduce((total, [status, n]) => total + (isMeant(Number(status)) ? n : 0), 0)
}

function tell(line: string): void {
  process.stdout.write(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${line}\n`)
}
