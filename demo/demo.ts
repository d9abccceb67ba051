import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { Client as Database } from 'pg'
import type { DatabaseAddress } from '../server/src/platform/database/db.ts'
import { embeddedPostgres } from '../server/src/platform/embedded-postgres/embedded-postgres.ts'
import { lockPath } from '../server/src/platform/embedded-postgres/start.ts'
import { tryFileLock } from '../server/src/platform/file-lock.ts'
import { age } from './age.ts'
import { agency, fillAgency } from './agency.ts'
import { fillAlerts } from './alerts.ts'
import { fillBroadcasts } from './broadcasts.ts'
import { business, knowledge } from './business.ts'
import { type Client, openClient } from './client.ts'
import { fill } from './fill.ts'
import { fillPastReports } from './past-reports.ts'
import { startReceiver } from './receiver.ts'
import { type Shop, startShop } from './shop.ts'
import { fillTelegram } from './telegram.ts'
import { fillWebsiteChat } from './website-chat.ts'

const root = resolve(import.meta.dirname, '..')
const cli = join(root, 'server/cli.ts')

export type Demo = {
  url: string
  receiverUrl: string
  /** A page with the chat on it. */
  shopUrl: string
  makeAccount: (email: string, password: string) => Promise<unknown>
  stop: () => Promise<void>
  ended: Promise<unknown>
}

/**
 * Starts a server with a believable business in a data folder of its own: filled at the first time, and as it was left
 * afterwards. A folder with other data is refused.
 */
export async function startDemo(folder: string, port: number): Promise<Demo> {
  const marker = join(folder, 'demo.txt')
  const begun = join(folder, 'demo-unfinished.txt')
  await refuseIfRunning(folder, begun)
  const isFilled = existsSync(marker)
  if (!isFilled && existsSync(begun)) await rm(folder, { recursive: true }) // it was ended while it was filled
  if (!isFilled && existsSync(folder) && (await readdir(folder)).length > 0) {
    throw new Error(`${folder} has other data; give another folder, or remove it.`)
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (!isFilled) {
    await tryFileLock(begun) // until this process ends
    await writeFile(begun, 'The data of `npm run demo`, which has not filled it yet.\n')
  }
  const [receiver, shop] = [await startReceiver(), await startShop()]
  const { owner } = business
  const env = environmentOf(folder, port)
  const args = ['--import', join(import.meta.dirname, 'end-with-parent.ts'), cli, 'start', '--json']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const ended = once(child, 'exit').then(() => {
    receiver.close()
    shop.close()
  })
  const facts = await readFacts(child.stdout as Readable, ended) // it is a pipe
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [cli, ...args], { env })
  await run('webhook', 'set', '--account', owner.email, '--url', receiver.url)
  await run('webhook', 'set', '--account', owner.email, '--kind', 'alert', '--url', `${receiver.url}/alerts`)
  const makeAccount = (email: string, password: string) =>
    run('account', 'create', '--email', email, '--password', password)
  const demo = { url: facts.url, receiverUrl: receiver.url, shopUrl: shop.url, makeAccount, stop, ended }
  const showChat = () => withDatabase(folder, (database) => shop.showChat(database, facts.url))
  if (isFilled) {
    await showChat()
    return demo
  }
  try {
    await teach(run, folder)
    const client = await openClient(facts.url, facts.certificateFile, owner)
    await client.app('PATCH', '/api/account', { name: business.name, userName: owner.name })
    await fill(client)
    const { email, password } = agency.owner
    await run('account', 'create', '--agency', '--email', email, '--password', password)
    await fillAgency(await openClient(facts.url, facts.certificateFile, agency.owner))
    await ageData(folder, client, shop)
    await showChat()
    await run('ledger', 'check')
    await writeFile(marker, 'The data of `npm run demo`. Remove the folder to begin anew.\n')
    await rm(begun)
    return demo
  } catch (error) {
    await stop()
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function environmentOf(folder: string, port: number): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    DATA_DIR: folder,
    PORT: String(port),
    RATE_LIMIT_PER_MINUTE: '0',
    OWNER_EMAIL: business.owner.email,
    OWNER_PASSWORD: business.owner.password,
    OWNER_API_KEY: business.apiKey,
    LOG_LEVEL: 'error',
  }
}

/** What another demo fills or serves must not be removed, nor served twice. */
async function refuseIfRunning(folder: string, begun: string): Promise<void> {
  for (const file of [begun, lockPath(join(folder, 'postgres'))].filter(existsSync)) {
    using lock = await tryFileLock(file)
    if (!lock)
      throw new Error(`Another demo, or its database, runs in ${folder}; end it first, or give another folder.`)
  }
}

type Facts = { url: string; certificateFile: string }

async function readFacts(output: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<Facts> {
  let printed = ''
  const read = (async () => {
    for await (const data of output) {
      printed += data
      if (printed.trimEnd().endsWith('}')) return JSON.parse(printed) as Facts
    }
    throw new Error(`the server did not start: ${printed}`)
  })()
  const failed = ended.then(() => Promise.reject(new Error(`the server ended: ${printed}`)))
  return Promise.race([read, failed])
}

async function teach(run: (...args: string[]) => Promise<{ stdout: string }>, folder: string): Promise<void> {
  const { email } = business.owner
  const shown = JSON.parse((await run('campaign', 'show', '--account', email, '--json')).stdout)
  const file = join(folder, 'knowledge.json')
  await writeFile(file, JSON.stringify(knowledge))
  await run('knowledge', 'import', '--campaign', shown.campaigns[0].campaignId, '--file', file)
  await rm(file)
}

async function ageData(folder: string, client: Client, shop: Shop): Promise<void> {
  await withDatabase(folder, async (database, address) => {
    await age(database)
    await fillTelegram({ client, database, address })
    await fillWebsiteChat({ client, database, shop })
    await fillPastReports(database)
    await fillAlerts(database)
    await fillBroadcasts(database)
  })
}

async function withDatabase(
  folder: string,
  work: (database: Database, address: DatabaseAddress) => Promise<void>,
): Promise<void> {
  const { connection } = embeddedPostgres(join(folder, 'postgres'))
  const database = new Database(connection)
  await database.connect()
  await work(database, connection)
  await database.end()
}
