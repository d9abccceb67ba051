import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Pool } from 'pg'
import { pino } from 'pino'
import { openApp } from '../../process/open-app.ts'
import { openEmbedder } from '../../src/answers/knowledge/search/embedder.ts'
import { openAppFiles } from '../../src/app/page/open-app-files.ts'
import { openCallLog } from '../../src/business/request-log/request-log.ts'
import { countSignIns, openSignInThrottle } from '../../src/business/sessions/throttle/sign-in-throttle.ts'
import { openBotDb } from '../../src/journey/bot/bot-db.ts'
import type { Dispatcher } from '../../src/outbox/dispatcher.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { acrossAccounts, type Db, openDb, openWorkDb, poolOf } from '../../src/platform/database/db.ts'
import { openPools } from '../../src/platform/database/pools.ts'
import { readPair, type TlsPair } from '../../src/platform/https-server/certificate-files.ts'
import { openInstruments } from '../../src/platform/metrics/instruments.ts'
import { openHints } from '../../src/platform/notify/hints.ts'
import { openListener } from '../../src/platform/notify/listen.ts'
import { openOutbound } from '../../src/platform/outbound/client.ts'
import { notifyingDispatcher, startWorker, type Worker } from '../../src/worker.ts'
import { makeDatabase, type TestDatabase } from './databases.ts'
import { openEmptying } from './empty-database.ts'
import { listenAgain } from './listen-again.ts'
import { assertNoSecrets } from './no-secrets.ts'
import { until } from './until.ts'

export type Environment = Record<string, string>

export type Special = {
  /** For one test after the other, which `end` makes possible. */
  isForMany?: boolean
  /** It is a second server beside the first. */
  database?: TestDatabase | undefined
  outbound?: Partial<Parameters<typeof openOutbound>[0]>
  /** The routes use what it returns. */
  changeDb?: (db: Db) => Db
}

/** The folder has the certificate below. */
const served = {
  HOST: '127.0.0.1',
  PORT: '0',
  ROLE: 'api',
  SERVE_APP: '0',
  DATA_DIR: process.env.PATCHBAY_TEST_DATA,
}

let testPair: Promise<TlsPair> | undefined

/** Made once for all test files: loading what makes one takes 100 ms of processor time. */
function readTestPair(): Promise<TlsPair> {
  const folder = join(process.env.PATCHBAY_TEST_DATA ?? '', 'tls')
  testPair ??= readPair({ cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') })
  return testPair
}

export const sealingKey = Buffer.alloc(32, 'secret')

export type RunningApp = Awaited<ReturnType<typeof openRunningApp>>

/** A server that listens. Between `begin` and `end` a test has it for itself. */
export async function openRunningApp(environment: Environment, special: Special = {}) {
  await using started = new AsyncDisposableStack()
  const pair = await readTestPair()
  const database = special.database ?? started.use(await makeDatabase())
  let lines: string[] = []
  const output = new Writable({ write: (line, _, done) => done(void lines.push(String(line))) })
  const log = pino({ level: 'trace', base: null }, output)
  const db = openDb(database.address, log)
  started.defer(() => db.destroy())
  // After every test that delivers: no signing secret may be stored or logged in clear text.
  const delivers = environment.ROLE !== undefined
  let isInUse = false
  const findSecrets = async () => {
    if (delivers && isInUse) await assertNoSecrets(acrossAccounts(db), lines)
  }
  started.defer(findSecrets)
  const pools = openPools(database.address, log)
  started.defer(pools.end)
  const config = readConfig({ ...served, ...environment })
  const listener = openListener(database.address, log)
  started.defer(listener.stop)
  const { hint, flush, close } = openHints(listener, log)
  started.defer(close)
  const outbound = openOutbound({ allowed: config.outboundAllowed, ...special.outbound })
  started.defer(outbound.close)
  const instruments = openInstruments()
  // At the usual priority: the machine belongs to other tests too, and at a low one questions would wait for all of them.
  const embedder = openEmbedder(log, undefined, { niceness: 0 })
  started.defer(embedder.close)
  const shared = { outbound, secretKey: sealingKey, listener, hint, instruments, embedder }
  let dispatcher = notifyingDispatcher(db, log)
  let startWork = (): Worker | undefined => undefined
  let worker: Worker | undefined
  const used = [openedPool(db), ...Object.values(pools.all)]
  if (config.role !== 'api') {
    const workDb = openWorkDb(database.address, log)
    started.defer(() => workDb.destroy())
    const botDb = openBotDb(database.address, log)
    started.defer(() => botDb.destroy())
    used.push(openedPool(workDb), openedPool(botDb))
    const ctx = { db: workDb, botDb, pool: pools.batch, address: database.address, log, config, ...shared }
    startWork = () => startWorker(ctx)
    started.defer(async () => worker?.stop())
    dispatcher = dispatcherOf(() => worker?.dispatcher)
  }
  const files = config.servesApp ? await openAppFiles(log, () => {}) : undefined
  const routesDb = special.changeDb?.(db) ?? db
  let throttle = openSignInThrottle()
  const calls = openCallLog({ db: routesDb, hint, log })
  const app = await openApp(config, log, {
    db: routesDb,
    pools,
    pair,
    dispatcher,
    files,
    calls,
    ...shared,
    throttle: {
      check: (pair) => throttle.check(pair),
      take: (attempt) => throttle.take(attempt),
      succeeded: (attempt) => throttle.succeeded(attempt),
      release: (attempt) => throttle.release(attempt),
    },
  })
  started.defer(() => app.close())
  await (config.servesApp ? listenAgain(app) : app.listen({ host: '127.0.0.1', port: 0 }))
  const { port } = app.server.address() as AddressInfo // it listens on a port, never on a pipe
  const isIdle = () => used.every((pool) => pool.idleCount === pool.totalCount && pool.waitingCount === 0)

  const empty = special.isForMany ? await openEmptying(openedPool(db)) : async () => false
  const running = started.move()
  return {
    app,
    db,
    pools,
    instruments,
    database,
    certificate: pair.cert,
    url: `https://localhost:${port}`,
    /** Returns the lines of the log, to which more are added. */
    begin: (): string[] => {
      isInUse = true
      throttle = openSignInThrottle()
      worker = startWork()
      return lines
    },
    /** From now on no time passes for those who have to wait before they sign in; what was counted is forgotten. */
    stopSignInClock: () => {
      throttle = openSignInThrottle(countSignIns(() => 0))
    },
    /**
     * Finishes all that the test has begun, and deletes what it has stored. Returns whether another test may have this
     * server: not when the test has stopped, locked or changed more than rows.
     */
    end: async (): Promise<boolean> => {
      app.server.closeAllConnections()
      await worker?.stop()
      worker = undefined
      if (!app.server.listening || used.some((pool) => pool.ending)) return false
      await until(isIdle, 'a connection to the database is still in use')
      await calls.flush()
      await flush()
      await findSecrets()
      isInUse = false
      lines = []
      return await empty()
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function openedPool(db: Db): Pool {
  const pool = poolOf(db)
  assert.ok(pool)
  return pool
}

/** Of the worker that runs at the time. */
function dispatcherOf(current: () => Dispatcher | undefined): Dispatcher {
  return {
    reserve: (...receiver) => current()?.reserve(...receiver),
    giveBack: (token) => current()?.giveBack(token),
    take: (event) => current()?.take(event),
    wake: (receiver) => current()?.wake(receiver),
  }
}
