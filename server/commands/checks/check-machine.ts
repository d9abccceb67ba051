import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile, statfs } from 'node:fs/promises'
import { request } from 'node:https'
import { dirname } from 'node:path'
import { connect } from 'node:tls'
import { limits } from '@patchbay/contract/limits.ts'
import { hasOwnChannels } from '../../src/journey/channels/own-store.ts'
import type { Config } from '../../src/platform/config/config.ts'
import { withSettings } from '../../src/platform/config/settings.ts'
import type { Db } from '../../src/platform/database/db.ts'
import { isOnThisMachine, type RunningServer } from '../../src/platform/database-setup/running-servers.ts'
import { readPair, tlsFiles } from '../../src/platform/https-server/certificate-files.ts'

export function describeConfig({ dataDir, databaseUrl }: Config): string {
  return databaseUrl === undefined ? `data in ${dataDir}` : `the database in DATABASE_URL, other data in ${dataDir}`
}

const leastFreeBytes = 1024 ** 3

export async function checkDisk({ dataDir }: Config): Promise<string> {
  const { bavail, bsize } = await statfs(dataDir).catch(() => statfs(dirname(dataDir)))
  const free = `${(Number(bavail * bsize) / 1024 ** 3).toFixed(1)} GiB free`
  if (bavail * bsize < leastFreeBytes) throw new Error(`only ${free} at ${dataDir}; free at least 1 GiB`)
  return free
}

/** What a process opens besides connections: those to the database and to receivers, and files. */
const openBesides = 300

/** Each stream of a website chat is a connection. The limit is that of this shell: a service may have another. */
export async function checkOpenFiles(
  config: Config,
  { db, servers, most }: { db: Db; servers: RunningServer[]; most: number | undefined },
): Promise<string> {
  if (most === undefined) return 'the limit is not known on this system'
  const local = servers.find(isOnThisMachine)
  const { chatStreams } = local ? withSettings(config, local.settings) : config
  const needed = limits.sockets + chatStreams + openBesides
  if (most >= needed || !(await hasOwnChannels(db)))
    return `${most === Number.POSITIVE_INFINITY ? 'no limit' : most} for each process, and it needs up to ${needed}`
  throw new Error(
    `a process started here may open ${most} files, and with CHAT_STREAMS=${chatStreams} it needs up to ${needed}; raise the limit (LimitNOFILE of a service, ulimit -n), or lower CHAT_STREAMS`,
  )
}

/** The hard limit: Node uses all of it. */
export async function readMostOpenFiles(): Promise<number | undefined> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, hard] = /^Max open files +\S+ +(\S+)/m.exec(text) ?? []
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : hard === undefined ? undefined : Number(hard)
}

/** The certificate that the server of this machine serves; where none runs, the one that it would. */
export async function checkCertificate(config: Config, servers: RunningServer[]): Promise<string> {
  const local = servers.find(isOnThisMachine)
  const served = local && (await readServed(withSettings(config, local.settings)))
  const isOwn = local ? local.settings.TLS_CERT_FILE?.value !== '' : config.tlsFiles !== undefined
  const { validToDate } = served ?? new X509Certificate((await readPair(await tlsFiles(config))).cert)
  if (validToDate < new Date()) throw new Error(`expired on ${validToDate.toISOString()}; renew it`)
  return `${isOwn ? 'own files' : 'self-signed'}, valid until ${validToDate.toISOString().slice(0, 10)}`
}

/** Undefined when no server answers there. */
async function readServed({ host, port }: Config): Promise<X509Certificate | undefined> {
  const socket = connect({ host, port, rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(answersWithinMs) })
    return socket.getPeerX509Certificate()
  } catch {
    return undefined // the check of the server says so
  } finally {
    socket.destroy()
  }
}

const answersWithinMs = 3_000

/** Asks the server of this machine whether it is ready, where it says that it listens. */
export async function checkServer(config: Config, servers: RunningServer[]): Promise<string> {
  const local = servers.find(isOnThisMachine)
  const isElsewhere = local === undefined && servers.length > 0
  if (isElsewhere) return `none on this machine; ${servers.map(({ name }) => name).join(', ')}`
  const { host, port } = local ? withSettings(config, local.settings) : config
  return (await isReady({ host, port })) ? `running and ready at ${host} port ${port}` : 'not running'
}

/** The certificate is not verified: the check is only whether our own process responds. */
function isReady({ host, port }: { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host, port, path: '/readyz', rejectUnauthorized: false, timeout: answersWithinMs },
      (answer) => {
        answer.resume()
        if (answer.statusCode === 200) resolve(true)
        else reject(new Error(`answers ${answer.statusCode} at /readyz; see its log`))
      },
    )
    asked.on('timeout', () => asked.destroy(new Error('does not respond; see its log')))
    asked.on('error', (error) => ('code' in error && error.code === 'ECONNREFUSED' ? resolve(false) : reject(error)))
    asked.end()
  })
}
