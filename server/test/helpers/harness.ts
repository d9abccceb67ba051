import type { Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { openApp } from '../../open-app.ts'
import { hashApiKey, newApiKey } from '../../src/accounts/api-key.ts'
import { insertAccount, insertOwner, replaceKey } from '../../src/accounts/store.ts'
import { openAppFiles } from '../../src/app-files/open-app-files.ts'
import { makeDefaultCampaign } from '../../src/campaigns/default-campaign.ts'
import { openEmbedder } from '../../src/knowledge/search/embedder.ts'
import { createList } from '../../src/lists/create.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { acrossAccounts, type Db, openDb, openWorkDb } from '../../src/platform/database/db.ts'
import { openPools, type Pools } from '../../src/platform/database/pools.ts'
import { readPair, type TlsPair } from '../../src/platform/https-server/certificate-files.ts'
import { type AccountId, type ListId, newId, type UserId } from '../../src/platform/ids.ts'
import { type Instruments, openInstruments } from '../../src/platform/metrics/instruments.ts'
import { openOutbound } from '../../src/platform/outbound/client.ts'
import { openHints } from '../../src/work/hints.ts'
import { openListener } from '../../src/work/listen.ts'
import { notifyingDispatcher, startWorker } from '../../src/worker.ts'
import { makeDatabase, type TestDatabase } from './databases.ts'
import { type Client, openClient } from './https-client.ts'
import { listenAgain } from './listen-again.ts'
import { assertNoSecrets } from './no-secrets.ts'
import { readRoutes } from './routes.ts'

/** The folder has the certificate below. */
const served = {
  ...{ HOST: '127.0.0.1', PORT: '0', ROLE: 'api', SERVE_APP: '0' },
  DATA_DIR: process.env.PATCHBAY_TEST_DATA,
}

let testPair: Promise<TlsPair> | undefined

/** Made once for all test files: loading what makes one takes 100 ms of processor time. */
function readTestPair(): Promise<TlsPair> {
  const folder = join(process.env.PATCHBAY_TEST_DATA ?? '', 'tls')
  testPair ??= readPair({ cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') })
  return testPair
}

export type Answer = {
  status: number
  headers: Record<string, string | string[] | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects, which no type could do as well
  body: any
}

/** The API over HTTPS, on its own port and its own database. */
export type TestApp = {
  /** For a test to look at the rows of all accounts: the server itself has the check that a query names its account. */
  db: Db
  pools: Pools
  /** What it counts. */
  instruments: Instruments
  database: TestDatabase
  url: string
  server: Server
  /** Every route that it serves, as `GET /v1/contacts`. */
  routes: string[]
  certificate: string
  /** Every line logged so far, as text. */
  log: string[]
  /** A path of the public API without its version, or one that begins with `/api/`. */
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  makeAccount: (options?: { kind?: 'standard' | 'agency' }) => Promise<TestAccount>
  [Symbol.asyncDispose]: () => Promise<void>
}

type CallOptions = {
  key?: string
  headers?: Record<string, string | string[]>
  body?: unknown
  raw?: string | Buffer
}

export type TestAccount = {
  accountId: AccountId
  userId: UserId
  apiKey: string
  email: string
  listId: ListId
  get: (path: string) => Promise<Answer>
  post: (path: string, body: unknown) => Promise<Answer>
}

/** The same for all servers of a test, so that one can open what another has sealed. */
export const secretKey = Buffer.alloc(32, 'secret')

/**
 * With a given database it is a second server beside the first. Background work runs only with ROLE set to `all` or
 * `worker`, and the web app is served only with SERVE_APP set to 1. `changeDb`: the routes use what it returns.
 */
export async function startApp(
  environment: Record<string, string> = {},
  given?: TestDatabase,
  outboundOptions: Partial<Parameters<typeof openOutbound>[0]> = {},
  changeDb: (db: Db) => Db = (db) => db,
): Promise<TestApp> {
  await using started = new AsyncDisposableStack()
  const pair = await readTestPair()
  const database = given ?? started.use(await makeDatabase())
  const lines: string[] = []
  const output = new Writable({ write: (line, _, done) => done(void lines.push(String(line))) })
  const log = pino({ level: 'trace', base: null }, output)
  const db = openDb(database.address, log)
  started.defer(() => db.destroy())
  // After every test that delivers: no signing secret may be stored or logged in clear text.
  if (environment.ROLE !== undefined) started.defer(() => assertNoSecrets(acrossAccounts(db), lines))
  const pools = openPools(database.address, log)
  started.defer(pools.end)
  const config = readConfig({ ...served, ...environment })
  const listener = openListener(database.address, log)
  started.defer(listener.stop)
  const { hint, close } = openHints(listener, log)
  started.defer(close)
  let dispatcher = notifyingDispatcher(db, log)
  const outbound = openOutbound({ allowed: config.outboundAllowed, ...outboundOptions })
  started.defer(outbound.close)
  const instruments = openInstruments()
  const embedder = openEmbedder(log)
  started.defer(embedder.close)
  if (config.role !== 'api') {
    const workDb = openWorkDb(database.address, log)
    started.defer(() => workDb.destroy())
    const worker = startWorker({
      db: workDb,
      pool: pools.batch,
      address: database.address,
      log,
      config,
      outbound,
      secretKey,
      listener,
      hint,
      instruments,
      embedder,
    })
    started.defer(worker.stop)
    dispatcher = worker.dispatcher
  }
  const files = config.servesApp ? await openAppFiles(log, () => {}) : undefined
  const shared = { pools, pair, dispatcher, outbound, secretKey, listener, hint, instruments, embedder, files }
  const app = await openApp(config, log, { db: changeDb(db), ...shared })
  started.defer(() => app.close())
  await (config.servesApp ? listenAgain(app) : app.listen({ host: '127.0.0.1', port: 0 }))
  const client = openClient({ certificate: pair.cert })
  started.defer(client.close)

  const { port } = app.server.address() as AddressInfo // it listens on a port, never on a pipe
  const url = `https://localhost:${port}`
  const call: TestApp['call'] = (method, path, options = {}) => callApi(client, url, { method, path, ...options })
  let accounts = 0
  const running = started.move()
  return {
    db: acrossAccounts(db),
    pools,
    instruments,
    database,
    url,
    server: app.server,
    routes: readRoutes(app.printRoutes({ commonPrefix: false })),
    certificate: pair.cert,
    log: lines,
    call,
    makeAccount: async ({ kind = 'standard' } = {}) => {
      accounts += 1
      const account = await insertTestAccount(db, kind, `owner${accounts}@example.com`)
      return {
        ...account,
        listId: await createList(db, account.accountId, 'Customers'),
        get: (path) => call('GET', path, { key: account.apiKey }),
        post: (path, body) => call('POST', path, { key: account.apiKey, body }),
      }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** What createAccount does, without the password hash, which would take a tenth of the time of all tests. */
async function insertTestAccount(db: Db, kind: 'standard' | 'agency', email: string) {
  const [accountId, userId, apiKey] = [newId('acc'), newId('usr'), newApiKey()]
  await db.transaction().execute(async (tx) => {
    await insertAccount(tx, { id: accountId, kind, agencyId: null })
    await insertOwner(tx, { id: userId, accountId, email, passwordHash: 'none' })
    await replaceKey(tx, accountId, hashApiKey(apiKey))
    await makeDefaultCampaign(tx, accountId)
  })
  return { accountId, userId, email, apiKey }
}

type Call = CallOptions & { method: string; path: string }

async function callApi(client: Client, url: string, { method, path, key, headers, body, raw }: Call): Promise<Answer> {
  const address = new URL(path.startsWith('/api/') ? `${url}${path}` : `${url}/v1${path}`)
  if (key !== undefined) address.searchParams.set('apiKey', key)
  const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const type = payload === undefined ? {} : { 'content-type': 'application/json' }
  const answer = await client.send(address, { method, headers: { ...type, ...headers }, body: payload })
  const { status, headers: answered, text } = answer
  return { status, headers: answered, body: readBody(text, answered) }
}

/** Of a file in text form, the text; of any other, nothing. */
function readBody(text: string, headers: Answer['headers']): unknown {
  if (text === '') return undefined
  if (headers['content-disposition'] === undefined) return JSON.parse(text)
  return String(headers['content-type']).startsWith('text/csv') ? text : undefined
}
