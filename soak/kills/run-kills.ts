import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { breachesOf, type Query } from '../../server/test/helpers/global-rules.ts'
import type { Options } from '../options.ts'
import { ownerKey, type Product, postmasterIn, startProduct } from '../product.ts'
import { ledgerBreaches } from '../product-commands.ts'
import { openRandom } from '../random.ts'
import type { AttackResult } from '../run-attack.ts'
import { freePort } from '../tcp-database.ts'
import { openTenants, type Tenant } from '../tenants.ts'
import { openPersistentClient } from './client.ts'
import { openFlappingReceiver } from './receiver.ts'

const perSecond = 100
/** Retry delays of deliveries: short, so that the run ends. */
const retrySeconds = '1,1,1,2,2,2,3,3,3,3,3,3,3,3,3,3,3,3,3,3'

type World = { product: Product; restart: () => Promise<void>; query: Query }

/**
 * F01 and K01: server, database and connections are killed at random, again and again, under load, with a bot that
 * answers and a receiver that fails now and then. The client retries what was not acknowledged.
 */
export async function runKills(
  { server, seed, minutes }: Options,
  started: AsyncDisposableStack,
): Promise<AttackResult> {
  const random = openRandom(seed)
  const receiver = started.use(await openFlappingReceiver(random))
  const world = await startWorld(server, started)
  const tenant = await makeTenant(world.product, receiver.url)
  const client = openPersistentClient({ port: world.product.port, apiKey: tenant.apiKey, perSecond })
  const faults = { server: 0, database: 0, connections: 0 }
  const endAt = performance.now() + minutes * 60_000
  while (performance.now() < endAt) {
    await sleep(3_000 + random() * 7_000)
    await injectFault(world, faults, random())
  }
  const asked = await client.finish()
  const hasSettled = await untilSettled(world.query, tenant)
  const breaches = await breachesOf(world.query, {
    accountId: tenant.accountId,
    asked,
    arrived: receiver.arrived,
    kills: faults.server + faults.database,
    isAnswered: true,
    isDelivered: true,
    secrets: [tenant.apiKey, ownerKey],
    logs: [world.product.log()],
  })
  const broken = [
    ...(hasSettled ? [] : ['N1: turns or deliveries are still pending after two minutes']),
    ...breaches.slice(0, 10),
    ...(await ledgerBreaches(world.product)),
  ]
  const named = { name: 'kills', title: titleOfKills, seconds: minutes * 60 }
  const statuses = Object.fromEntries(
    Map.groupBy(asked, ({ status }) => status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  )
  const none = {
    memoryMiB: { idle: 0, peak: 0, after: 0 },
    stallMs: 0,
    failures: {},
    clientLateMs: 0,
    worstMsBySecond: [],
  }
  const attack = { ...faults, events: receiver.arrived.length }
  return { ...named, ...none, attack, latency: { requests: client.latency() }, statuses, broken }
}

export const titleOfKills = 'server, database and connections are killed at random'

async function startWorld(server: string, started: AsyncDisposableStack): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), 'patchbay-soak-'))
  started.defer(() => rm(dataDir, { recursive: true, force: true }))
  const environment = { PORT: String(await freePort()), DELIVERY_RETRY_SECONDS: retrySeconds }
  const start = () => startProduct({ server, dataDir, environment })
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
    query: async (text, values) => {
      const client = new Client(product.database)
      client.on('error', () => {})
      await client.connect()
      return client.query(text, values).finally(() => client.end())
    },
  }
}

async function makeTenant(product: Product, receiver: string): Promise<Tenant> {
  await using tenants = await openTenants(product)
  const campaign = { quietSeconds: 0, greetingText: 'Hi there.', maxRepliesPerConversationPerDay: 10_000 }
  return await tenants.make({ receiver, campaign })
}

type Faults = { server: number; database: number; connections: number }

async function injectFault(world: World, faults: Faults, chance: number): Promise<void> {
  if (chance < 0.4) {
    faults.server += 1
    return world.restart()
  }
  if (chance < 0.7) {
    faults.database += 1
    const lockFile = await readFile(join(world.product.dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => '')
    if (lockFile !== '') process.kill(postmasterIn(lockFile), 'SIGKILL')
    return
  }
  faults.connections += 1
  const ours = 'from pg_stat_activity where pid <> pg_backend_pid() and usename = current_user'
  await world.query(`select pg_terminate_backend(pid) ${ours}`).catch(() => {}) // the database may be restarting
}

/** Until nothing is pending: no turn, no delivery. */
async function untilSettled(query: Query, { accountId }: Tenant): Promise<boolean> {
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
