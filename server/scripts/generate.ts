import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pino } from 'pino'
import { openDb } from '../src/platform/database/db.ts'
import { migrate, underMigrationLock } from '../src/platform/database-setup/migrate.ts'
import { embeddedPostgres } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import { describeApi } from './describe-api.ts'
import { describeAppApi } from './describe-app-api.ts'
import { describeCampaigns } from './describe-campaigns.ts'
import { describeErrors } from './describe-errors.ts'
import { describeRooms } from './describe-rooms.ts'
import { describeSchema } from './describe-schema.ts'
import { describeStatements } from './describe-statements.ts'
import { describeWebhooks } from './describe-webhooks.ts'
import { trimLock } from './trim-lock.ts'

/**
 * Writes every generated file: run `npm run generate` after a change of migrations, schemas, prepared statements, errors, rooms
 * or dependencies.
 */
const root = resolve(import.meta.dirname, '../..')
const folder = await mkdtemp(join(tmpdir(), 'patchbay-generate-'))
const embedded = embeddedPostgres(join(folder, 'postgres'))
try {
  await embedded.ensureRunning()
  const db = openDb(embedded.connection, pino({ enabled: false }))
  await underMigrationLock(db, migrate)
  const { schemaSql, tablesTs } = await describeSchema(db)
  await writeFile(join(root, 'server/schema.sql'), schemaSql)
  await writeFile(join(root, 'server/src/platform/database/tables.ts'), tablesTs)
  await writeStatements(join(root, 'server/sql'))
  await writeFile(join(root, 'docs/openapi.json'), await describeApi(db))
  await writeFile(join(root, 'docs/app-openapi.json'), describeAppApi())
  await writeFile(join(root, 'docs/errors.md'), describeErrors())
  await writeFile(join(root, 'docs/campaigns.md'), describeCampaigns())
  await writeFile(join(root, 'docs/webhooks.md'), await describeWebhooks(root))
  const architecture = join(root, 'ARCHITECTURE.md')
  await writeFile(architecture, describeRooms(await readFile(architecture, 'utf8')))
  const lock = join(root, 'package-lock.json')
  await writeFile(lock, trimLock(await readFile(lock, 'utf8')))
  await db.destroy()
} finally {
  await embedded.stop('fast')
  await rm(folder, { recursive: true, force: true })
}

/** The folder has nothing else in it, so that no file stays of a statement that is gone or has another name. */
async function writeStatements(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  for (const [file, text] of describeStatements()) await writeFile(join(folder, file), text)
}
