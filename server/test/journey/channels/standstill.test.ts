// Runs alone: takes long, it waits for polls that last

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type KillWorld, startKillWorld } from '../../helpers/providers/kill-world.ts'
import { until } from '../../helpers/until.ts'

const keptOf = async ({ db }: KillWorld) => {
  const rows = await db
    .selectFrom('messages')
    .select('body')
    .where('direction', '=', 'incoming')
    .orderBy('seq')
    .execute()
  return rows.map(({ body }) => body)
}

/** Which of them fetches shows when it stands still: what was fetched then is not kept. Returns what lets it go on. */
async function stopWhoeverFetches(world: KillWorld, write: () => string): Promise<() => void> {
  for (;;) {
    for (const { child } of world.processes()) {
      await until(() => world.bot.updates.polls.open === 1, 'nobody fetches')
      child.kill('SIGSTOP')
      const text = write()
      for (let n = 0; n < 100 && !(await keptOf(world)).includes(text); n += 1) await sleep(20)
      if (!(await keptOf(world)).includes(text)) return () => child.kill('SIGCONT')
      child.kill('SIGCONT')
    }
  }
}

test('of a process that stood still past its lease nothing is kept or judged: the other one fetches, alone, and each message is there once', async () => {
  await using world = await startKillWorld({ processes: 2, people: 1 })
  const { db, bot } = world
  const [person] = world.people.keys()
  assert.ok(person)
  let written = 0
  const write = () => {
    written += 1
    person.write(String(written))
    return String(written)
  }
  const goOn = await stopWhoeverFetches(world, write)
  await sql`update channel_polls set leased_until = now()`.execute(db) // a minute has passed
  const isKept = async () => (await keptOf(world)).length === written + 1
  await until(isKept, 'the other one does not fetch')
  goOn()
  for (let n = 0; n < 20; n += 1) {
    write()
    await sleep(50)
  }
  await until(isKept, 'not everything is kept')
  assert.deepEqual(
    await keptOf(world),
    Array.from({ length: written + 1 }, (_, n) => String(n)),
  )
  assert.equal(bot.updates.polls.most, 1, 'there was one request at a time')
  const channel = await db.selectFrom('channels').select(['state', 'attentionReason']).executeTakeFirstOrThrow()
  assert.deepEqual(channel, { state: 'working', attentionReason: null })
})

test('what a killed server had leased and not begun has not left: it leaves once, and nothing says that it may be there twice', async () => {
  await using world = await startKillWorld({ processes: 1, people: 1 })
  const { db } = world
  const [[person, contactId] = []] = world.people
  assert.ok(person && contactId)
  await db.transaction().execute(async (tx) => {
    await sql`select from channel_rates for update`.execute(tx) // nobody gets a place, and so nothing begins
    await world.reply(contactId, 'One')
    const waits = async () => {
      const { rows } = await sql`select from pg_stat_activity where wait_event_type = 'Lock'`.execute(db)
      return rows.length > 0
    }
    await until(waits, 'it is not about to begin')
    const [main] = world.processes()
    main?.child.kill('SIGKILL')
    await main?.exited
  })
  await world.kill('server') // and it comes back
  assert.deepEqual(person.shown, [])
  await sql`update deliveries set leased_until = now() where sent_at is null`.execute(db) // the lease has run out
  await until(() => person.shown.length > 0, 'it never leaves')
  const sent = () => db.selectFrom('deliveries').select(['sentAt', 'attempts', 'doubtSince']).executeTakeFirstOrThrow()
  await until(async () => (await sent()).sentAt !== null, 'it is not known as sent')
  assert.deepEqual(
    person.shown.map(({ text }) => text),
    ['One'],
  )
  const { attempts, doubtSince } = await sent()
  const part = await db.selectFrom('deliveryParts').select(['resentAt']).executeTakeFirstOrThrow()
  assert.deepEqual({ attempts, doubtSince, ...part }, { attempts: 1, doubtSince: null, resentAt: null })
})
