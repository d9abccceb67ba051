import { globSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Test files that run in one process, and the rooms they are of. */
type Group = { name: string; files: string[] }

/**
 * Loading and warming up the server takes 1.6 s of processor time in every test process, as much as most files need for
 * their tests. Larger groups save little more. Those in the browser are smaller because their files take longer, and
 * one that is still at work when all others are done leaves a core idle.
 */
const mostFiles = { server: 16, browser: 7 }

/**
 * Writes modules that import test files, for `node --test` to run in a process each. Their names begin with a number,
 * because they are run in the order of their names: those in the browser and those alone take longest, so they come
 * first. Those alone mostly wait, so there is always a group between two of them that has work for a processor. The small
 * groups of the server that are left come at the end, when few processes are still at work.
 */
export async function writeTestGroups(root: string, patterns: string[]) {
  const files = [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })))].sort()
  const groups = inOrder(groupFiles(root, files))
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-test-groups-'))
  const paths = groups.map(({ name }, at) => join(folder, `${String(at).padStart(3, '0')}-${name}.mjs`))
  await Promise.all(paths.map((path, at) => writeFile(path, importing(root, groups[at]?.files ?? []))))
  return { paths, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
}

type Groups = { alone: Group[]; browser: Group[]; server: Group[] }

function groupFiles(root: string, files: string[]): Groups {
  const {
    alone = [],
    browser = [],
    server = [],
  } = Object.groupBy(files, (file) => {
    if (runsAlone(resolve(root, file))) return 'alone'
    return file.startsWith('web/') ? 'browser' : 'server'
  })
  return {
    alone: alone.map((file) => ({ name: nameOf([file]), files: [file] })),
    browser: packed(browser, mostFiles.browser),
    server: packed(server, mostFiles.server),
  }
}

const aloneMark = '// Runs alone: '

/** Its first line says so, and why: because it would disturb others in its process, or be disturbed by them. */
const runsAlone = (path: string) => readFileSync(path, 'utf8').startsWith(aloneMark)

/** Large rooms are divided evenly; small ones share a group with their neighbours. */
function packed(files: string[], most: number): Group[] {
  const groups: string[][] = []
  for (const room of Map.groupBy(files, roomOf).values()) {
    const last = groups.at(-1)
    if (last && last.length + room.length <= most) last.push(...room)
    else groups.push(...divided(room, most))
  }
  return groups.map((group) => ({ name: nameOf(group), files: group }))
}

function divided(files: string[], most: number): string[][] {
  const count = Math.ceil(files.length / most)
  return Array.from({ length: count }, (_, at) => files.filter((_, index) => index % count === at))
}

/** `server/test/journey/delivery/slots/x.test.ts` is of `journey-delivery`, `web/test/inbox/x.test.ts` of `web-inbox`. */
function roomOf(file: string): string {
  const [top, , ...folders] = file.split('/').slice(0, -1)
  return (top === 'web' ? ['web', ...folders.slice(0, 1)] : folders.slice(0, 2)).join('-')
}

function nameOf(files: string[]): string {
  return [...new Set(files.map(roomOf))].filter((room) => room !== '').join('+') || 'server'
}

function inOrder({ alone, browser, server }: Groups): Group[] {
  const busy = [...browser, ...server]
  const inTurn = Array.from({ length: Math.max(alone.length, busy.length) }, (_, at) => [busy[at], alone[at]])
  return inTurn.flat().filter((group) => group !== undefined)
}

function importing(root: string, files: string[]): string {
  return files.map((file) => `import '${pathToFileURL(resolve(root, file))}'\n`).join('')
}
