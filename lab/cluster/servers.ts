import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { addressOf } from '../../server/src/platform/database/address.ts'
import type { Query } from '../../server/test/helpers/global-rules.ts'
import { freePort } from '../common/free-port.ts'
import { type Product, startProduct } from '../soak/product.ts'

/** A `patchbay start` that can be killed and started again, at the same port. */
export type Server = {
  name: string
  port: number
  role: string
  product: Product
  kill: () => Promise<void>
  /** Stops it as a service manager does, with SIGTERM. */
  stop: () => Promise<void>
  start: () => Promise<void>
}

type Order = {
  roles: string[]
  url: string
  folder: string
  logFolder: string
  environment?: Record<string, string>
}

/** Delays before retries of deliveries: short, so that the run ends. */
const retrySeconds = '1,1,1,2,2,2,3,3,3,3,3,3,3,3,3,3,3,3,3,3'
const checkout = resolve(import.meta.dirname, '../..')

export async function startServers(order: Order, started: AsyncDisposableStack): Promise<Server[]> {
  const servers = await Promise.all(order.roles.map((role, n) => describe(order, `s${n + 1}`, role)))
  for (const [n, server] of servers.entries()) {
    started.defer(() => server.stop())
    if (n === 0) await server.start() // it migrates
  }
  await Promise.all(servers.slice(1).map((server) => server.start()))
  return servers
}

async function describe({ url, folder, logFolder, environment }: Order, name: string, role: string): Promise<Server> {
  const port = await freePort()
  const dataDir = join(folder, name)
  await mkdir(dataDir)
  const own = {
    PORT: String(port),
    ROLE: role,
    DATABASE_URL: url,
    SECRET_KEY: 'the same on every server',
    SERVE_APP: '0',
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32',
    DELIVERY_RETRY_SECONDS: retrySeconds,
    DRAIN_SECONDS: '0',
    ...environment,
  }
  let product: Product | undefined
  const running = () => product ?? fail(`${name} was not started`)
  return {
    name,
    port,
    role,
    get product() {
      return running()
    },
    kill: () => running().kill(),
    stop: async () => product?.[Symbol.asyncDispose](),
    start: async () => {
      const logFile = join(logFolder, `${name}.log`)
      product = await startProduct({ server: checkout, dataDir, logFile, environment: own, database: addressOf(url) })
    },
  }
}

function fail(reason: string): never {
  throw new Error(reason)
}

/** For our own queries, wherever the primary is. */
export function openQuery(url: string): Query {
  const { Client, ...address } = addressOf(url)
  return async (text, values) => {
    if (!Client) throw new Error('an address has a client')
    const client = new Client(address)
    client.on('error', () => {})
    await client.connect()
    return await client.query(text, values).finally(() => client.end())
  }
}

/** Waits for as long as this random number between 0 and 1 says, within these seconds. */
export function pauseBetween(least: number, most: number, random: number): Promise<void> {
  return sleep((least + random * (most - least)) * 1_000)
}
