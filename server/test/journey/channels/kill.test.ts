// Runs alone: takes long, it kills servers and databases under load

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { answersAfterMs, type KillWorld, startKillWorld, type Victim } from '../../helpers/providers/kill-world.ts'
import { until } from '../../helpers/until.ts'

/** `KILL_ROUNDS=10 npm test` for the long run: as many kills of each. */
const rounds = Number(process.env.KILL_ROUNDS ?? 1)
const people = 10
const betweenMs = 1_000

/** Everybody writes and is written to, one message after the other, until `stopping` is aborted. Returns how many each. */
async function talk({ people, reply }: KillWorld, stopping: AbortSignal): Promise<Map<string, number>> {
  const said = new Map<string, number>()
  await Promise.all(
    people.entries().map(async ([person, contactId]) => {
      let n = 0
      while (!stopping.aborted) {
        n += 1
        person.write(String(n))
        await reply(contactId, String(n))
        await sleep(betweenMs * (0.5 + Math.random()))
      }
      said.set(contactId, n)
    }),
  )
  return said
}

/** What was sent so late before a kill may have been under way. */
const storedWithinMs = 1_000

/** Kills one after the other, each when what came after the one before is kept. Returns how many requests were under way. */
async function killAll(world: KillWorld, victims: Victim[]): Promise<{ underWay: number; most: number }> {
  const { telegram, bot } = world
  let [underWay, most] = [0, 0]
  for (const victim of victims) {
    await sleep(1_000 + 1_500 * Math.random())
    const since = Date.now() - answersAfterMs - storedWithinMs
    const sending = await world.kill(victim)
    underWay += telegram.calls.filter(({ method, at }) => method === 'sendMessage' && at >= since).length
    most += 16 * sending
    const last = bot.updates.waiting().at(-1)?.update_id ?? 0
    const hasCome = () => bot.updates.waiting().every(({ update_id }) => update_id > last)
    if (!(await within(2_000, hasCome))) await passLease(world)
    await until(hasCome, 'nothing comes any more')
  }
  return { underWay, most }
}

async function within(ms: number, condition: () => boolean): Promise<boolean> {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(50)) if (condition()) return true
  return false
}

/** Whoever fetched was killed: a minute passes. One that lives renews its lease with each request, of which there are many a second. */
async function passLease({ db }: KillWorld): Promise<void> {
  const read = () => db.selectFrom('channelPolls').select(['leaseToken', 'leasedUntil']).executeTakeFirst()
  const before = await read().catch(() => undefined)
  await sleep(2_000)
  const token = before?.leaseToken
  if (!token || JSON.stringify(await read().catch(() => undefined)) !== JSON.stringify(before)) return
  await sql`update channel_polls set leased_until = now() where lease_token = ${token}`.execute(db)
}

type Kept = { contactId: string; body: string; isMarked: boolean; isLeft: boolean }

/** It was in doubt twice: nobody sends it by themselves, and its conversation waits for a person. */
const isLeftToPeople = sql`coalesce(d.sent_at is null and d.due_at is null and d.error_category = 'in_doubt', false)`

const readKept = async ({ db }: KillWorld, direction: 'incoming' | 'outgoing') =>
  (
    await sql<Kept>`
      select m.contact_id, m.body, p.resent_at is not null as is_marked, ${isLeftToPeople} as is_left
      from messages m left join deliveries d on d.account_id = m.account_id and d.id = m.id
        left join delivery_parts p on p.account_id = m.account_id and p.delivery_id = m.id
      where m.direction = ${direction} order by m.seq
    `.execute(db)
  ).rows

/** Waits until nothing is to be sent any more. */
async function untilSettled({ db }: KillWorld): Promise<void> {
  const read = () =>
    sql<object>`select * from deliveries d where d.sent_at is null and not ${isLeftToPeople}`.execute(db)
  const isSettled = async () => (await read().catch(() => ({ rows: [{}] }))).rows.length === 0
  await until(isSettled, 'not everything was sent', 150_000).catch(async (error) => {
    throw new Error(JSON.stringify((await read()).rows), { cause: error })
  })
}

/**
 * Everything that was acknowledged is there once and in order; what is there twice says so, and so does what is left to people, who are
 * asked. Returns how many are there twice, how many may be, and how many are left.
 */
async function check(world: KillWorld, said: Map<string, number>) {
  await untilSettled(world)
  await until(() => world.bot.updates.waiting().length === 0, 'not everything came', 150_000)
  const incoming = Map.groupBy(await readKept(world, 'incoming'), ({ contactId }) => contactId)
  const outgoing = Map.groupBy(await readKept(world, 'outgoing'), ({ contactId }) => contactId)
  const asked = await world.db
    .selectFrom('conversations')
    .select('contactId')
    .where('waitingReason', '=', 'in_doubt')
    .execute()
  let [doubles, marked, left] = [0, 0, 0]
  for (const [person, contactId] of world.people) {
    const all = Array.from({ length: said.get(contactId) ?? 0 }, (_, n) => String(n + 1))
    const bodies = incoming.get(contactId)?.map(({ body }) => body)
    assert.deepEqual(bodies, ['0', ...all], 'each message that came is kept once, in order')
    const replies = outgoing.get(contactId) ?? []
    const toPeople = new Set(replies.flatMap(({ body, isLeft }) => (isLeft ? [body] : [])))
    const shown = person.shown.map(({ text }) => text)
    const isSure = (text: string) => !toPeople.has(text)
    assert.deepEqual([...new Set(shown)].filter(isSure), all.filter(isSure), 'each reply arrived, in order')
    const inOrder = shown.toSorted((one, other) => Number(one) - Number(other))
    assert.deepEqual(shown, inOrder, 'what is there twice was overtaken by nothing')
    const says = new Set(replies.flatMap(({ body, isMarked }) => (isMarked ? [body] : [])))
    for (const text of all) {
      const times = shown.filter((one) => one === text).length
      const mayBe = toPeople.has(text) ? [0, 1, 2] : says.has(text) ? [1, 2] : [1]
      assert.ok(mayBe.includes(times), `${text} arrived ${times} times`)
      doubles += Math.max(0, times - 1)
    }
    if (toPeople.size > 0)
      assert.ok(
        asked.some((one) => one.contactId === contactId),
        'a person is asked',
      )
    marked += new Set([...says, ...toPeople]).size
    left += toPeople.size
  }
  return { doubles, marked, left }
}

const mixes: Victim[] = ['server', 'database', 'both']

/** The long run has as many of each with one process as with two. */
function victimsFor(processes: 1 | 2): Victim[] {
  if (rounds === 1) return processes === 1 ? ['both'] : ['server', 'database']
  const times = processes === 1 ? Math.floor(rounds / 2) : Math.ceil(rounds / 2)
  return Array.from({ length: times }, () => mixes).flat()
}

for (const processes of [1, 2] as const) {
  const named = processes === 1 ? 'the server, which is called,' : 'one of two processes, which fetch in turns,'
  test(`whether ${named} is killed, its database or both: nothing in or out is lost, what may be double says so, and nothing is there three times`, {
    timeout: 180_000 + 120_000 * rounds,
  }, async (t) => {
    await using world = await startKillWorld({ processes, people })
    const stopping = new AbortController()
    const talking = talk(world, stopping.signal)
    const victims = victimsFor(processes)
    const { underWay, most } = await killAll(world, victims)
    await sleep(1_000)
    stopping.abort()
    const said = await talking
    const { doubles, marked, left } = await check(world, said)
    const messages = said.values().reduce((sum, n) => sum + n, 0)
    t.diagnostic(
      `${messages} messages each way, ${victims.length} kills, ${underWay} requests about then: ${doubles} arrived twice, ${marked} say that they may have, ${left} of them are left to people`,
    )
    assert.ok(marked <= Math.min(underWay, most), 'no more than were under way')
  })
}
