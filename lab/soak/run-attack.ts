import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { readMemory, resetPeakMemory } from '../bench/measure.ts'
import type { Counts } from './attacks/attack.ts'
import { openBrowser } from './browser.ts'
import { type Child, startChild } from './child.ts'
import { connectChat } from './connect-chat.ts'
import { limitMemory } from './memory-limit.ts'
import type { ClientReady } from './normal-client/client.ts'
import type { ClientLog, Kind } from './normal-client/log.ts'
import { attackMinutes, type Options } from './options.ts'
import { type Product, startProduct } from './product.ts'
import { ledgerBreaches } from './product-commands.ts'
import type { ProxyOrder } from './proxy-process.ts'
import type { Scenario } from './scenarios.ts'
import { startTcpDatabase } from './tcp-database.ts'
import { openTenants, type Tenant } from './tenants.ts'
import { checkRules, type Memory, type NormalTenants, type Verdict } from './verdict.ts'

export type AttackResult = Verdict & {
  name: string
  title: string
  seconds: number
  attack: Counts
  memoryMiB: Memory
  stallMs: number
}

const warmUpMs = 5_000
/** While the normal client opens its connections its requests are not timed; all other rules apply to them. */
const untimedMs = 3_000
const settleMs = 30_000

/** Runs one attack on a new product with a normal tenant beside it, and checks the rules for that tenant. */
export async function runAttack(
  scenario: Scenario,
  options: Options,
  started: AsyncDisposableStack,
): Promise<AttackResult> {
  const { product, proxy } = await startTarget(scenario, options, started)
  const { seed } = options
  const client = { port: product.port, certificate: product.certificate, seed }
  const normal = started.use(startChild<ClientReady, ClientLog>('normal-client/process.ts', client))
  const { receiverPort } = await normal.ready
  const tenants = await makeTenants(product, receiverPort, scenario)
  const attack = scenario.name === 'calm' || proxy ? undefined : started.use(startAttack(scenario, product, seed))
  await attack?.ready

  const streams = Object.entries(scenario.rates).map(([kind, perSecond]) => ({
    kind: kind as Kind,
    perSecond,
    apiKey: keyFor(kind as Kind, tenants),
  }))
  const seconds = (options.minutes ?? attackMinutes) * 60
  await warmUp(product, { client, streams }, started)
  const idle = readMemory(product.pid).now
  resetPeakMemory(product.pid)
  await product.readStallMs()
  normal.go({ streams, label: 'normal' })
  await sleep(untimedMs)
  attack?.go()
  proxy?.go()
  await Promise.race([sleep(seconds * 1_000), dies(product)])
  const counts = (await attack?.stop()) ?? (await proxy?.stop()) ?? {}
  const stallMs = product.isAlive() ? await product.readStallMs() : Number.POSITIVE_INFINITY
  const log = await normal.stop()
  const { peak } = readMemory(product.pid)
  await sleep(settleMs)
  const memoryMiB = inMiB({ idle, peak, after: readMemory(product.pid).now })
  const observed = {
    log,
    untimedMs,
    attack: counts,
    memoryMiB,
    stallMs,
    isAlive: product.isAlive(),
    serverLog: product.log(),
  }
  const database = new Client(product.database)
  await database.connect()
  started.defer(() => database.end())
  const ledger = await ledgerBreaches(product)
  const verdict = await checkRules({
    scenario,
    tenants,
    observed,
    ledger,
    query: (text, values) => database.query(text, values),
  })
  return { name: scenario.name, title: scenario.title, seconds, attack: counts, memoryMiB, stallMs, ...verdict }
}

type Target = { product: Product; proxy: Child<{ url: string }, Counts> | undefined }

async function startTarget(scenario: Scenario, options: Options, started: AsyncDisposableStack): Promise<Target> {
  const { server, logFolder } = options
  const logFile = logFolder && `${logFolder}/${scenario.name}.log`
  if (!scenario.hasSlowDatabase && scenario.memoryLimitMiB === undefined) {
    const environment = scenario.environment ?? {}
    return { product: started.use(await startProduct({ server, logFile, environment })), proxy: undefined }
  }
  const database = started.use(await startTcpDatabase())
  const proxy = scenario.hasSlowDatabase ? started.use(startProxy(database.url, options)) : undefined
  const environment = {
    DATABASE_URL: (await proxy?.ready)?.url ?? database.url,
    SECRET_KEY: 'the key of the soak run',
    OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32',
  }
  const limit = scenario.memoryLimitMiB ? started.use(await limitMemory(scenario.memoryLimitMiB)) : undefined
  const given = { server, logFile, environment, database: { connectionString: database.url } }
  return { product: started.use(await startProduct({ ...given, wrapper: limit?.wrapper ?? [] })), proxy }
}

function startProxy(url: string, { seed }: Options): Child<{ url: string }, Counts> {
  return startChild('proxy-process.ts', { url, delayMs: 150, resetShare: 0.01, seed } satisfies ProxyOrder)
}

function startAttack({ name }: Scenario, product: Product, seed: number): Child<null, Counts> {
  const { port, database, server, environment } = product
  return startChild('attacks/process.ts', { name, port, database, server, environment, seed })
}

/** One that makes the load, and one whose bot answers, both with a healthy receiver. */
async function makeTenants(product: Product, port: number, { hasBot, rates }: Scenario): Promise<NormalTenants> {
  await using tenants = openTenants(product)
  const receiver = `http://127.0.0.1:${port}/`
  const normal = await tenants.make({ receiver })
  const campaign = { quietSeconds: 0, greetingText: 'Hi, how can we help?' }
  const withBot = hasBot ? await tenants.make({ receiver, campaign }) : normal
  return { normal, withBot, chat: rates.chat ? await makeChat(product, await tenants.make()) : '' }
}

async function makeChat({ port }: Product, { session }: Tenant): Promise<string> {
  using browser = openBrowser(port, session)
  return await connectChat(browser)
}

/** With what a request of this kind says whose it is. */
function keyFor(kind: Kind, { normal, withBot, chat }: NormalTenants): string {
  if (kind === 'app') return normal.session
  if (kind === 'chat') return chat
  return (kind === 'hello' ? withBot : normal).apiKey
}

type WarmUp = { client: unknown; streams: unknown }

/** The same load before the attack: memory that the process needs anyway is not counted against the attack. */
async function warmUp(product: Product, { client, streams }: WarmUp, started: AsyncDisposableStack): Promise<void> {
  const warming = started.use(startChild<ClientReady, ClientLog>('normal-client/process.ts', client))
  await warming.ready
  warming.go({ streams, label: 'warm-up' })
  await Promise.race([sleep(warmUpMs), dies(product)])
  await warming.stop()
}

async function dies(product: Product): Promise<void> {
  while (product.isAlive()) await sleep(200, undefined, { ref: false })
}

function inMiB(memory: Memory): Memory {
  const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20)
  return { idle: mebibytes(memory.idle), peak: mebibytes(memory.peak), after: mebibytes(memory.after) }
}
