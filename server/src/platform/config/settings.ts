import { readAllowedNetworks } from '../outbound/allowed-networks.ts'
import { sayEvery } from './backup-schedule.ts'
import { readChannelOrigins } from './channel-origins.ts'
import type { Config } from './config.ts'
import { readKeepDays } from './keep-days.ts'

/** A setting as it is in force, written as it could be set; empty: none. */
export type Settings = Record<string, { value: string; isSet: boolean }>

/** `shared`: servers on one database should agree on it, and commands judge by it. The others are of one machine. */
type SettingDefinition = { shared: boolean; read: (config: Config) => string }

const shared = (read: SettingDefinition['read']): SettingDefinition => ({ shared: true, read })
const own = (read: SettingDefinition['read']): SettingDefinition => ({ shared: false, read })
const text = (value: string | number | null | undefined): string => String(value ?? '')

/**
 * The settings that a running server notes in the database. The list is by name, so that none comes to it unseen: passwords,
 * keys and the address of the database, which has a password in it, are secrets and never here.
 */
const described: Record<string, SettingDefinition> = {
  HOST: own(({ host }) => host),
  PORT: own(({ port }) => text(port)),
  PUBLIC_URL: shared(({ publicUrl }) => publicUrl),
  DATA_DIR: own(({ dataDir }) => dataDir),
  ARCHIVE_DIR: own(({ archiveDir }) => text(archiveDir)),
  BACKUP_TO: own(({ backup }) => text(backup?.to)),
  BACKUP_EVERY: own(({ backup }) => (backup ? sayEvery(backup.everySeconds) : '')),
  BACKUP_KEEP: own(({ backup }) => text(backup?.keep)),
  TLS_CERT_FILE: own(({ tlsFiles }) => text(tlsFiles?.cert)),
  TRUST_PROXY: own(({ trustedProxies }) => trustedProxies.entries.join(',')),
  ALLOW_PLAIN_HTTP: own(({ allowPlainHttp }) => (allowPlainHttp ? '1' : '')),
  ROLE: own(({ role }) => role),
  PROCESSES: own(({ processes }) => text(processes)),
  SERVE_APP: own(({ servesApp }) => (servesApp ? '1' : '0')),
  DRAIN_SECONDS: own(({ drainSeconds }) => text(drainSeconds)),
  RATE_LIMIT_PER_MINUTE: shared(({ rateLimitPerMinute }) => text(rateLimitPerMinute)),
  OUTBOUND_ALLOWED_NETWORKS: shared(({ outboundAllowed }) => outboundAllowed.entries.join(',')),
  DELIVERY_RETRY_SECONDS: shared(({ delivery }) => delivery.retrySeconds.join(',')),
  WEBHOOK_IN_FLIGHT: own(({ delivery }) => text(delivery.inFlightPerReceiver)),
  CHANNEL_IN_FLIGHT: own(({ delivery }) => text(delivery.inFlightPerChannel)),
  CHAT_STREAMS: own(({ chatStreams }) => text(chatStreams)),
  CHANNEL_ORIGINS: shared(({ channelOrigins }) => [...channelOrigins].map((entry) => entry.join('=')).join(',')),
  METRICS_HOST: own(({ metrics }) => text(metrics?.host)),
  METRICS_PORT: own(({ metrics }) => text(metrics?.port)),
  KEEP_MESSAGES_DAYS: shared(({ keepDays }) => text(keepDays.messages)),
  KEEP_ATTACHMENTS_DAYS: shared(({ keepDays }) => text(keepDays.attachments)),
  KEEP_ANSWERS_DAYS: shared(({ keepDays }) => text(keepDays.answers)),
  KEEP_ATTEMPTS_DAYS: shared(({ keepDays }) => text(keepDays.attempts)),
  KEEP_UNANSWERED_DAYS: shared(({ keepDays }) => text(keepDays.unanswered)),
  KEEP_AUDIT_DAYS: shared(({ keepDays }) => text(keepDays.audit)),
  KEEP_API_CALLS_DAYS: shared(({ keepDays }) => text(keepDays.calls)),
  KEEP_VISITORS_DAYS: shared(({ keepDays }) => text(keepDays.visitors)),
  LOG_LEVEL: own(({ logLevel }) => logLevel),
  LOG_FORMAT: own(({ logFormat }) => text(logFormat)),
}

export const keepDaysNames = Object.keys(described).filter((name) => name.startsWith('KEEP_'))

/** Whether servers on one database should agree on it. */
export const isShared = (name: string): boolean => described[name]?.shared ?? false

export function describeSettings(config: Config): Settings {
  return Object.fromEntries(
    Object.entries(described).map(([name, { read }]) => [
      name,
      { value: read(config), isSet: config.namesSet.has(name) },
    ]),
  )
}

/** The settings that commands judge by, as a server has them. Where its data is, a command must know by itself. */
export function withSettings(config: Config, settings: Settings): Config {
  const read = (name: string) => settings[name]?.value || undefined
  return {
    ...config,
    keepDays: readKeepDays(read),
    outboundAllowed: readAllowedNetworks(read('OUTBOUND_ALLOWED_NETWORKS') ?? '', false),
    host: read('HOST') ?? config.host,
    port: Number(read('PORT') ?? config.port),
    publicUrl: read('PUBLIC_URL') ?? config.publicUrl,
    channelOrigins: readChannelOrigins(read('CHANNEL_ORIGINS')),
    // Whether somebody has set it, or it is only a guess of where we are.
    namesSet: namesSetAt(config, settings),
  }
}

function namesSetAt({ namesSet }: Config, { PUBLIC_URL: publicUrl }: Settings): ReadonlySet<string> {
  const others = [...namesSet].filter((name) => name !== 'PUBLIC_URL')
  return new Set(publicUrl?.isSet ? [...others, 'PUBLIC_URL'] : others)
}
