import type { Server } from 'node:https'
import { makeDefaultCampaign } from '../../src/answers/campaigns/settings.ts'
import { hashApiKey, newApiKey } from '../../src/business/accounts/api-key.ts'
import { insertAccount, insertOwner, replaceKey } from '../../src/business/accounts/store.ts'
import { createList } from '../../src/people/lists/change.ts'
import { acrossAccounts, type Db } from '../../src/platform/database/db.ts'
import type { Pools } from '../../src/platform/database/pools.ts'
import { type AccountId, type ListId, newId, type UserId } from '../../src/platform/ids.ts'
import type { Instruments } from '../../src/platform/metrics/instruments.ts'
import { type Borrowed, borrowApp } from './borrowed-app.ts'
import type { TestDatabase } from './databases.ts'
import { type Client, openClient } from './https-client.ts'
import { readRoutes } from './routes.ts'
import { type Environment, openRunningApp, type Special, sealingKey } from './running-app.ts'

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
  readonly routes: string[]
  certificate: string
  /** Every line logged so far, as text. */
  log: string[]
  /** A path of the public API without its version, or one that begins with `/api/`. */
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>
  /** From now on no time passes for those who have to wait before they sign in. */
  stopSignInClock: () => void
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
export const secretKey = sealingKey

/**
 * With a given database it is a second server beside the first. Background work runs only with ROLE set to `all` or
 * `worker`, and the web app is served only with SERVE_APP set to 1. `changeDb`: the routes use what it returns.
 */
export async function startApp(
  environment: Environment = {},
  database?: TestDatabase,
  outbound: Special['outbound'] = {},
  changeDb: Special['changeDb'] = (db) => db,
): Promise<TestApp> {
  const running = await openRunningApp(environment, { database, outbound, changeDb })
  return forTest({ running, giveBack: () => running[Symbol.asyncDispose]() })
}

/**
 * The same with an empty database, for a third of the processor time: the server has served tests before, of which nothing
 * is left in the database, the log or the throttle. Not for a test of what a server counts or keeps in memory, of plans,
 * or of its end.
 */
export async function sharedApp(environment: Environment = {}): Promise<TestApp> {
  return forTest(await borrowApp(environment))
}

/** A shared one, unless it runs beside another one on the same database or has a timeout of its own for what it requests. */
export function sharedUnless(environment: Environment, besides?: TestApp, attemptMs?: number): Promise<TestApp> {
  if (besides === undefined && attemptMs === undefined) return sharedApp(environment)
  return startApp(environment, besides?.database, attemptMs === undefined ? {} : { limits: { attemptMs } })
}

function forTest({ running, giveBack }: Borrowed): TestApp {
  const { app, db, pools, instruments, database, certificate, url } = running
  const log = running.begin()
  const client = openClient({ certificate })
  const call: TestApp['call'] = (method, path, options = {}) => callApi(client, url, { method, path, ...options })
  let accounts = 0
  return {
    db: acrossAccounts(db),
    pools,
    instruments,
    database,
    url,
    server: app.server,
    get routes() {
      return readRoutes(app.printRoutes({ commonPrefix: false }))
    },
    certificate,
    log,
    call,
    stopSignInClock: running.stopSignInClock,
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
    [Symbol.asyncDispose]: async () => {
      client.close()
      await giveBack()
    },
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
  const bytes = Buffer.isBuffer(body) ? body : undefined
  const payload = raw ?? bytes ?? (body === undefined ? undefined : JSON.stringify(body))
  const type = payload === undefined ? {} : { 'content-type': `application/${bytes ? 'octet-stream' : 'json'}` }
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
