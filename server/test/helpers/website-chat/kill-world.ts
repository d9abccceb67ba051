import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { browserAddress } from '../../../src/app/website-chat/who/bearer.ts'
import { acrossAccounts, type Db, openDb } from '../../../src/platform/database/db.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import { freePort } from '../free-port.ts'
import { openClient } from '../https-client.ts'
import { startKillableDatabase } from '../killable-database.ts'
import { openOwnerCalls } from '../owner-calls.ts'
import type { Victim } from '../providers/kill-world.ts'
import { makeDataFolder, type ServerProcess, startProcess } from '../server-process.ts'
import { until } from '../until.ts'
import { page } from './chat-world.ts'
import { type Door, type DoorVisitor, openVisitor } from './door.ts'
import { type Onlooker, watch } from './onlooker.ts'

/** Somebody with a panel open, and the contact that they are. */
export type Guest = DoorVisitor & { contactId: ContactId; panel: Onlooker }

/** Two processes on one database, each of which serves the chat, and people who write there. */
export type ChatKillWorld = AsyncDisposable & {
  db: Db
  guests: Guest[]
  /** Sends a reply, again and again until it is acknowledged. */
  reply: (contactId: string, body: string) => Promise<void>
  /** Returns when what was killed is there again. */
  kill: (victim: Victim) => Promise<void>
  processes: () => ServerProcess[]
}

export async function startChatKillWorld({ people }: { people: number }): Promise<ChatKillWorld> {
  await using starting = new AsyncDisposableStack()
  const database = await startKillableDatabase(starting)
  const shared = {
    ...{ DATABASE_URL: database.url, SECRET_KEY: 'the same in each process', LOG_LEVEL: 'warn' },
    // So that each guest has an address of their own.
    ...{ TRUST_PROXY: '127.0.0.1/32' },
  }
  const running: ServerProcess[] = []
  starting.defer(async () => void (await Promise.all(running.map((one) => one[Symbol.asyncDispose]()))))
  const folders = [
    starting.use(await makeDataFolder({ cluster: false })),
    starting.use(await makeDataFolder({ cluster: false })),
  ]
  const ports = [await freePort(), await freePort()]
  const start = async (which: number) => {
    const environment = { DATA_DIR: folders[which]?.path ?? '', PORT: String(ports[which]), ROLE: 'all' }
    running[which] = await startProcess({ ...shared, ...environment })
  }
  await start(0)
  await start(1)
  const db = acrossAccounts(openDb(database.address, pino({ enabled: false }), 4))
  starting.defer(() => db.destroy())
  const client = openClient({ connections: 128 })
  starting.defer(async () => client.close())
  const certificates = await Promise.all(running.map(({ facts }) => readFile(facts.certificateFile ?? '', 'utf8')))
  const server = () => {
    const which = Math.random() < 0.5 ? 0 : 1
    return { url: `https://localhost:${ports[which]}`, certificate: certificates[which] ?? '' }
  }
  const call = await openOwnerCalls(db, client, () => server().url)
  const connected = await call('POST', '/api/channels', {
    kind: 'webchat',
    settings: { pages: ['shop.example', 'localhost'] },
  })
  assert.equal(connected.status, 200, connected.text)
  await db.updateTable('accounts').set({ botActive: false }).execute()
  const door = { client, server, channelId: connected.body.id, origin: page }
  const guests = await meetGuests(db, door, people)
  for (const { panel } of guests) starting.use(panel)

  let [replies, kills] = [0, 0]
  const started = starting.move()
  return {
    ...{ db, guests },
    reply: async (contactId, body) => {
      replies += 1
      const given = { body, clientId: `client-id-of-reply-${replies}` }
      const post = () => call('POST', `/api/conversations/${contactId}/replies`, given).catch(() => undefined)
      while ((await post())?.status !== 200) await sleep(50)
    },
    kill: async (victim) => {
      const which = kills % 2 // the other one than before, to which streams have gone
      if (victim !== 'database') kills += 1
      const process = running[which]
      if (victim !== 'database') process?.child.kill('SIGKILL')
      if (victim !== 'server') database.kill()
      if (victim !== 'server') await database.start()
      if (victim !== 'database') {
        await process?.exited
        await start(which)
      }
      const isBack = async (one: ServerProcess) => (await one.get('/readyz').catch(() => 0)) === 200
      await until(async () => (await Promise.all(running.map(isBack))).every(Boolean), 'they did not come back')
    },
    processes: () => running,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** Each writes for the first time, and leaves the panel open. */
async function meetGuests(db: Db, door: Door, people: number): Promise<Guest[]> {
  const visitors = Array.from({ length: people }, (_, n) => openVisitor(door, `198.51.${n}.7`))
  for (const visitor of visitors) {
    const { status, body } = await visitor.write('0')
    assert.equal(status, 201, JSON.stringify(body))
  }
  const rows = await db.selectFrom('contactAddresses').select(['address', 'contactId']).execute()
  const contactOf = new Map(rows.map(({ address, contactId }) => [address, contactId]))
  return visitors.map((visitor) => ({
    ...visitor,
    contactId: contactOf.get(browserAddress(door.channelId, visitor.key).address) ?? 'con_',
    panel: watch(door, visitor),
  }))
}
