import { execFileSync, spawn } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeTestGroups } from './test-groups.ts'

/**
 * Runs tests. Without words all of them: first those of the server, then those in the browser. With words those of the
 * rooms or files that they name: `delivery`, `platform/http`, `server/test/contacts/phone.test.ts`, `web`. With
 * `--changed` those of the rooms that differ from the last commit, or if nothing does, that it changed.
 */
const root = resolve(import.meta.dirname, '../..')
const words = process.argv.slice(2)
const files = words.includes('--changed') ? testsOfChanged(changedFiles()) : words.flatMap(testsNamed)
if (words.length > 0 && files.length === 0) {
  process.stdout.write('No room with tests has changed.\n')
  process.exit()
}
if (words.length > 0) process.stdout.write(`${files.join('\n')}\n\n`)
process.exitCode = await runAll(files.length > 0 ? files : ['server/test/**/*.test.ts', 'web/test/**/*.test.ts'])

/** Browser tests run two files at a time, in one browser: each page takes as much as a server. */
async function runAll(tests: string[]): Promise<number> {
  const isInBrowser = (test: string) => test.startsWith('web/')
  const codes = [
    await runGroups(
      tests.filter((test) => !isInBrowser(test)),
      { concurrency: 4, setup: 'server/test/setup.ts' },
    ),
    await runGroups(tests.filter(isInBrowser), { concurrency: 2, setup: 'web/test/setup.ts' }),
  ]
  return Math.max(...codes)
}

async function runGroups(tests: string[], how: Parameters<typeof run>[1]): Promise<number> {
  if (tests.length === 0) return 0
  await using groups = await writeTestGroups(root, tests)
  return await run(groups.paths, how)
}

function run(tests: string[], { concurrency, setup }: { concurrency: number; setup: string }): Promise<number> {
  const flags = [
    `--import=${resolve(root, 'server/resolve-imports.ts')}`,
    ...['--test', `--test-concurrency=${concurrency}`, '--test-timeout=300000', `--test-global-setup=${setup}`],
  ]
  const env = { ...process.env, NODE_COMPILE_CACHE: resolve(root, 'node_modules/.cache/compiled') }
  const child = spawn(process.execPath, [...flags, ...tests], { cwd: root, env, stdio: 'inherit' })
  return new Promise((done) => child.once('exit', (code) => done(code ?? 1)))
}

/** A file, or the files of a room. */
function testsNamed(word: string): string[] {
  if (word === 'web') return testsInBrowser()
  if (word.startsWith('web/test/')) return [word]
  const path = word.replace(/^(server\/)?(test|src)\//, '')
  const found = existsSync(resolve(root, 'server/test', path)) ? path : undefined
  if (found?.endsWith('.test.ts')) return [`server/test/${found}`]
  const inRoom = found === undefined ? [] : testsOfRooms([found])
  if (inRoom.length > 0) return inRoom
  process.stderr.write(`There are no tests in server/test/${path}.\n`)
  process.exit(1)
}

function testsInBrowser(): string[] {
  return globSync('web/test/**/*.test.ts', { cwd: root }).sort()
}

function changedFiles(): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const changed = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]
  return changed.length > 0 ? changed : git('diff', '--name-only', 'HEAD~1', 'HEAD')
}

function testsOfChanged(changed: string[]): string[] {
  const inBrowser = changed.some((file) => file.startsWith('web/')) ? testsInBrowser() : []
  return [...testsOfRooms(roomsOf(changed)), ...inBrowser]
}

/** The rooms of the tests for these files: the tests of `server/src/X` are in `server/test/X`. */
function roomsOf(changed: string[]): string[] {
  const rooms = changed.flatMap((file) => {
    const [, room] = /^server\/(?:src|test)\/(.+)\/[^/]+$/.exec(file) ?? []
    if (room === 'helpers') return []
    if (room !== undefined) return [room]
    if (file.startsWith('server/commands/')) return ['commands']
    return file.startsWith('contract/') ? ['contract', 'platform/http'] : []
  })
  return [...new Set(rooms.map(nearestTested).filter((room) => room !== undefined))]
}

/** `delivery/slots` has no tests of its own: they are in `delivery`. */
function nearestTested(room: string): string | undefined {
  const parts = room.split('/')
  while (parts.length > 0 && !existsSync(resolve(root, 'server/test', ...parts))) parts.pop()
  return parts.length > 0 ? parts.join('/') : undefined
}

function testsOfRooms(rooms: string[]): string[] {
  return [...new Set(rooms.flatMap((room) => globSync(`server/test/${room}/**/*.test.ts`, { cwd: root })))].sort()
}
