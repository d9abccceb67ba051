import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Query } from '../../../server/test/helpers/global-rules.ts'
import { freePort } from '../../common/free-port.ts'
import { findPostmaster } from '../../common/server-process.ts'
import { makeTemporaryFolder } from '../../common/temporary-folder.ts'
import { type Product, startProduct } from '../product.ts'
import { openTenants, type Tenant } from '../tenants.ts'

/** Retry delays of deliveries: short, so that the run ends. */
const retrySeconds = '1,1,1,2,2,2,3,3,3,3,3,3,3,3,3,3,3,3,3,3'

/** A product that is killed and started again, on the same port and the same data. */
export type World = { product: Product; restart: () => Promise<void>; query: Query }

export async function startWorld(
  server: string,
  started: AsyncDisposableStack,
  { more = {}, logFile }: { more?: Record<string, string>; logFile?: string | undefined } = {},
): Promise<World> {
  const dataDir = await makeTemporaryFolder('patchbay-soak-', started)
  const environment = { PORT: String(await freePort()), DELIVERY_RETRY_SECONDS: retrySeconds, ...more }
  const start = () => startProduct({ server, dataDir, environment, logFile })
  let product = await start()
  started.defer(() => product[Symbol.asyncDispose]())
  return {
    get product() {
      return product
    },
    restart: async () => {
      await product.kill()
      product = await start()
    },
    query: (text, values) => queryOf(product)(text, values),
  }
}

/** Each query on a connection of its own: the database is killed again and again. */
export function queryOf({ database }: Product): Query {
  return async (text, values) => {
    const client = new Client(database)
    client.on('error', () => {})
    await client.connect()
    return client.query(text, values).finally(() => client.end())
  }
}

/** One whose bot answers every message at once. */
export async function makeTenant(product: Product, receiver: string): Promise<Tenant> {
  await using tenants = openTenants(product)
  const campaign = { quietSeconds: 0, greetingText: 'Hi there.', maxRepliesPerConversationPerDay: 10_000 }
  return await tenants.make({ receiver, campaign })
}

export async function killDatabase({ product }: World): Promise<void> {
  const postmaster = findPostmaster(join(product.dataDir, 'postgres'))
  try {
    if (postmaster !== undefined) process.kill(postmaster, 'SIGKILL')
  } catch {} // it was killed before and has not been started again yet
}

/** How long it takes until the database answers again. */
export async function databaseBackMs({ query }: World): Promise<number> {
  const beganAt = performance.now()
  while (performance.now() < beganAt + 120_000) {
    const isBack = await query('select 1').then(
      () => true,
      () => false,
    )
    if (isBack) return performance.now() - beganAt
    await sleep(200)
  }
  throw new Error('the database was killed and is not back after two minutes')
}

export async function endConnections({ query }: World): Promise<void> {
  const ours = 'from pg_stat_activity where pid <> pg_backend_pid() and usename = current_user'
  await query(`select pg_terminate_backend(pid) ${ours}`).catch(() => {}) // the database may be restarting
}

/** Until nothing is pending: no turn, no delivery. */
export async function untilSettled(query: Query, { accountId }: Tenant): Promise<boolean> {
  const giveUpAt = performance.now() + 120_000
  while (performance.now() < giveUpAt) {
    const { rows } = await query(
      `select (select count(*) from turns where account_id = $1) +
        (select count(*) from deliveries where account_id = $1 and due_at is not null) as pending`,
      [accountId],
    ).catch(() => ({ rows: [{ pending: 'unknown' }] }))
    if (Number(rows[0]?.pending) === 0) return true
    await sleep(1_000)
  }
  return false
}
