import { isIP } from 'node:net'
import { resolve, sep } from 'node:path'
import { isApiKey } from '@patchbay/contract/api-key.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { readDatabaseUrl } from '../database/address.ts'
import { OperatorError } from '../operator-error.ts'
import { type AllowedNetworks, readAllowedNetworks } from '../outbound/allowed-networks.ts'
import { parseEmail } from '../text/email.ts'
import { type BackupSchedule, readBackupSchedule } from './backup-schedule.ts'
import { type ChannelOrigins, readChannelOrigins } from './channel-origins.ts'
import { type AddressRanges, isLoopback, parseRanges } from './ip-ranges.ts'
import { type KeepDays, readKeepDays } from './keep-days.ts'
import { readFolderOutside, readInteger, readSecret } from './read-value.ts'
import { isPackage, settingsRoot } from './settings-root.ts'

export type Config = Readonly<{
  host: string
  port: number
  /** The URL that clients and links use; no slash at the end. */
  publicUrl: string
  dataDir: string
  /** The PostgreSQL to use; unset: the embedded one in `dataDir`. */
  databaseUrl: string | undefined
  /** Where the write-ahead log of the embedded database is archived; unset: nowhere. */
  archiveDir: string | undefined
  /** Backups that the server makes by itself; undefined: none. */
  backup: BackupSchedule | undefined
  secretKey: string | undefined
  tlsFiles: { cert: string; key: string } | undefined
  trustedProxies: AddressRanges
  allowPlainHttp: boolean
  /** Networks that outgoing requests may reach although they are not public. */
  outboundAllowed: AllowedNetworks
  /** Where the operator sends what would go to a provider of built-in channels, by `telegram` or `telegram.api`. */
  channelOrigins: ChannelOrigins
  owner: { email: string | undefined; password: string | undefined; apiKey: string | undefined }
  rateLimitPerMinute: number
  /** What this process does: answer requests, run the background stages, or both. */
  role: 'all' | 'api' | 'worker'
  /** How many processes share the port and the work. */
  processes: number
  /** Whether the web app is served, and built if need be. A worker serves nothing. */
  servesApp: boolean
  /** How long a server that was told to stop still serves, while `/readyz` tells proxies to send it nothing more. */
  drainSeconds: number
  /** How many windows of visitors of website chats a process lets listen; it takes as many connections more. */
  chatStreams: number
  delivery: {
    /** The backoff: seconds to wait after each failed attempt. */
    retrySeconds: readonly number[]
    inFlightPerReceiver: number
    /** Of one built-in channel and process. */
    inFlightPerChannel: number
  }
  /** Where `/metrics` is served; undefined: nowhere. */
  metrics: { host: string; port: number } | undefined
  /** For how long things are kept. */
  keepDays: KeepDays
  logLevel: string
  /** The format of the log; undefined: text on a terminal, else JSON. */
  logFormat: 'text' | 'json' | undefined
  /** The variables that are set; of all others the default is in force. */
  namesSet: ReadonlySet<string>
}>

type Environment = Readonly<Record<string, string | undefined>>

/** Reads all settings at the start, so that a malformed value stops it with one sentence. */
export function readConfig(environment: Environment = process.env): Config {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined
  const readNumber = (name: string, otherwise: string, from: number, to: number) =>
    readInteger(name, read(name) ?? otherwise, { from, to })
  const host = readHost('HOST', read('HOST') ?? '127.0.0.1')
  const port = readNumber('PORT', '8443', 0, 65_535)
  const databaseUrl = readDatabaseUrl(readSecret('DATABASE_URL', read))
  const dataDir = readDataDir(read('DATA_DIR') ?? 'data')
  const secretKey = readSecretKey(readSecret('SECRET_KEY', read))
  const isForThisMachineOnly = isLoopback(host) && databaseUrl === undefined && read('TRUST_PROXY') === undefined
  return {
    host,
    port,
    publicUrl: readPublicUrl(read('PUBLIC_URL')) ?? urlOf(host, port),
    dataDir,
    databaseUrl,
    archiveDir: readArchiveDir(read('ARCHIVE_DIR'), dataDir, databaseUrl),
    backup: readBackupSchedule(read, dataDir, databaseUrl),
    secretKey,
    tlsFiles: readTlsFiles(read('TLS_CERT_FILE'), read('TLS_KEY_FILE')),
    trustedProxies: readProxies(read('TRUST_PROXY')),
    allowPlainHttp: readPlainHttp(read('ALLOW_PLAIN_HTTP'), host),
    // Not with `read`: a value that is set but empty means no network.
    outboundAllowed: readAllowedNetworks(environment.OUTBOUND_ALLOWED_NETWORKS, isForThisMachineOnly),
    channelOrigins: readChannelOrigins(read('CHANNEL_ORIGINS')),
    owner: readOwner(read('OWNER_EMAIL'), environment.OWNER_PASSWORD || undefined, read('OWNER_API_KEY')),
    rateLimitPerMinute: readNumber('RATE_LIMIT_PER_MINUTE', '600', 0, 1_000_000_000),
    role: readRole(read('ROLE') ?? 'all'),
    processes: readNumber('PROCESSES', '1', 1, 64),
    // An embedded database has one server: there is nobody to send requests to.
    drainSeconds: readNumber('DRAIN_SECONDS', databaseUrl === undefined ? '0' : '5', 0, 600),
    servesApp: readSwitch('SERVE_APP', read('SERVE_APP') ?? '1') && read('ROLE') !== 'worker',
    chatStreams: readNumber('CHAT_STREAMS', '2500', 0, 100_000),
    delivery: {
      retrySeconds: readRetrySeconds(read('DELIVERY_RETRY_SECONDS') ?? '5,15,60,300,900,1800,3600,7200,21600,43200'),
      inFlightPerReceiver: readNumber('WEBHOOK_IN_FLIGHT', '4', 1, 64),
      inFlightPerChannel: readNumber('CHANNEL_IN_FLIGHT', '16', 1, 64),
    },
    metrics: readMetrics(read('METRICS_HOST') ?? '127.0.0.1', read('METRICS_PORT')),
    keepDays: readKeepDays(read),
    logLevel: readLogLevel(read('LOG_LEVEL') ?? 'info'),
    logFormat: readLogFormat(read('LOG_FORMAT')),
    namesSet: namesSet(environment),
  }
}

function namesSet(environment: Environment): ReadonlySet<string> {
  const isSet = (name: string) =>
    name === 'OUTBOUND_ALLOWED_NETWORKS' ? environment[name] !== undefined : Boolean(environment[name]?.trim())
  return new Set(Object.keys(environment).filter(isSet))
}

function readHost(name: string, host: string): string {
  if (isIP(host) || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host)) return host
  throw new OperatorError(`${name} must be an address or a host name, such as 127.0.0.1; it is "${host}".`)
}

/** The default public URL, for clients on the same machine or network. */
export function urlOf(host: string, port: number): string {
  return `https://${hostInUrl(host)}:${port}`
}

/** PUBLIC_URL, if the operator has set it: what else we could say is only our guess of how others reach us. */
export function givenPublicUrl({ publicUrl, namesSet }: Pick<Config, 'publicUrl' | 'namesSet'>): string | undefined {
  return namesSet.has('PUBLIC_URL') ? publicUrl : undefined
}

/** The public URL of a server that listens on this port: with PORT=0 it is known only then. */
export function publicUrlAt({ publicUrl, host, port }: Config, actualPort: number): string {
  return publicUrl === urlOf(host, port) ? urlOf(host, actualPort) : publicUrl
}

function hostInUrl(host: string): string {
  if (isLoopback(host) || host === '0.0.0.0' || host === '::') return 'localhost'
  return isIP(host) === 6 ? `[${host}]` : host
}

function readPublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash) return url.href.replace(/\/+$/, '')
  throw new OperatorError(`PUBLIC_URL must be an address such as https://chat.example.com; it is "${text}".`)
}

function readDataDir(text: string): string {
  const folder = resolve(settingsRoot, text)
  if (!isPackage || !folder.split(sep).includes('node_modules')) return folder
  throw new OperatorError(
    `DATA_DIR is ${folder}, in a folder that npm may empty; start Patchbay in another folder, or set DATA_DIR to one.`,
  )
}

function readArchiveDir(text: string | undefined, dataDir: string, databaseUrl: string | undefined) {
  if (text === undefined) return undefined
  if (databaseUrl !== undefined) {
    throw new OperatorError('ARCHIVE_DIR is for the embedded database, and DATABASE_URL is set; unset one of them.')
  }
  return readFolderOutside('ARCHIVE_DIR', text, dataDir)
}

function readSecretKey(text: string | undefined): string | undefined {
  if (text === undefined || text.length >= 16) return text
  throw new OperatorError('SECRET_KEY must have at least 16 characters; make one with: openssl rand -base64 32')
}

function readTlsFiles(cert: string | undefined, key: string | undefined): Config['tlsFiles'] {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined) {
    throw new OperatorError('TLS_CERT_FILE and TLS_KEY_FILE go together; one of them is missing.')
  }
  return { cert: resolve(settingsRoot, cert), key: resolve(settingsRoot, key) }
}

function readProxies(text: string | undefined): AddressRanges {
  const ranges = parseRanges(text ?? '')
  if (ranges) return ranges
  throw new OperatorError(`TRUST_PROXY must be a list such as 10.0.0.0/8,192.168.1.5; it is "${text}".`)
}

function readPlainHttp(text: string | undefined, host: string): boolean {
  if (text === undefined || text === '0') return false
  if (text !== '1') throw new OperatorError(`ALLOW_PLAIN_HTTP must be 1 or unset; it is "${text}".`)
  if (isLoopback(host)) return true
  throw new OperatorError(`ALLOW_PLAIN_HTTP works only while HOST is loopback, and HOST is "${host}".`)
}

/** Checks the values at every start, though only the first one uses them: a wrong one should be reported early. */
function readOwner(
  email: string | undefined,
  password: string | undefined,
  apiKey: string | undefined,
): Config['owner'] {
  const { from, to } = limits.password
  if (email !== undefined && !parseEmail(email)) {
    throw new OperatorError(`OWNER_EMAIL must be an e-mail address; it is "${email}".`)
  }
  if (password !== undefined && (password.length < from || password.length > to)) {
    throw new OperatorError(`OWNER_PASSWORD must have ${from} to ${to} characters.`)
  }
  if (apiKey !== undefined && !isApiKey(apiKey)) {
    throw new OperatorError('OWNER_API_KEY must have 16 to 128 letters, digits, "_" or "-".')
  }
  return { email, password, apiKey }
}

function readRole(text: string): Config['role'] {
  if (text === 'all' || text === 'api' || text === 'worker') return text
  throw new OperatorError(`ROLE must be all, api or worker; it is "${text}".`)
}

function readSwitch(name: string, text: string): boolean {
  if (text === '1' || text === '0') return text === '1'
  throw new OperatorError(`${name} must be 1 or 0; it is "${text}".`)
}

function readRetrySeconds(text: string): number[] {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length <= 100 && parts.every((part) => /^\d{1,7}(\.\d+)?$/.test(part))) return parts.map(Number)
  throw new OperatorError(`DELIVERY_RETRY_SECONDS must be a list of seconds such as 5,15,60; it is "${text}".`)
}

function readMetrics(host: string, port: string | undefined): Config['metrics'] {
  const at = readHost('METRICS_HOST', host)
  return port === undefined ? undefined : { host: at, port: readInteger('METRICS_PORT', port, { from: 0, to: 65_535 }) }
}

function readLogLevel(text: string): string {
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
  if (levels.includes(text)) return text
  throw new OperatorError(`LOG_LEVEL must be one of ${levels.join(', ')}; it is "${text}".`)
}

function readLogFormat(text: string | undefined): Config['logFormat'] {
  if (text === undefined || text === 'text' || text === 'json') return text
  throw new OperatorError(`LOG_FORMAT must be text or json; it is "${text}".`)
}
