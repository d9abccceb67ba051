import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** The tests of files or rooms. A word that names neither ends the process with a sentence. */
export function testsNamed(root: string, words: string[]): string[] {
  return words.flatMap((word) => testsOfWord(root, word))
}

function testsOfWord(root: string, word: string): string[] {
  if (word === 'web') return testsInBrowser(root)
  const path = word.startsWith('web/test/') ? word : `server/test/${word.replace(/^(server\/)?(test|src)\//, '')}`
  const found = existsSync(resolve(root, path)) ? testsIn(root, path) : []
  if (found.length > 0) return found
  process.stderr.write(`There are no tests in ${path}.\n`)
  process.exit(1)
}

function testsInBrowser(root: string): string[] {
  return globSync('web/test/**/*.test.ts', { cwd: root }).sort()
}

/** The files that differ from the last commit, or if none does, those that it changed. */
export function changedFiles(root: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const changed = [...git('diff', '--name-only', 'HEAD'), ...git('ls-files', '--others', '--exclude-standard')]
  return changed.length > 0 ? changed : git('diff', '--name-only', 'HEAD~1', 'HEAD')
}

export function testsOfChanged(root: string, changed: string[]): string[] {
  const inBrowser = changed.some((file) => file.startsWith('web/')) ? testsInBrowser(root) : []
  const rooms = [...new Set(changed.flatMap((file) => roomsOf(root, file)))]
  const tested = rooms.map((room) => nearestTested(root, room)).filter((room) => room !== undefined)
  return [...testsOfRooms(root, tested), ...inBrowser]
}

/** What a migration may break: itself, the files made from the tables, and the way of a message. */
const roomsOfMigrations = ['platform/database-setup', 'generated.test.ts', 'journey']

/** The tests of `server/src/X` are in `server/test/X`; those of the contract are where it is used. */
function roomsOf(root: string, file: string): string[] {
  if (file.startsWith('server/migrations/')) return roomsOfMigrations
  if (file.startsWith('server/commands/')) return ['commands']
  if (file.startsWith('contract/')) return ['contract', 'platform/http', ...roomsThatImport(root, file)]
  const [, room] = /^server\/(?:src|test)\/(.+)\/[^/]+$/.exec(file) ?? []
  return room === undefined || room === 'helpers' ? [] : [room]
}

function roomsThatImport(root: string, file: string): string[] {
  const imported = `'@patchbay/${file}'`
  const files = globSync('server/src/*/**/*.ts', { cwd: root })
  return files
    .filter((other) => readFileSync(resolve(root, other), 'utf8').includes(imported))
    .map((other) => other.replace(/^server\/src\//, '').replace(/\/[^/]+$/, ''))
}

/** `journey/delivery/slots` has no tests of its own: they are in `journey/delivery`. */
function nearestTested(root: string, room: string): string | undefined {
  const parts = room.split('/')
  while (parts.length > 0 && !existsSync(resolve(root, 'server/test', ...parts))) parts.pop()
  return parts.length > 0 ? parts.join('/') : undefined
}

function testsOfRooms(root: string, rooms: string[]): string[] {
  return [...new Set(rooms.flatMap((room) => testsIn(root, `server/test/${room}`)))].sort()
}

/** Of a file, or of a folder and those in it. */
function testsIn(root: string, path: string): string[] {
  return path.endsWith('.test.ts') ? [path] : globSync(`${path}/**/*.test.ts`, { cwd: root }).sort()
}
