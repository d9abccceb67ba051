import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { changedFiles, testsNamed, testsOfChanged } from './choose-tests.ts'
import { writeTestGroups } from './test-groups.ts'
import { openReport } from './test-report.ts'

/**
 * Runs tests. Without words all of them, of the server and in the browser, from one queue. With words those of the rooms
 * or files that they name: `journey/delivery`, `platform/http`, `server/test/people/contacts/phone.test.ts`, `web`. With `--changed`
 * those of the rooms that differ from the last commit, or if nothing does, that it changed. With `--check` types, style
 * and unused code are checked beside them.
 */
const root = resolve(import.meta.dirname, '../../..')
const flags = new Set(process.argv.slice(2).filter((word) => word.startsWith('--')))
const words = process.argv.slice(2).filter((word) => !flags.has(word))
const isChosen = flags.has('--changed') || words.length > 0
const files = flags.has('--changed') ? testsOfChanged(root, changedFiles(root)) : testsNamed(root, words)
if (isChosen && files.length === 0) {
  process.stdout.write('No room with tests has changed.\n')
  process.exit()
}
if (isChosen) process.stdout.write(`${files.join('\n')}\n\n`)
/** On two cores five take as long as four, and beside busy programs six run into the time limit of tests. */
const concurrency = 4
const all = ['server/test/**/*.test.ts', 'web/test/**/*.test.ts']
const codes = await Promise.all([runTests(isChosen ? files : all), flags.has('--check') ? check() : 0])
process.exitCode = Math.max(...codes)

async function runTests(patterns: string[]): Promise<number> {
  process.env.NODE_COMPILE_CACHE = resolve(root, 'node_modules/.cache/compiled')
  const isInBrowser = patterns.some((pattern) => pattern.startsWith('web/'))
  const setup = isInBrowser ? await import('../../../web/test/setup.ts') : await import('../setup.ts')
  await using groups = await writeTestGroups(root, patterns)
  try {
    await setup.globalSetup()
    return await runGroups(groups.paths)
  } finally {
    await setup.globalTeardown()
    process.stdout.write(processorTime())
  }
}

async function runGroups(files: string[]): Promise<number> {
  const execArgv = [`--import=${resolve(root, 'server/process/resolve-imports.ts')}`]
  const events = run({ files, concurrency, timeout: 300_000, execArgv })
  const report = openReport(events)
  await pipeline(events, new spec(), process.stdout, { end: false })
  process.stdout.write(report.end())
  return report.hasFailed() ? 1 : 0
}

/** Says what it found when it is done: two programs that print at once cannot be read. */
async function check(): Promise<number> {
  const child = spawn('npm', ['run', 'check'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const [code, ...printed] = await Promise.all([
    new Promise<number>((done) => child.once('close', (code) => done(code ?? 1))),
    text(child.stdout),
    text(child.stderr),
  ])
  if (code !== 0) process.stdout.write(`${printed.join('')}\nnpm run check failed: see above.\n`)
  return code
}

/** Of all processes that have ended by now. Only Linux tells. */
function processorTime(): string {
  if (process.platform !== 'linux') return ''
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  const [user, system] = [Number(fields[13]), Number(fields[14])] // of children, in hundredths of a second
  return `\nProcessor time: ${Math.round((user + system) / 100)} s.\n`
}
