import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type ChannelWorld, connectBot, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { beginAll, outgoing, reply, untilSent } from '../../helpers/providers/conversations.ts'
import type { Person } from '../../helpers/providers/telegram.ts'
import { tooMany } from '../../helpers/providers/telegram-faults.ts'
import { signIn } from '../../helpers/sessions.ts'

const texts = (person: Person) => person.shown.map(({ text }) => text)

/** Two servers on one database, and people who have written to one bot. */
async function startPair(people: number) {
  await using starting = new AsyncDisposableStack()
  const world = starting.use(await startChannelWorld())
  const second = starting.use(await world.startSecond())
  const bot = world.telegram.addBot()
  const channel = await connectBot(world.owner, bot)
  const phones = Array.from({ length: people }, () => bot.addPerson())
  const contactIds = await beginAll(world, phones)
  const owners = [world.owner, await signIn(second, world.shop)]
  const started = starting.move()
  /** To everybody so often, by both servers in turns, and no more at once than a slow machine takes. */
  const replyToAll = async (times: number) => {
    for (let n = 0; n < times; n += 1) {
      const waiting = contactIds.entries()
      const work = async () => {
        for (const [at, contactId] of waiting) {
          await reply({ owner: owners[at % 2] ?? world.owner }, contactId, String(n))
        }
      }
      await Promise.all(Array.from({ length: 8 }, work))
    }
  }
  return { world, channel, phones, replyToAll, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

/** From now on each lease of a message is written down. */
async function countLeases({ app }: ChannelWorld): Promise<() => Promise<number>> {
  await sql`create table leases (at timestamptz not null)`.execute(app.db)
  await sql`
    create function note_lease() returns trigger language plpgsql
    as 'begin insert into leases values (clock_timestamp()); return null; end'
  `.execute(app.db)
  await sql`
    create trigger note_lease after insert or update of lease_token on deliveries
    for each row when (new.lease_token is not null) execute function note_lease()
  `.execute(app.db)
  return async () => (await sql`select from leases`.execute(app.db)).rows.length
}

/** The most of these times that lie within a second. */
function mostInASecond(times: number[]): number {
  return Math.max(...times.map((at) => times.filter((other) => other >= at && other < at + 1_000).length))
}

test('two servers together never exceed the rate of a channel, and a message is claimed three times at most on average', async (t) => {
  await using pair = await startPair(50)
  const { world, channel, phones, replyToAll } = pair
  await world.app.db.updateTable('channels').set({ perSecond: 5 }).execute()
  await sleep(600) // a channel is read again twice a second
  const leases = await countLeases(world)
  await replyToAll(2)
  await untilSent(world, 100)
  for (const person of phones) assert.deepEqual(texts(person), ['0', '1'])
  const { rows } = await sql<{ at: Date }>`
    select begun_at as at from delivery_parts where channel_id = ${channel.id}
  `.execute(world.app.db)
  const begun = mostInASecond(rows.map(({ at }) => at.getTime()))
  assert.ok(begun <= 5, `${begun} have their place in one second`)
  const sends = world.telegram.calls.filter(({ method }) => method === 'sendMessage').map(({ at }) => at)
  const perMessage = (await leases()) / 100
  t.diagnostic(`${mostInASecond(sends)} arrived within a second at most; ${perMessage} claims a message`)
  assert.ok(perMessage <= 3, `${perMessage} claims a message`)
})

test('when the provider asks to wait, no server sends for so long, whichever was told, and then all of it leaves in order', async () => {
  await using pair = await startPair(10)
  const { world, phones, replyToAll } = pair
  const answersAgain = world.telegram.plan('sendMessage', tooMany(7), { times: Number.POSITIVE_INFINITY })
  const sends = () => world.telegram.calls.filter(({ method }) => method === 'sendMessage').map(({ at }) => at)
  await replyToAll(5)
  const [first = 0] = sends()
  await sleep(first + 6_500 - Date.now())
  const during = sends().filter((at) => at > first + 1_000)
  assert.deepEqual(during, [], 'nobody sends while it was asked to wait')
  assert.ok(sends().length <= 32, `${sends().length} were under way when it was asked`)
  answersAgain()
  await untilSent(world, 50)
  for (const person of phones) assert.deepEqual(texts(person), ['0', '1', '2', '3', '4'])
  assert.ok((await outgoing(world)).every(({ resentAt, attempts }) => resentAt === null && attempts === 1))
})
