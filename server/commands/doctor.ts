import { X509Certificate } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { request } from 'node:https'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { listTroubled } from '../src/campaigns/store.ts'
import { type ListedEndpoint, listEndpoints } from '../src/delivery/endpoints/endpoint-store.ts'
import { openEmbedder } from '../src/knowledge/search/embedder.ts'
import type { Config } from '../src/platform/config/config.ts'
import type { Db } from '../src/platform/database/db.ts'
import { checkConnections } from '../src/platform/database-setup/check-connections.ts'
import { checkDatabase } from '../src/platform/database-setup/check-database.ts'
import { migrationsBehind } from '../src/platform/database-setup/migrate.ts'
import { lockPath } from '../src/platform/embedded-postgres/embedded-postgres.ts'
import { tryFileLock } from '../src/platform/file-lock.ts'
import { readPair, tlsFiles } from '../src/platform/https-server/certificate-files.ts'
import { type Outbound, openOutbound } from '../src/platform/outbound/client.ts'
import type { Run } from './declarations.ts'
import { checkArchive, checkBackup } from './shared/check-backup.ts'

type Finding = { check: string; ok: boolean; detail: string }

export const doctor: Run<'doctor'> = async ({ config, withDatabase }) => {
  const findings = [
    { check: 'configuration', ok: true, detail: describe(config) },
    await finding('disk', () => checkDisk(config)),
    await finding('certificate', () => checkCertificate(config)),
    await finding('built-in engine', checkEngine),
  ]
  const reached = await finding('database', () =>
    withDatabase(async (db) => {
      findings.push(await finding('durability', () => checkDurability(db, config)))
      findings.push(await finding('migrations', () => checkMigrations(db)))
      findings.push(await finding('backup', () => checkBackup(db, config)))
      findings.push(await finding('archive', () => checkArchive(db, config)))
      findings.push(await finding('clock', () => checkClock(db)))
      findings.push(await finding('receivers', () => checkReceivers(db, config)))
      findings.push(await finding('campaigns', () => checkCampaigns(db)))
      if (config.databaseUrl !== undefined) await checkConnections(db, config.processes)
      return config.databaseUrl === undefined ? describeEmbedded(config) : 'the database in DATABASE_URL responds'
    }),
  )
  findings.push(reached, await finding('server', () => checkServer(config)))
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1
  return { findings }
}

async function finding(check: string, run: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, detail: await run() }
  } catch (error) {
    return { check, ok: false, detail: error instanceof Error ? error.message : String(error) }
  }
}

function describe({ host, port, dataDir, databaseUrl }: Config): string {
  return `listens on ${host} port ${port}, data in ${dataDir}${databaseUrl === undefined ? '' : ', shared database'}`
}

/** While PostgreSQL runs, its lock cannot be taken; if it can, file locks do not work on this machine. */
async function describeEmbedded({ dataDir }: Config): Promise<string> {
  using lock = await tryFileLock(lockPath(join(dataDir, 'postgres')))
  if (!lock) return 'the embedded PostgreSQL responds'
  return 'the embedded PostgreSQL responds; the command flock is missing, so a second PostgreSQL on the same volume is not prevented'
}

const leastFreeBytes = 1024 ** 3

async function checkDisk({ dataDir }: Config): Promise<string> {
  const { bavail, bsize } = await statfs(dataDir).catch(() => statfs(dirname(dataDir)))
  const free = `${(Number(bavail * bsize) / 1024 ** 3).toFixed(1)} GiB free`
  if (bavail * bsize < leastFreeBytes) throw new Error(`only ${free} at ${dataDir}; free at least 1 GiB`)
  return free
}

async function checkCertificate(config: Config): Promise<string> {
  const files = await tlsFiles(config)
  const { validToDate } = new X509Certificate((await readPair(files)).cert)
  if (validToDate < new Date()) throw new Error(`${files.cert} expired on ${validToDate.toISOString()}; renew it`)
  return `${config.tlsFiles ? 'own files' : 'self-signed'}, valid until ${validToDate.toISOString().slice(0, 10)}`
}

/** Embeds a sentence: this fails if the weights are missing or cannot be loaded. */
async function checkEngine(): Promise<string> {
  const embedder = openEmbedder(pino({ enabled: false }))
  const startedAt = performance.now()
  try {
    await embedder.embed(['Do you ship abroad?'])
  } catch {
    throw new Error('its model weights cannot be loaded, so questions are compared by words only; run npm ci again')
  } finally {
    await embedder.close()
  }
  return `${embedder.modelId} is loaded, in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`
}

async function checkCampaigns(db: Db): Promise<string> {
  const troubled = await listTroubled(db)
  if (troubled.length === 0) return 'no errors'
  throw new Error(`${troubled.map(({ id, trouble }) => `${id}: ${trouble}`).join('; ')}; see: campaign show, bot ask`)
}

async function checkDurability(db: Db, { databaseUrl }: Config): Promise<string> {
  await checkDatabase(db, databaseUrl === undefined ? 'embedded' : 'shared')
  return 'acknowledged writes are on disk'
}

async function checkMigrations(db: Db): Promise<string> {
  const behind = await migrationsBehind(db)
  if (behind > 0) throw new Error(`${behind} migrations are missing; restart the server`)
  return 'the schema is up to date'
}

const largestClockGapMs = 2_000

async function checkClock(db: Db): Promise<string> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const gapMs = Math.abs(Date.now() - (rows[0]?.now.getTime() ?? 0))
  if (gapMs > largestClockGapMs)
    throw new Error(`differs from the database's by ${gapMs} ms; synchronise both with NTP`)
  return 'agrees with the database'
}

/** Posts nothing: checks that every host resolves to an address that may be called, and the results of the last attempts. */
async function checkReceivers(db: Db, { outboundAllowed }: Config): Promise<string> {
  const outbound = openOutbound({ allowed: outboundAllowed })
  try {
    const endpoints = await listEndpoints(db, mostReceivers)
    const troubles = await Promise.all(endpoints.map((endpoint) => troubleOf(outbound, endpoint)))
    const found = troubles.filter((trouble) => trouble !== undefined)
    if (found.length > 0) throw new Error(`${found.join('; ')}; see: webhook show, webhook test`)
    return `${endpoints.length} saved, no errors`
  } finally {
    await outbound.close()
  }
}

const mostReceivers = 100

async function troubleOf(outbound: Outbound, endpoint: ListedEndpoint): Promise<string | undefined> {
  const { accountId, kind, url, failuresInRow, pausedAt, goneAt } = endpoint
  const name = `${kind} events of ${accountId}`
  if (pausedAt) return `${name} are paused`
  if (goneAt) return `the receiver of ${name} answered 410 Gone`
  if (failuresInRow > 0) return `${name} failed ${failuresInRow} times in a row`
  return outbound.check(url).then(
    () => undefined,
    (error) => `${name} cannot be sent: ${error instanceof Error ? error.message : error}`,
  )
}

/** The certificate is not verified: the check is only whether our own process responds. */
async function checkServer({ host, port }: Config): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path: '/readyz', rejectUnauthorized: false, timeout: 3_000 }, (answer) => {
      answer.resume()
      if (answer.statusCode === 200) resolve('running and ready')
      else reject(new Error(`answers ${answer.statusCode} at /readyz; see its log`))
    })
    asked.on('timeout', () => asked.destroy(new Error('does not respond; see its log')))
    asked.on('error', (error) =>
      'code' in error && error.code === 'ECONNREFUSED' ? resolve('not running') : reject(error),
    )
    asked.end()
  })
}
