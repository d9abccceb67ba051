import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ignoreExisting } from '../files.ts'
import { OperatorError } from '../operator-error.ts'
import type { Binaries } from './binaries.ts'
import { isAlive } from './processes.ts'
import { runAs } from './run-as.ts'

/** The major version that package.json pins. */
export const majorVersion = '18'

export const superuser = 'patchbay'

/**
 * Creates the database cluster in `folder` unless it exists.
 *
 * It is created in a temporary folder and renamed when complete, so a start that is killed half-way leaves nothing that
 * looks like a cluster, and of two starts at once the slower one finds the other's. With the folder's lock (`isAlone`)
 * it also removes all unfinished folders, even if another process has the process id in their name now.
 */
export async function ensureCluster(binaries: Binaries, folder: string, { isAlone = false } = {}): Promise<void> {
  const version = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version?.trim() === majorVersion) return
  if (version !== undefined) throw otherVersion(folder, version.trim())

  const parent = join(folder, '..')
  await mkdir(parent, { recursive: true, mode: 0o700 })
  await removeUnfinished(parent, isAlone)
  const unfinished = await mkdtemp(join(parent, `${unfinishedPrefix}${process.pid}-`))
  try {
    await initialize(binaries, unfinished)
    await rename(unfinished, folder).catch(ignoreExisting)
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

function otherVersion(folder: string, version: string): OperatorError {
  return new OperatorError(
    `${folder} was made by PostgreSQL ${version} and this Patchbay ships ${majorVersion}; ` +
      'docs/upgrade.md says how to bring it to that version. Nothing was changed.',
  )
}

/** The prefix of folders that are being made; a start removes those that were not finished. */
export const unfinishedPrefix = 'postgres.unfinished-'

/** Removes what starts and restores left that were cut off. */
export async function removeUnfinished(parent: string, isAlone: boolean): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(unfinishedPrefix)) continue
    const [pid] = name.slice(unfinishedPrefix.length).split('-')
    if (isAlone || !isAlive(Number(pid))) await rm(join(parent, name), { recursive: true, force: true })
  }
}

async function initialize(binaries: Binaries, folder: string): Promise<void> {
  const user = runAs()
  await chmod(folder, 0o700)
  if (user) await chown(folder, user.uid, user.gid).catch(() => Promise.reject(noSuchUser(user.uid)))
  const text = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  // A new segment of the write-ahead log is filled with zeros while commits wait: the smaller, the shorter they wait.
  const options = ['--auth=trust', '--wal-segsize=1', ...text]
  await promisify(execFile)(binaries.initdb, ['-D', folderAsSeenInside(folder), '-U', superuser, ...options], {
    ...user,
    cwd: folder,
    env: databaseEnvironment,
  }).catch((error: Error & { stderr?: string }) => {
    throw initdbError(folder, error.stderr?.trim() || error.message)
  })
}

function initdbError(folder: string, output: string): OperatorError {
  const uid = /could not look up effective user ID (\d+)/.exec(output)?.[1]
  if (uid === undefined) return new OperatorError(`The embedded PostgreSQL could not make ${folder}: ${output}`)
  return noSuchUser(Number(uid))
}

function noSuchUser(uid: number): OperatorError {
  const who = runAs() ? `It never runs as root but as "nobody", and there` : 'There'
  return new OperatorError(
    `The embedded PostgreSQL needs a user that the system knows. ${who} is no user ${uid} here: add one to /etc/passwd, ` +
      'start Patchbay as a user that is there, or set DATABASE_URL to a PostgreSQL elsewhere.',
  )
}

/**
 * PostgreSQL changes into its data folder by path, which an unprivileged user cannot do below a parent that only root
 * may enter. We enter it before dropping root, and this path is the current folder of the process.
 */
export function folderAsSeenInside(folder: string): string {
  return process.platform === 'linux' ? '/proc/self/cwd' : folder
}

/** The database does not inherit our environment: that would show keys in /proc and change its locale. */
export const databaseEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
