import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { acrossAccounts, type Db, openDb } from '../../../src/platform/database/db.ts'
import { freePort } from '../free-port.ts'
import { openClient } from '../https-client.ts'
import { startKillableDatabase } from '../killable-database.ts'
import { openOwnerCalls } from '../owner-calls.ts'
import { makeDataFolder, type ServerProcess, startProcess } from '../server-process.ts'
import { until } from '../until.ts'
import { startEntrance } from './entrance.ts'
import { type Bot, type Person, startTelegram, type TelegramDouble } from './telegram.ts'
import { slow } from './telegram-faults.ts'

/** How long the double takes to answer: so there are requests under way whenever something is killed. */
export const answersAfterMs = 300

export type Victim = 'server' | 'database' | 'both'

/** A server, beside it a worker if there are to be two, and people who write to its bot. */
export type KillWorld = AsyncDisposable & {
  db: Db
  telegram: TelegramDouble
  bot: Bot
  /** Each with the contact that they are. */
  people: Map<Person, string>
  /** Sends a reply, again and again until it is acknowledged. */
  reply: (contactId: string, body: string) => Promise<void>
  /** Returns when what was killed is there again, with how many processes that were sending it was. */
  kill: (victim: Victim) => Promise<number>
  processes: () => ServerProcess[]
}

type Options = { processes: 1 | 2; people: number }

export async function startKillWorld(options: Options): Promise<KillWorld> {
  await using starting = new AsyncDisposableStack()
  const telegram = starting.use(await startTelegram())
  const entrance = starting.use(await startEntrance())
  const database = await startKillableDatabase(starting)
  const shared = {
    ...{ DATABASE_URL: database.url, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32' },
    ...{ SECRET_KEY: 'the same in each process', LOG_LEVEL: 'warn', CHANNEL_ORIGINS: `telegram=${telegram.origin}` },
    // One process is called, and two fetch in turns.
    ...(options.processes === 1 && { PUBLIC_URL: entrance.url }),
  }
  const folder = starting.use(await makeDataFolder({ cluster: false }))
  const beside = starting.use(await makeDataFolder({ cluster: false }))
  const startMain = async () => {
    const port = await freePort()
    entrance.leadTo(`https://127.0.0.1:${port}`)
    return startProcess({ ...shared, DATA_DIR: folder.path, ROLE: 'all', PORT: String(port) })
  }
  const startWorker = () => startProcess({ ...shared, DATA_DIR: beside.path, ROLE: 'worker' })

  const running: { main: ServerProcess; worker: ServerProcess | undefined } = {
    main: await startMain(),
    worker: undefined,
  }
  starting.defer(async () => {
    await running.worker?.[Symbol.asyncDispose]()
    await running.main[Symbol.asyncDispose]()
  })
  const db = acrossAccounts(openDb(database.address, pino({ enabled: false }), 4))
  starting.defer(() => db.destroy())
  const client = openClient({ connections: 64 })
  starting.defer(async () => client.close())
  const call = await openOwnerCalls(db, client, () => running.main.url)

  const bot = telegram.addBot()
  const connected = await call('POST', '/api/channels', { kind: 'telegram', credentials: { token: bot.token } })
  assert.equal(connected.status, 200)
  if (options.processes === 2) running.worker = await startWorker()
  const people = await meetPeople(db, bot, options.people)
  telegram.plan('sendMessage', slow(answersAfterMs), { isDone: true, times: Number.POSITIVE_INFINITY })

  let replies = 0
  const killProcess = async (which: 'main' | 'worker') => {
    running[which]?.child.kill('SIGKILL')
    await running[which]?.exited
  }
  const started = starting.move()
  return {
    ...{ db, telegram, bot, people },
    reply: async (contactId, body) => {
      replies += 1
      const given = { body, clientId: `client-id-of-reply-${replies}` }
      const post = () => call('POST', `/api/conversations/${contactId}/replies`, given).catch(() => undefined)
      while ((await post())?.status !== 200) await sleep(50)
    },
    kill: async (victim) => {
      const which = victim === 'server' && running.worker && Math.random() < 0.5 ? 'worker' : 'main'
      const sending = options.processes
      if (victim !== 'database') running[which]?.child.kill('SIGKILL')
      if (victim !== 'server') database.kill()
      if (victim !== 'server') await database.start()
      if (victim !== 'database') {
        await killProcess(which)
        if (which === 'main') running.main = await startMain()
        else running.worker = await startWorker()
      }
      await until(async () => (await running.main.get('/readyz').catch(() => 0)) === 200, 'it did not come back')
      return sending
    },
    processes: () => [running.main, ...(running.worker ? [running.worker] : [])],
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** They write, and are left to people. */
async function meetPeople(db: Db, bot: Bot, count: number): Promise<KillWorld['people']> {
  await db.updateTable('accounts').set({ botActive: false }).execute()
  const persons = Array.from({ length: count }, () => bot.addPerson())
  for (const person of persons) person.write('0')
  const find = () => db.selectFrom('contactAddresses').select(['address', 'contactId']).execute()
  await until(async () => (await find()).length === count, 'the first messages did not come')
  const rows = await find()
  const idOf = ({ chatId }: Person) => rows.find(({ address }) => address === String(chatId))?.contactId ?? ''
  return new Map(persons.map((person) => [person, idOf(person)]))
}
