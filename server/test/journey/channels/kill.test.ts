// Runs alone: takes long, it kills workers under load

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { operator } from '../../../src/business/audit/store.ts'
import { openCallProvider } from '../../../src/journey/channels/call.ts'
import { connectChannel } from '../../../src/journey/channels/connect.ts'
import { reply, switchOff } from '../../../src/journey/conversations/take-over.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import { notifyWorkers } from '../../../src/platform/notify/notify.ts'
import { type Person, startTelegram } from '../../helpers/providers/telegram.ts'
import type { ServerProcess } from '../../helpers/server-process.ts'
import { startShared } from '../../helpers/shared-processes.ts'
import { until } from '../../helpers/until.ts'

/** `KILL_ROUNDS=10 npm test` for the long run. */
const kills = 3 * Number(process.env.KILL_ROUNDS ?? 1)
const people = 8
const betweenMs = 120

/** Two workers that share a database and a bot, with people who have written and whom the bot leaves to a person. */
async function startWorld() {
  await using starting = new AsyncDisposableStack()
  const telegram = starting.use(await startTelegram())
  const shared = starting.use(await startShared({ CHANNEL_ORIGINS: `telegram=${telegram.origin}` }))
  const { db, accountId, ctx } = shared
  const log = pino({ enabled: false })
  const origins = ctx.config.channelOrigins
  const channels = { ...ctx, origins, log, publicUrl: undefined, hint: () => {}, giveToPeople: async () => {} }
  const bot = telegram.addBot()
  const given = { kind: 'telegram' as const, credentials: { token: bot.token } }
  await connectChannel({ ...channels, call: openCallProvider(channels) }, accountId, { given, by: operator })
  const workers = [await shared.start('worker'), await shared.start('worker')]
  const contacts = new Map<Person, ContactId>()
  for (let n = 0; n < people; n += 1) {
    const person = bot.addPerson()
    person.write('0')
    const find = () =>
      db
        .selectFrom('contactAddresses')
        .select('contactId')
        .where('address', '=', String(person.chatId))
        .executeTakeFirst()
    await until(async () => (await find()) !== undefined, 'the first message did not come')
    const { contactId } = (await find()) ?? {}
    assert.ok(contactId)
    await switchOff(db, { accountId, contactId })
    contacts.set(person, contactId)
  }
  const started = starting.move()
  return {
    db,
    accountId,
    telegram,
    bot,
    shared,
    workers,
    contacts,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

type World = Awaited<ReturnType<typeof startWorld>>

/** Everybody writes and is written to, one message after the other, until `stopping` is aborted. Returns how many each. */
async function talk({ db, accountId, contacts }: World, stopping: AbortSignal): Promise<number> {
  const wakeDelivery = () => notifyWorkers(db, 'delivery')
  let n = 0
  while (!stopping.aborted) {
    n += 1
    for (const [person, contactId] of contacts) {
      person.write(String(n))
      await reply({ db, wakeDelivery }, { accountId, contactId }, { body: String(n) })
    }
    await sleep(betweenMs)
  }
  return n
}

async function killOne({ workers, shared }: World): Promise<void> {
  const victim: ServerProcess | undefined = workers.shift()
  assert.ok(victim)
  victim.child.kill('SIGKILL')
  await victim.exited
  workers.push(await shared.start('worker'))
}

test('whatever worker is killed, no message in or out is lost, each is kept once, and each double is marked and never a third', async (t) => {
  await using world = await startWorld()
  const { db, contacts } = world
  const stopping = new AbortController()
  const talking = talk(world, stopping.signal)
  for (let n = 0; n < kills; n += 1) {
    await sleep(1_000 + 1_000 * Math.random())
    await killOne(world)
  }
  await sleep(1_000)
  stopping.abort()
  const said = await talking
  const unsent = async () => {
    const { rows } = await sql<{
      n: number
    }>`select count(*)::integer as n from deliveries where sent_at is null`.execute(db)
    return rows[0]?.n ?? 0
  }
  await until(async () => (await unsent()) === 0, 'not everything was sent', 90_000)
  const all = Array.from({ length: said }, (_, n) => String(n + 1))
  const kept = async (contactId: ContactId) => {
    const rows = await db
      .selectFrom('messages')
      .select('body')
      .where('contactId', '=', contactId)
      .where('direction', '=', 'incoming')
      .orderBy('seq')
      .execute()
    return rows.map(({ body }) => body)
  }
  await until(
    async () => {
      for (const contactId of contacts.values()) if ((await kept(contactId)).length < said + 1) return false
      return true
    },
    'not every message came',
    90_000,
  )
  let doubles = 0
  for (const [person, contactId] of contacts) {
    assert.deepEqual(await kept(contactId), ['0', ...all], 'each message that came is kept once, in order')
    const shown = person.shown.map(({ text }) => text)
    assert.deepEqual([...new Set(shown)], all, 'each reply arrived, in order')
    assert.ok(
      all.every((text) => shown.filter((one) => one === text).length <= 2),
      'none arrived three times',
    )
    doubles += shown.length - all.length
  }
  const { rows } = await sql<{ marked: number }>`
    select count(*)::integer as marked from delivery_parts where resent_at is not null
  `.execute(db)
  const marked = rows[0]?.marked ?? 0
  assert.ok(doubles <= marked, `${doubles} doubles, ${marked} of which say so`)
  assert.ok(marked <= 16 * kills, 'no more than were under way')
  t.diagnostic(
    `${said * people} messages each way, ${kills} kills: ${doubles} arrived twice, ${marked} say that they may have`,
  )
})
