import type { Pool } from 'pg'
import { openEngines } from './answers/engines/choose-engine.ts'
import { startRetryingUnanswered } from './answers/engines/stage.ts'
import type { Embedder } from './answers/knowledge/search/embedder.ts'
import { openRetrieval } from './answers/knowledge/search/retrieval.ts'
import { startEmbedding } from './answers/knowledge/stage.ts'
import { startCountingUsage } from './answers/knowledge/usage/stage.ts'
import { pruneUsage } from './answers/knowledge/usage/usage-store.ts'
import { linksAt } from './app/alerts/alert-texts.ts'
import { startAlerts } from './app/alerts/stage.ts'
import { startEndingSnoozes } from './app/inbox/teamwork/end-snoozes.ts'
import { startErasing } from './app/removal/erasure/stage.ts'
import { startRetention } from './app/removal/retention/stage.ts'
import { startCountingReports } from './app/reports/stage.ts'
import { startSearchIndexing } from './app/search/stage.ts'
import { pruneRateWindows } from './business/accounts/rate-limit/rate-window-store.ts'
import { startLedgerChecks } from './business/credits/check.ts'
import { pruneSessions } from './business/sessions/session-store.ts'
import { pruneLinks } from './business/team/link-store.ts'
import { openDueWork } from './due-work-store.ts'
import { startBot } from './journey/bot/stage.ts'
import { startBroadcasting } from './journey/broadcasts/stage.ts'
import { openFetchOverChannel } from './journey/channels/fetch-file.ts'
import { pruneChatDays } from './journey/channels/own-store.ts'
import { openShowTyping } from './journey/channels/show-typing.ts'
import { openTransports } from './journey/delivery/open-transports.ts'
import { startDelivery } from './journey/delivery/stage.ts'
import { pruneOutgoingFiles } from './journey/media/outgoing/outgoing-store.ts'
import { startMediaFetching } from './journey/media/stage.ts'
import { pruneProviderEvents } from './journey/provider-events/event-store.ts'
import type { Dispatcher } from './outbox/dispatcher.ts'
import { pruneImports } from './people/imports/due-store.ts'
import { startImporting } from './people/imports/stage.ts'
import { type Config, givenPublicUrl } from './platform/config/config.ts'
import { type DatabaseAddress, type Db, openDbForLongStatements } from './platform/database/db.ts'
import { startPruning } from './platform/database/prune.ts'
import { pruneKeys } from './platform/idempotency/idempotency.ts'
import { startWhenDue } from './platform/jobs/start-when-due.ts'
import type { Log } from './platform/log.ts'
import type { Instruments } from './platform/metrics/instruments.ts'
import type { Hint } from './platform/notify/hints.ts'
import type { Listener } from './platform/notify/listen.ts'
import { listenForWork, openNotifier } from './platform/notify/notify.ts'
import type { Outbound } from './platform/outbound/client.ts'

export type WorkerCtx = Readonly<{
  db: Db
  /** Of the bot alone; see `openBotDb`. */
  botDb: Db
  pool: Pool
  address: DatabaseAddress
  log: Log
  config: Config
  outbound: Outbound
  secretKey: Buffer
  listener: Listener
  hint: Hint
  instruments: Instruments
  /** Whoever opened it closes it, after the worker. */
  embedder: Embedder
}>

export type Worker = { dispatcher: Dispatcher; stop: () => Promise<void> }

/** Starts every stage of the background work. */
export function startWorker(ctx: WorkerCtx): Worker {
  const { db, botDb, pool, address, log, config, outbound, secretKey, listener, hint, instruments, embedder } = ctx
  const { retrySeconds, inFlightPerReceiver, inFlightPerChannel } = config.delivery
  const knowledge = openRetrieval(db, embedder)
  const engines = openEngines({ db, knowledge, outbound, secretKey, log, instruments })
  const due = openDueWork(pool, embedder.modelId)
  const erasing = startErasing(db, log)
  const imports = startImporting({ db, secretKey, hint, isDue: due.imports }, log)
  const snoozes = startEndingSnoozes({ db, hint }, log)
  const fetchOverChannel = openFetchOverChannel({ ...ctx, origins: config.channelOrigins })
  const media = startMediaFetching({ db, outbound, fetchOverChannel, hint, instruments, isDue: due.media }, log)
  const searching = startSearchIndexing({ db, listener }, log)
  const embedding = startEmbedding({ db, embedder, isDue: due.knowledge }, log)
  const uses = startCountingUsage(db, log)
  const reports = startCountingReports({ db, instruments, listener }, log)
  const retrying = startRetryingUnanswered({ db, embedder, knowledge, hint, isDue: due.unanswered }, log)
  const delivery = startDelivery({
    ...{ db, pool, log, hint, instruments, retrySeconds },
    isDue: due.delivery,
    transportOf: openTransports({
      ...{ ...ctx, ...config.delivery, origins: config.channelOrigins, now: Date.now },
      publicUrl: givenPublicUrl(config),
    }),
    onSettled: ({ accountId }) => broadcasts.wakeFor(accountId),
  })
  const { dispatcher } = delivery
  const wakeDelivery = dispatcher.wake
  const broadcasts = startBroadcasting(
    { db, secretKey, hint, inFlightPerReceiver, inFlightPerChannel, dispatcher, isDue: due.broadcasts },
    log,
  )
  const answering = { db: botDb, pool, listener, engines, embedder, secretKey }
  const showTyping = openShowTyping({ ...ctx, origins: config.channelOrigins })
  const bot = startBot({ ...answering, log, hint, instruments, wakeDelivery, showTyping })
  const channels = startChannelsWhenDue(ctx, due)
  const alerts = startAlerts({ db, link: linksAt(config.publicUrl), wake: wakeDelivery }, log)
  const retention = startRetention({ db, keepDays: config.keepDays, hint }, log)
  const pruning = startPruning(db, log, prunes)
  const isEmbedded = config.databaseUrl === undefined
  const checks = startLedgerChecks({ openDb: () => openDbForLongStatements(address, log), isEmbedded }, log)
  const woken: Record<string, { wake: () => void }> = { bot, delivery, retention, broadcasts, reports, imports }
  const stopListening = listenForWork(listener, (stage) => woken[stage]?.wake())
  const running = [
    ...[pruning, retention, erasing, imports, snoozes, media, searching],
    ...[embedding, uses, reports, retrying, bot, broadcasts, alerts, channels, delivery],
  ]
  return {
    dispatcher,
    stop: async () => {
      checks.stop()
      stopListening()
      await Promise.all(running.map((stage) => stage.stop()))
    },
  }
}

/** Without channels nothing of them is loaded. */
function startChannelsWhenDue(ctx: WorkerCtx, due: ReturnType<typeof openDueWork>): { stop: () => Promise<void> } {
  const { config, log } = ctx
  const start = async () => {
    const { startChannels } = await import('./start-channels.ts')
    const { channelOrigins: origins, publicUrl: ownUrl } = config
    return startChannels({ ...ctx, due, origins, publicUrl: givenPublicUrl(config), ownUrl })
  }
  return startWhenDue({ name: 'channels', isDue: due.channels, start }, log)
}

/** What is kept for a limited time. */
const prunes = {
  keys: pruneKeys,
  uses: pruneUsage,
  sessions: pruneSessions,
  links: pruneLinks,
  imports: pruneImports,
  rateWindows: pruneRateWindows,
  providerEvents: pruneProviderEvents,
  outgoingFiles: pruneOutgoingFiles,
  chatDays: pruneChatDays,
}

/** The dispatcher of a process without stages: it leases no event, and notifies the processes that deliver. */
export function notifyingDispatcher(db: Db, log: Log): Dispatcher {
  return { reserve: () => undefined, giveBack: () => {}, take: () => {}, wake: openNotifier(db, log, 'delivery') }
}
