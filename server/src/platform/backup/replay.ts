import { chown, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { type Db, openDbForLongStatements } from '../database/db.ts'
import { embeddedPostgres } from '../embedded-postgres/embedded-postgres.ts'
import { runAs } from '../embedded-postgres/run-as.ts'
import { OperatorError } from '../operator-error.ts'

/**
 * Starts the database in `folder`, replays the write-ahead log in it up to `until`, or else all of it, and hands the
 * database to `finish`. Afterwards it is stopped; it goes on in a new timeline, so that its log and that of the
 * installation it is a copy of cannot be mistaken for each other.
 */
export async function replay<Value>(
  folder: string,
  until: Date | undefined,
  finish: (db: Db) => Promise<Value>,
): Promise<Value> {
  const signalFile = join(folder, 'recovery.signal')
  await writeFile(signalFile, '', { mode: 0o600 })
  const owner = runAs()
  if (owner) await chown(signalFile, owner.uid, owner.gid)
  using embedded = embeddedPostgres(folder, { isRestoring: true, settings: settingsFor(until) })
  try {
    await embedded.ensureRunning()
  } catch (error) {
    throw (until && (await explain(folder, error, until))) ?? error
  }
  try {
    await using db = openDbForLongStatements(embedded.connection, pino({ enabled: false }))
    return await finish(db)
  } finally {
    await embedded.stop('fast')
  }
}

function settingsFor(until: Date | undefined): Record<string, string> {
  return {
    // What is in pg_wal is all there is: the segments of an archive were copied there.
    restore_command: 'false',
    // Connections are refused until the replay is over.
    hot_standby: 'off',
    recovery_target_action: 'promote',
    // It takes an offset from UTC, and no name of a zone, not even Z.
    ...(until && { recovery_target_time: until.toISOString().replace('T', ' ').replace('Z', '+00') }),
  }
}

/** The errors that mean that the log does not reach to the given time. */
async function explain(folder: string, error: unknown, until: Date): Promise<OperatorError | undefined> {
  const log = await readLog(folder)
  if (!/recovery ended before configured recovery target was reached/.test(log)) return undefined
  const last = /last completed transaction was at log time (\S+ \S+)/.exec(log)?.[1]
  const reach = last === undefined ? 'has nothing after the backup' : `ends at ${new Date(last).toISOString()}`
  return new OperatorError(
    `The archive ${reach}, before ${until.toISOString()}; give an earlier --until, or leave it out to get everything there is.`,
    { cause: error },
  )
}

async function readLog(folder: string): Promise<string> {
  const logs = join(folder, 'log')
  const names = await readdir(logs).catch(() => [])
  return (await Promise.all(names.map((name) => readFile(join(logs, name), 'utf8')))).join('\n')
}
