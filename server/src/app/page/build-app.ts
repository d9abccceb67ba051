import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { glob, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { waitForFileLock } from '../../platform/file-lock.ts'

/** The files of the app: of this build, and of builds before it, whose pages may still be open somewhere. */
type Build = { id: string; folder: string; older: string[] }

const repositoryRoot = resolve(import.meta.dirname, '../../../..')

/**
 * The build of the app's current sources, made now if it is not there. Builds are kept in `web/dist`, each in a folder
 * that is named by its sources and appears whole; of several processes one builds, and the others wait for it.
 *
 * An image has no sources: there it is the newest build.
 */
export async function buildApp(onBuild: () => void = () => {}, root = repositoryRoot): Promise<Build> {
  const builds = join(root, 'web/dist')
  if (!existsSync(join(root, 'web/src'))) return await newestBuild(builds)
  const id = await hashSources(root)
  const folder = join(builds, id)
  if (!existsSync(folder)) await buildOnce(root, { id, builds, folder, onBuild })
  const now = new Date()
  await utimes(folder, now, now).catch(() => {}) // used last; a folder that cannot be written is never pruned either
  return { id, folder, older: (await listBuilds(builds)).filter((each) => each !== folder) }
}

/** The folders of all builds that are there, the newest first; none is made. */
export async function findBuilds(root = repositoryRoot): Promise<string[]> {
  return listBuilds(join(root, 'web/dist')).catch(() => [])
}

async function newestBuild(builds: string): Promise<Build> {
  const [folder, ...older] = await listBuilds(builds)
  if (folder === undefined) throw new Error(`There are no sources of the app, and no build in ${builds}.`)
  return { id: basename(folder), folder, older }
}

type BuildRequest = { id: string; builds: string; folder: string; onBuild: () => void }

/** Another process may be building, which takes seconds. */
const lockPollMs = 200
/** Open pages of two versions before this one go on. */
const keptBuilds = 3

async function buildOnce(root: string, { id, builds, folder, onBuild }: BuildRequest): Promise<void> {
  await mkdir(builds, { recursive: true })
  onBuild()
  using _ = await waitForFileLock(join(builds, 'lock'), lockPollMs)
  if (existsSync(folder)) return // another process was first
  await removeUnfinished(builds)
  const unfinished = join(builds, `unfinished-${process.pid}`)
  await runBuild(root, unfinished, id)
  await rename(unfinished, folder)
  const old = (await listBuilds(builds)).filter((each) => each !== folder).slice(keptBuilds - 1)
  for (const each of old) await rm(each, { recursive: true, force: true })
}

/** Removes what is left of builds that were killed: whoever has the lock is the only one that builds. */
async function removeUnfinished(builds: string): Promise<void> {
  for (const name of await readdir(builds)) {
    if (name.startsWith('unfinished-')) await rm(join(builds, name), { recursive: true, force: true })
  }
}

/** Finished builds, the one used last first. */
async function listBuilds(builds: string): Promise<string[]> {
  const names = (await readdir(builds)).filter((name) => /^[0-9a-f]{16}$/.test(name))
  const found = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(builds, name))).mtimeMs })))
  return found.sort((a, b) => b.at - a.at).map(({ name }) => join(builds, name))
}

const longestBuildMs = 180_000

async function runBuild(root: string, into: string, id: string): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'web/build.ts'), '--into', into, '--id', id], {
    env: { NODE_ENV: 'production' }, // nothing of ours: neither the database's address nor keys
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: longestBuildMs,
  })
  let errors = ''
  child.stderr.on('data', (data) => {
    errors = `${errors}${data}`.slice(-4_000)
  })
  const [code, signal] = await once(child, 'close')
  if (code === 0) return
  const reason = errors.trim() || (signal ? `it was ended by ${signal}` : `it exited with ${code}`)
  throw new Error(`The build of the app failed: ${reason}`)
}

/** Everything that a build is made of; the lock file names the versions of all packages. */
const patterns = [
  'web/{src,chat,public}/**/*',
  'web/{index.html,build.ts,vite.config.ts,package.json}',
  'contract/**/*.ts',
  'package-lock.json',
]

/** An id of the sources: the same sources make the same build. */
async function hashSources(root: string): Promise<string> {
  const exclude = ({ name }: { name: string }) => name === 'node_modules' || name === '.DS_Store'
  const files = await Array.fromAsync(glob(patterns, { cwd: root, withFileTypes: true, exclude }))
  const paths = files.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const hash = createHash('sha256')
  for (const path of paths.sort()) hash.update(`${path.slice(root.length)}\0`).update(await readFile(path))
  return hash.digest('hex').slice(0, 16)
}
