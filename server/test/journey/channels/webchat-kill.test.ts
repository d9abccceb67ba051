// Runs alone: takes long, it kills servers and databases under load

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Victim } from '../../helpers/providers/kill-world.ts'
import { until } from '../../helpers/until.ts'
import { type ChatKillWorld, type Guest, startChatKillWorld } from '../../helpers/website-chat/kill-world.ts'

/** `KILL_ROUNDS=30` for the long run: as many kills of each. */
const rounds = Number(process.env.KILL_ROUNDS ?? 1)
const people = 12
/** A visitor may write twenty times in a minute. */
const betweenMs = 3_500

/** Everybody writes and is written to, one message after the other, until `stopping` is aborted. Returns how many each. */
async function talk({ guests, reply }: ChatKillWorld, stopping: AbortSignal): Promise<Map<Guest, number>> {
  const said = new Map<Guest, number>()
  await Promise.all(
    guests.map(async (guest) => {
      let n = 0
      while (!stopping.aborted) {
        n += 1
        await Promise.all([write(guest, String(n)), reply(guest.contactId, `Reply ${n}`)])
        await sleep(betweenMs * (0.8 + 0.4 * Math.random()))
      }
      said.set(guest, n)
    }),
  )
  return said
}

const patienceMs = 120_000

/** As a browser does: the same id, until somebody says that it is kept. */
async function write(guest: Guest, text: string): Promise<void> {
  const id = randomUUID()
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const answer = await guest.write(text, { id }).catch(() => undefined)
    if (answer?.status === 201 || answer?.status === 200) return assert.equal(answer.body.text, text)
    await sleep(answer?.status === 429 ? Number(answer.headers['retry-after'] ?? 1) * 1_000 : 500)
  }
  throw new Error(`nobody keeps ${text}`)
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

/** What a visitor sees is all that was said by either side, each once, in the order of either side and of its numbers. */
async function check({ db }: ChatKillWorld, said: Map<Guest, number>): Promise<void> {
  for (const [guest, count] of said) {
    const { shown } = guest.panel
    const by = (from: string) => shown.filter((message) => message.from === from).map(({ text }) => text)
    await until(() => by('person').length >= count && by('visitor').length > count, 'something is not shown', 60_000)
    assert.deepEqual(by('visitor'), ['0', ...numbers(count).map(String)])
    assert.deepEqual(
      by('person'),
      numbers(count).map((n) => `Reply ${n}`),
    )
    const kept = await db
      .selectFrom('messages')
      .select(['seq', 'body'])
      .where('contactId', '=', guest.contactId)
      .orderBy('seq')
      .execute()
    assert.deepEqual(
      shown.map(({ text }) => text),
      kept.map(({ body }) => body),
      'a panel that was open all the time shows what a new one would',
    )
  }
}

/** What was sent was sent when it was stored, is in doubt nowhere, and is read when its visitor has seen it. */
async function checkReceipts({ db, guests }: ChatKillWorld, said: Map<Guest, number>): Promise<void> {
  const replies = said.values().reduce((sum, n) => sum + n, 0)
  for (const { panel, ask } of guests) {
    const last = panel.shown.at(-1)?.seq ?? 0
    const { status } = await ask('POST', 'marks', { delivered: last, read: last })
    assert.ok(status < 300, String(status))
  }
  const read = () => db.selectFrom('deliveries').select(['sentAt', 'dueAt', 'deliveredAt', 'readAt']).execute()
  await until(async () => (await read()).every(({ readAt }) => readAt !== null), 'not all is read')
  const rows = await read()
  assert.equal(rows.length, replies)
  for (const { sentAt, dueAt, deliveredAt } of rows)
    assert.deepEqual([!sentAt, dueAt, !deliveredAt], [false, null, false])
}

const mixes: Victim[] = ['server', 'database', 'both']

test('whether one of two processes is killed, the database or both: a visitor who keeps the chat open sees all that was said, once and in order', {
  timeout: 240_000 + 60_000 * rounds,
}, async (t) => {
  await using world = await startChatKillWorld({ people })
  const stopping = new AbortController()
  using ending = new DisposableStack()
  ending.defer(() => stopping.abort())
  const talking = talk(world, stopping.signal)
  const victims = Array.from({ length: rounds }, () => mixes).flat()
  for (const victim of victims) {
    await sleep(1_000 + 1_500 * Math.random())
    await world.kill(victim)
  }
  await sleep(1_000)
  stopping.abort()
  const said = await talking
  await check(world, said)
  await checkReceipts(world, said)
  const messages = said.values().reduce((sum, n) => sum + n, 0)
  const opened = world.guests.reduce((sum, { panel }) => sum + panel.opened(), 0)
  t.diagnostic(`${messages} messages each way, ${victims.length} kills, streams opened ${opened} times`)
})
