import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Larger groups save little more and let one process work on alone at the end. */
const mostFilesInGroup = 6

/**
 * Modules that import test files, for `node --test` to run in a process each. Loading and warming up the server takes
 * 1.6 s of processor time in every test process, as much as most files need for their tests: files of one room share a
 * process. Those that start processes of their own run alone, and first: they take longest.
 */
export async function writeTestGroups(root: string, patterns: string[]) {
  const files = [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })))].sort()
  const alone = files.filter((file) => startsProcesses(resolve(root, file)))
  const together = Map.groupBy(
    files.filter((file) => !alone.includes(file)),
    roomOf,
  )
  const groups = [...alone.map((file) => [file]), ...[...together.values()].flatMap(inGroups)]
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-test-groups-'))
  const paths = groups.map((_, at) => join(folder, `${String(at).padStart(3, '0')}.mjs`))
  await Promise.all(paths.map((path, at) => writeFile(path, importing(root, groups[at] ?? []))))
  return { paths, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

function startsProcesses(path: string): boolean {
  return /node:child_process|helpers\/(command-process|server-process|shared-processes)/.test(
    readFileSync(path, 'utf8'),
  )
}

/** `server/test/delivery/attempt/x.test.ts` is of `delivery`. */
function roomOf(file: string): string {
  const [, , room = ''] = file.split('/')
  return room.endsWith('.test.ts') ? '' : room
}

function inGroups(files: string[]): string[][] {
  const count = Math.ceil(files.length / mostFilesInGroup)
  return Array.from({ length: count }, (_, at) => files.filter((_, index) => index % count === at))
}

function importing(root: string, files: string[]): string {
  return files.map((file) => `import '${pathToFileURL(resolve(root, file))}'\n`).join('')
}
