import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { changedFiles, testsNamed, testsOfChanged } from './choose-tests.ts'
import { writeTestGroups } from './test-groups.ts'

/**
 * Runs tests. Without words all of them, of the server and in the browser, from one queue. With words those of the rooms
 * or files that they name: `delivery`, `platform/http`, `server/test/contacts/phone.test.ts`, `web`. With `--changed`
 * those of the rooms that differ from the last commit, or if nothing does, that it changed. With `--check` types, style
 * and unused code are checked beside them.
 */
const root = resolve(import.meta.dirname, '../..')
const flags = new Set(process.argv.slice(2).filter((word) => word.startsWith('--')))
const words = process.argv.slice(2).filter((word) => !flags.has(word))
const isChosen = flags.has('--changed') || words.length > 0
const files = flags.has('--changed') ? testsOfChanged(root, changedFiles(root)) : testsNamed(root, words)
if (isChosen && files.length === 0) {
  process.stdout.write('No room with tests has changed.\n')
  process.exit()
}
if (isChosen) process.stdout.write(`${files.join('\n')}\n\n`)
/** Four processes keep two cores busy while each of them waits for the database, the browser or a timer. */
const concurrency = 4
const all = ['server/test/**/*.test.ts', 'web/test/**/*.test.ts']
const codes = await Promise.all([run(isChosen ? files : all), flags.has('--check') ? check() : 0])
process.exitCode = Math.max(...codes)

async function run(patterns: string[]): Promise<number> {
  await using groups = await writeTestGroups(root, patterns)
  const setup = patterns.some((pattern) => pattern.startsWith('web/')) ? 'web/test/setup.ts' : 'server/test/setup.ts'
  const reporters = ['spec', resolve(import.meta.dirname, 'test-report.ts')]
  const options = [
    `--import=${resolve(root, 'server/resolve-imports.ts')}`,
    '--test',
    `--test-concurrency=${concurrency}`,
    '--test-timeout=300000',
    `--test-global-setup=${setup}`,
    ...reporters.flatMap((reporter) => [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout']),
  ]
  const env = { ...process.env, NODE_COMPILE_CACHE: resolve(root, 'node_modules/.cache/compiled') }
  const child = spawn(process.execPath, [...options, ...groups.paths], { cwd: root, env, stdio: 'inherit' })
  const code = await new Promise<number>((done) => child.once('exit', (code) => done(code ?? 1)))
  process.stdout.write(processorTime())
  return code
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
