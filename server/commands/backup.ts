import { join } from 'node:path'
import { makeBackup } from '../src/platform/backup/make-backup.ts'
import { embeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import { readKeyText } from '../src/platform/secrets/secret-key.ts'
import type { Run } from './declarations.ts'
import { readCount } from './shared/read-count.ts'

export const backup: Run<'backup'> = async (ctx, { to, keep, 'with-secret-key': withSecretKey }) => {
  const { dataDir, databaseUrl } = ctx.config
  if (databaseUrl !== undefined) throw notOurs()
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

function describeKey({ secretKey, dataDir }: { secretKey: string | undefined; dataDir: string }): string {
  return secretKey === undefined ? join(dataDir, 'secret.key') : 'SECRET_KEY'
}

function notOurs(): OperatorError {
  return new OperatorError(
    'This makes backups of the embedded database only, and DATABASE_URL is set; docs/backup.md names tools for that one.',
  )
}
