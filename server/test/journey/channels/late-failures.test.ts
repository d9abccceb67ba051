import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newId } from '../../../src/platform/ids.ts'
import { untilCast } from '../../helpers/broadcasts.ts'
import { sentRows } from '../../helpers/providers/receipts.ts'
import { addLine, addPhone, type Line, newNumber, type Phone } from '../../helpers/providers/sms-phones.ts'
import { type SmsWorld, startSmsWorld } from '../../helpers/providers/sms-world.ts'
import { step } from '../../helpers/providers/twilio-messages.ts'
import { readCounted } from '../../helpers/report-recount.ts'
import { until } from '../../helpers/until.ts'

/** Messages to so many people that Twilio has taken and said no more of, as those of a broadcast that is over. */
async function startTaken(world: SmsWorld, count: number) {
  const line = await addLine(world)
  const phones: Phone[] = []
  for (let n = 0; n < count; n += 1) phones.push(await addPhone(world, line, newNumber()))
  for (const { number } of phones) line.account.ends.set(number, { silent: true })
  const ids: string[] = []
  for (const phone of phones) ids.push(await phone.say('We are open.'))
  await until(async () => (await sentRows(world)).every(({ says }) => says === 'sent'), 'not all was taken')
  const broadcastId = newId('brc')
  const { accountId, listId } = world.shop
  await sql`
    insert into broadcasts (account_id, id, name, list_id, list_name, channel, body, rate_per_minute, state, ended_at, recipients, open)
    values (${accountId}, ${broadcastId}, 'News', ${listId}, 'All', 'web', 'We are open.', 60, 'finished', now(), ${count}, ${count})
  `.execute(world.app.db)
  await sql`
    insert into broadcast_recipients (account_id, broadcast_id, n, contact_id, state, message_id, seq, made_at)
    select m.account_id, ${broadcastId}, row_number() over (order by m.id), m.contact_id, 'made', m.id, m.seq, now()
    from messages m where m.id = any (${ids})
  `.execute(world.app.db)
  return { line, phones, ids, broadcastId }
}

const tell = ({ account }: Line, number: string, ...said: [status: string, code?: number]) => {
  const message = account.messages.find(({ to }) => to === number)
  assert.ok(message)
  return step(account, message, ...said)
}

/** Of all days: what the reports of the account say. */
async function counted({ app, shop }: SmsWorld) {
  const days = Object.entries(await readCounted(app.db, shop.accountId)).filter(([key]) => key.endsWith(' all'))
  const sum = (of: 'messagesOut' | 'sent' | 'failed') => days.reduce((total, [, day]) => total + day[of], 0)
  return { out: sum('messagesOut'), sent: sum('sent'), failed: sum('failed') }
}

const untilCounted = (world: SmsWorld, expected: Awaited<ReturnType<typeof counted>>) =>
  until(
    async () => JSON.stringify(await counted(world)) === JSON.stringify(expected),
    `the reports do not say ${JSON.stringify(expected)}`,
  )

/** A day passes for these messages. */
const endDay = ({ app }: SmsWorld, ids: string[]) =>
  sql`update deliveries set awaits_receipt_until = now() - interval '1 s' where id = any (${ids})`.execute(app.db)

test('CH23: a failure within the day is counted as one in reports and results, and one after it is shown and changes no sum', async () => {
  await using world = await startSmsWorld()
  const { line, phones, ids, broadcastId } = await startTaken(world, 4)
  const [ana, ben, cid, dan] = phones.map(({ number }) => number)
  assert.ok(ana && ben && cid && dan)
  const counts = async () => {
    const { counts: now } = await untilCast(world.shop, broadcastId, () => true)
    return `${now.waiting} ${now.sent} ${now.failed}`
  }
  const untilCounts = (expected: string) => until(async () => (await counts()) === expected, `not ${expected}`)
  const states = async () => {
    const { rows } = await sql<{ state: string }>`select state from broadcast_recipients order by n`.execute(
      world.app.db,
    )
    return rows.map(({ state }) => state).join(' ')
  }
  await until(async () => (await states()) === 'taken taken taken taken', 'nobody noted that they were taken')
  await untilCounted(world, { out: 4, sent: 0, failed: 0 })
  assert.equal(await counts(), '4 0 0', 'what may still fail is open')

  await tell(line, ana, 'delivered')
  await tell(line, ben, 'undelivered', 30_003)
  await untilCounts('2 1 1')
  await untilCounted(world, { out: 4, sent: 1, failed: 1 })

  await endDay(world, [ids[2] ?? '', ids[3] ?? ''])
  await untilCounts('0 3 1')
  await untilCounted(world, { out: 4, sent: 3, failed: 1 })
  await tell(line, cid, 'undelivered', 30_003)
  const third = (await sentRows(world)).find(({ id }) => id === ids[2])
  assert.deepEqual([third?.status, third?.category, third?.part], ['Failed', 'not_delivered', '-F'])
  // Something else is counted after it, so what there was to count by then is.
  await tell(line, dan, 'delivered')
  await phones[0]?.say('Until six.')
  await untilCounted(world, { out: 5, sent: 3, failed: 1 })
  assert.equal(await counts(), '0 3 1')
  const { body } = await world.shop.get(`/broadcasts/${broadcastId}`)
  assert.deepEqual(body.failures, [{ category: 'not_delivered', httpStatus: null, count: 1 }])
})

test('CH23: what failed within the day and arrives after all, or when it is sent again, counts as sent', async () => {
  await using world = await startSmsWorld()
  const { line, phones, ids, broadcastId } = await startTaken(world, 2)
  const [ana, ben] = phones
  assert.ok(ana && ben)
  await sql`
    insert into broadcast_marks (account_id, watched_until) values (${world.shop.accountId}, now() + interval '1 day')
  `.execute(world.app.db)
  await tell(line, ana.number, 'undelivered', 30_003)
  await tell(line, ben.number, 'undelivered', 30_003)
  await untilCast(world.shop, broadcastId, ({ counts }) => counts.failed === 2)
  await untilCounted(world, { out: 2, sent: 0, failed: 2 })
  await tell(line, ana.number, 'delivered')
  line.account.ends.delete(ben.number)
  const path = `/api/conversations/${ben.contactId}/messages/${ids[1]}/again`
  assert.equal((await world.owner.call('POST', path, {})).status, 200)
  await untilCast(world.shop, broadcastId, ({ counts }) => counts.sent === 2 && counts.failed === 0)
  await untilCounted(world, { out: 2, sent: 2, failed: 0 })
})

test('of very many that were taken a step looks at some, and each has its turn', async () => {
  await using world = await startSmsWorld()
  const { broadcastId } = await startTaken(world, 1)
  await until(async () => {
    const { rows } = await sql`select from broadcast_recipients where state = 'taken'`.execute(world.app.db)
    return rows.length === 1
  }, 'nobody noted that it was taken')
  // Their messages are gone, so that they are over when they are looked at.
  await sql`
    insert into broadcast_recipients (account_id, broadcast_id, n, state, message_id, made_at)
    select ${world.shop.accountId}, ${broadcastId}, n, 'taken', 'msg_' || n, now() from generate_series(2, 1500) as n
  `.execute(world.app.db)
  await sql`update broadcasts set recipients = 1500, open = 1500`.execute(world.app.db)
  await untilCast(world.shop, broadcastId, ({ counts }) => counts.sent > 0 && counts.sent < 1_499)
  await untilCast(world.shop, broadcastId, ({ counts }) => counts.sent === 1_499, 120_000)
})
