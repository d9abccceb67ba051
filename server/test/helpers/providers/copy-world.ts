import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../../src/platform/database/db.ts'
import type { ChannelId } from '../../../src/platform/ids.ts'
import { makeScratch, runJson, type Scratch, sendMessage } from '../backups.ts'
import { freePort } from '../free-port.ts'
import type { OwnerCall } from '../owner-calls.ts'
import { type Receiver, startReceiver } from '../receivers.ts'
import { makeDataFolder } from '../server-process.ts'
import { until } from '../until.ts'
import { type Entrance, startEntrance } from './entrance.ts'
import { type Installation, say, startInstallation } from './installation.ts'
import { type Bot, type Person, startTelegram, type TelegramDouble } from './telegram.ts'
import { tooMany } from './telegram-faults.ts'

type Chats = { bot: Bot; channelId: ChannelId; people: Person[] }

/** A real installation, and the backup that was made of it while people wrote and were answered. */
export type Original = AsyncDisposable & {
  telegram: TelegramDouble
  scratch: Scratch
  /** Where custom channels post to. */
  platform: Receiver
  installation: Installation
  /** A bot for which fifty messages waited all through the backup. */
  waiting: Chats
  /** One whose people are answered all the time. */
  busy: Chats
  backup: { backup: string; tookSeconds: number }
  /** From now on nobody writes any more; returns how many have been answered. */
  stopLoad: () => Promise<Load>
  /** Everything that it owes has left. */
  untilDone: () => Promise<void>
}

type Load = { overChannel: number; custom: number }

const inAllowed = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32', LOG_LEVEL: 'warn' }

export async function startOriginal(): Promise<Original> {
  await using starting = new AsyncDisposableStack()
  const [telegram, platform] = [starting.use(await startTelegram()), starting.use(await startReceiver())]
  const scratch = starting.use(await makeScratch())
  const folder = starting.use(await makeDataFolder())
  const environment = { DATA_DIR: folder.path, CHANNEL_ORIGINS: `telegram=${telegram.origin}`, ...inAllowed }
  const installation = starting.use(await startInstallation(environment))
  const { server, db, call } = installation
  await runJson(environment, 'webhook', 'set', '--account', server.facts.email ?? '', '--url', platform.url)
  const waiting = await startChats(telegram, call, 40)
  const busy = await startChats(telegram, call, 20)

  const speak = telegram.plan('sendMessage', tooMany(2), { times: Number.POSITIVE_INFINITY, of: waiting.bot })
  for (const person of waiting.people) person.write('Hello')
  await until(async () => (await readUnsent(db, waiting)).length === 40, 'not everybody was answered')
  for (const { contactId } of (await readUnsent(db, waiting)).slice(0, 10))
    await say(call, contactId ?? '', 'From a person')
  const load = startLoad(installation, busy)
  await until(() => load.answered() > 5 && platform.requests.length > 5, 'nobody is answered')
  const backup = await runJson(environment, 'backup', '--to', join(scratch.path, 'backups'), '--with-secret-key')
  assert.equal((await readUnsent(db, waiting)).length, 50, 'they waited all the time')
  speak()

  const started = starting.move()
  return {
    ...{ telegram, scratch, platform, installation, waiting, busy, backup },
    stopLoad: load.stop,
    untilDone: () => until(() => isDone(db), 'not everything has left'),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

/** A copy of the backup, on which a server runs. */
export type Copy = Installation & {
  /** All its requests to Telegram take this way. */
  toTelegram: Entrance
  stop: () => Promise<void>
}

/** With `isCalled` it has an address by which Telegram could call it. */
export async function startCopy(
  { scratch, telegram, backup }: Original,
  { name, isCalled }: { name: string; isCalled: boolean },
): Promise<Copy> {
  await using starting = new AsyncDisposableStack()
  const [toTelegram, toCopy] = [starting.use(await startEntrance()), starting.use(await startEntrance())]
  toTelegram.leadTo(telegram.origin)
  const port = await freePort()
  toCopy.leadTo(`https://127.0.0.1:${port}`)
  const environment = {
    ...{ DATA_DIR: join(scratch.path, name), PORT: String(port), ...inAllowed },
    CHANNEL_ORIGINS: `telegram=http://127.0.0.1:${new URL(toTelegram.url).port}`,
    ...(isCalled && { PUBLIC_URL: toCopy.url }),
  }
  const { notes } = await runJson(environment, 'restore', '--from', backup.backup)
  assert.match(notes.join(), /Built-in channels are held/)
  const installation = starting.use(await startInstallation(environment))
  const started = starting.move()
  const stop = () => started.disposeAsync()
  return { ...installation, toTelegram, stop, [Symbol.asyncDispose]: stop }
}

async function startChats(telegram: TelegramDouble, call: OwnerCall, people: number): Promise<Chats> {
  const bot = telegram.addBot()
  const { status, body } = await call('POST', '/api/channels', {
    kind: 'telegram',
    credentials: { token: bot.token },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return { bot, channelId: body.id, people: Array.from({ length: people }, () => bot.addPerson()) }
}

/** So each of them writes every five seconds: the bot answers when they have been silent for two. */
const everyMs = 250

/** People write over both ways, each a moment after the one before, and the bot answers. */
function startLoad({ server }: Pick<Installation, 'server'>, { people }: Chats) {
  let [isStopping, custom] = [false, 0]
  const talk = async () => {
    for (let n = 0; !isStopping; n += 1) {
      people[n % people.length]?.write(`Hello ${n}`)
      await sendMessage(server, `asked on the platform ${n}`)
      custom += 1
      await sleep(everyMs)
    }
  }
  const talking = talk()
  const answered = () => people.reduce((sum, { shown }) => sum + shown.length, 0)
  return {
    answered,
    stop: async (): Promise<Load> => {
      isStopping = true
      await talking
      return { overChannel: answered(), custom }
    },
  }
}

/** Messages to people on these channels that have not left. */
export async function readUnsent(db: Db, ...chats: Chats[]) {
  return db
    .selectFrom('deliveries')
    .select(['id', 'contactId', 'receiverId', 'dueAt', 'errorCategory'])
    .where(
      'receiverId',
      'in',
      chats.map(({ channelId }) => channelId),
    )
    .where('sentAt', 'is', null)
    .orderBy('id')
    .execute()
}

async function isDone(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from deliveries where sent_at is null union all select from turns limit 1
  `.execute(db)
  return rows.length === 0
}
