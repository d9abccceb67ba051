import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { endAllAccess } from '../src/business/accounts/access-store.ts'
import { holdAll } from '../src/journey/channels/store.ts'
import { type Backup, keyFile } from '../src/platform/backup/backup-folder.ts'
import { pauseWork, resumeWork } from '../src/platform/backup/installation.ts'
import { makeBackup } from '../src/platform/backup/make-backup.ts'
import { type RestoreResult, restoreBackup } from '../src/platform/backup/restore-backup.ts'
import { findFolders, type Verification, verifyBackup } from '../src/platform/backup/verify-backups.ts'
import type { Config } from '../src/platform/config/config.ts'
import type { Db } from '../src/platform/database/db.ts'
import { goLast } from '../src/platform/database/low-priority.ts'
import { embeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { isKeyOf, readKeyText } from '../src/platform/secrets/secret-key.ts'
import type { Run } from './declarations.ts'
import { readCount } from './shared/read-count.ts'

export const backup: Run<'backup'> = async (ctx, { to, keep, 'with-secret-key': withSecretKey }) => {
  const { dataDir, databaseUrl } = ctx.config
  if (databaseUrl !== undefined) throw notOurs()
  goLast(0)
  const kept = keep === undefined ? undefined : readCount('keep', keep, 10_000)
  const secretKey = withSecretKey ? await readKeyText(ctx.config) : undefined
  const startedAt = performance.now()
  const made = await ctx.withDatabase(async (db) => {
    using embedded = embeddedPostgres(join(dataDir, 'postgres'))
    return makeBackup(db, { address: embedded.connection, dataDir, to, secretKey, keep: kept })
  })
  const { folder, facts, removed } = made
  return {
    backup: folder,
    endedAt: facts.endedAt,
    files: facts.files,
    databaseBytes: facts.databaseBytes,
    sizeBytes: facts.sizeBytes,
    tookSeconds: Math.round((performance.now() - startedAt) / 100) / 10,
    removed: removed.length,
    hasSecretKey: facts.hasSecretKey,
    note: facts.hasSecretKey
      ? 'The secret key is in it: whoever has this folder can read the webhook secrets and provider keys in the database.'
      : `The secret key is not in it: keep ${describeKey(ctx.config)} in another place, since a restored copy needs it.`,
  }
}

/** Needs no database: an old backup can be verified on any machine. */
export const backupVerify: Run<'backup verify'> = async ({ json, fail }, { from }) => {
  const verified: Verification[] = []
  for (const folder of await findFolders(resolve(from))) verified.push(await verifyBackup(folder)) // one after the other: each is a whole disk's work
  if (verified.some(({ problem }) => problem !== null)) fail()
  return {
    backups: verified.map(({ folder, facts, files, bytes, problem }) => ({
      backup: folder,
      endedAt: facts?.endedAt ?? null,
      version: facts?.patchbayVersion ?? null,
      postgres: facts?.postgresMajor ?? null,
      files,
      databaseBytes: bytes,
      hasSecretKey: facts?.hasSecretKey ?? null,
      problem: json ? problem : (problem ?? 'none'),
    })),
  }
}

export const restore: Run<'restore'> = async ({ config }, { from, until, archive, paused }) => {
  const { dataDir, databaseUrl } = config
  if (databaseUrl !== undefined) throw notOurs()
  const startedAt = performance.now()
  let hasKey = false
  const restored = await restoreBackup({
    dataDir,
    from: resolve(from),
    until: readTime(until),
    archive: archive === undefined ? undefined : resolve(archive),
    finish: async (db, backup) => {
      hasKey = await checkKey(db, config, backup)
      await endAllAccess(db)
      await holdAll(db)
      if (paused) await pauseWork(db)
    },
  })
  return {
    dataDir,
    backup: restored.backup.folder,
    restoredTo: restored.lastTransactionAt ?? new Date(restored.backup.facts.endedAt),
    files: restored.files,
    segments: restored.archive?.segments ?? 0,
    tookSeconds: Math.round((performance.now() - startedAt) / 100) / 10,
    hasSecretKey: hasKey,
    isPaused: paused,
    notes: [...archiveNotes(restored), ...keyNotes(hasKey, config), ...pauseNotes(paused), ...heldNotes],
  }
}

export const resume: Run<'resume'> = ({ withDatabase }) =>
  withDatabase(async (db) => {
    const wasPaused = await resumeWork(db)
    const note = wasPaused ? 'Restart the server: its background work begins then.' : 'It was not paused.'
    return { wasPaused, note }
  })

/** Phones do not tell copies of a message apart. */
const heldNotes = [
  'Built-in channels are held: they receive, and send and fetch nothing until `patchbay channel resume --all` says that this copy goes on.',
]

function describeKey({ secretKey, dataDir }: { secretKey: string | undefined; dataDir: string }): string {
  return secretKey === undefined ? join(dataDir, 'secret.key') : 'SECRET_KEY'
}

function notOurs(): OperatorError {
  return new OperatorError(
    'This is for the embedded database, and DATABASE_URL is set; docs/backup.md names the tools for that one.',
  )
}

/** Without an offset a time would mean another moment on another machine. */
function readTime(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = new Date(text.trim().replace(' ', 'T'))
  const isWhole = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(text.trim())
  if (isWhole && !Number.isNaN(time.getTime())) return time
  throw new OperatorError(
    `--until must be a time with its offset from UTC, such as 2026-11-16T12:00:00Z or 2026-11-16T13:00:00+01:00; it is "${text}".`,
  )
}

/** Whether there is a key to start with. A wrong one is refused before anything is put in place. */
async function checkKey(db: Db, { secretKey, dataDir }: Config, { folder, facts }: Backup): Promise<boolean> {
  const inPlace = await readFile(join(dataDir, keyFile), 'utf8').catch(() => undefined)
  const readInBackup = async () => (facts.hasSecretKey ? readFile(join(folder, keyFile), 'utf8') : undefined)
  const text = secretKey ?? inPlace ?? (await readInBackup())
  if (text === undefined) return false
  if (await isKeyOf(db, text.trim())) return true
  const name = secretKey === undefined ? join(inPlace === undefined ? folder : dataDir, keyFile) : 'SECRET_KEY'
  throw new OperatorError(`${name} is not the key of this backup; put the right one there, or take it away.`)
}

function keyNotes(hasKey: boolean, { dataDir }: Config): string[] {
  if (hasKey) return []
  return [
    `The secret key is not here: put it into ${join(dataDir, keyFile)}, or set SECRET_KEY, before you start the server.`,
  ]
}

function archiveNotes({ backup, archive }: RestoreResult): string[] {
  const { archiveFolder, endedAt } = backup.facts
  if (archive?.missing !== undefined) {
    return [`The archive lacks segment ${archive.missing}: nothing after it could be restored.`]
  }
  if (archive || archiveFolder === null) return []
  return [`The archive of this backup (${archiveFolder}) is not here: nothing after ${endedAt} was restored.`]
}

function pauseNotes(paused: boolean): string[] {
  return paused
    ? ['This copy sends nothing and answers nobody until `npx patchbay resume` and a restart of the server.']
    : ['From its start it delivers and answers what was not done yet. For a rehearsal, restore with --paused instead.']
}
