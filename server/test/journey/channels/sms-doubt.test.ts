import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../helpers/harness.ts'
import {
  addLine,
  addLineOf,
  addPhone,
  callsOf,
  makeBroadcasts,
  newNumber,
  type Phone,
  planFor,
  sentTo,
  takenFor,
  untilOne,
} from '../../helpers/providers/sms-phones.ts'
import { type SmsWorld, startSmsWorld } from '../../helpers/providers/sms-world.ts'
import { createMessage } from '../../helpers/providers/twilio-messages.ts'
import { until } from '../../helpers/until.ts'

const minute = 60_000

/** Nobody hears a receipt: else a doubt ends with the first one. */
async function startWithoutReceipts(): Promise<SmsWorld> {
  const world = await startSmsWorld()
  world.entrance.leadTo('https://127.0.0.1:9')
  return world
}

/** From now on the parts in doubt have begun so much earlier, and what is to be done with them is due. */
async function passTime({ app }: SmsWorld, seconds: number): Promise<void> {
  await sql`
    update delivery_parts set begun_at = begun_at - ${seconds} * interval '1 s' where accepted_at is null
  `.execute(app.db)
  await sql`update deliveries set due_at = now() where due_at is not null and lease_token is null`.execute(app.db)
}

const untilInDoubt = (world: SmsWorld, phone: Phone) =>
  untilOne(world, phone, [({ doubtSince }) => doubtSince !== null, 'it is not in doubt'])

const untilSent = (world: SmsWorld, phone: Phone, body: string) =>
  untilOne(world, phone, [(row) => row.body === body && row.sentAt !== null, `${body} was not sent`])

const isLeft = ({ errorCategory, dueAt }: { errorCategory: string | null; dueAt: Date | null }) =>
  errorCategory === 'in_doubt' && dueAt === null

const untilLeft = (world: SmsWorld, phone: Phone) => untilOne(world, phone, [isLeft, 'nobody is asked'])

const waitingOf = async ({ app }: SmsWorld, { contactId }: Phone) =>
  (
    await sql<{ waitingReason: string | null }>`
      select waiting_reason from conversations where contact_id = ${contactId}
    `.execute(app.db)
  ).rows[0]?.waitingReason

const text = 'Your tyres are here.'

test('CH24 what Twilio took without an answer is found by asking: one message each, sent at once or queued, on a trial account, and whichever clock is five minutes ahead', async () => {
  await using world = await startWithoutReceipts()
  const [sent, queued, trial] = [
    await addLineOf(world),
    await addLineOf(world),
    await addLineOf(world, { isTrial: true }),
  ]
  const [behind, ahead] = [await addLineOf(world), await addLineOf(world)]
  queued.account.isHeld = true
  behind.account.clockMs = -5 * minute
  ahead.account.clockMs = 5 * minute
  const all = [sent, queued, trial, behind, ahead]
  for (const one of all) planFor(world, one, { send: ['taken and cut'] })
  await Promise.all(all.map(({ say }) => say(text)))
  await Promise.all(all.map((one) => untilInDoubt(world, one)))
  await Promise.all(all.map(({ say }) => say('Until six today.')))
  for (const one of all) {
    await untilSent(world, one, 'Until six today.')
    const [first, second] = await sentTo(world, one)
    const [taken, after, more] = takenFor(one, one)
    assert.deepEqual([first?.providerId, second?.providerId, more], [taken?.sid, after?.sid, undefined])
    assert.deepEqual([first?.resentAt, first?.doubtSince, first?.attempts], [null, null, 1])
    assert.ok(after && taken && after.createdAt >= taken.createdAt, 'the next one waited for it')
    const [asked, askedAgain] = callsOf(world, one, 'look')
    const [left] = callsOf(world, one, 'send')
    assert.ok(asked && left && asked.at - left.at >= 9_000 && !askedAgain, 'it is asked ten seconds after it began')
  }
})

test('CH24 what Twilio has not, asked twice, never left: it leaves again as if for the first time, and no mark says that it may be double', async () => {
  await using world = await startWithoutReceipts()
  const one = await addLineOf(world)
  planFor(world, one, { send: ['cut'] })
  await one.say(text)
  await untilInDoubt(world, one)
  await one.say('Until six today.')
  await untilSent(world, one, 'Until six today.')
  const [first, second] = await sentTo(world, one)
  const taken = takenFor(one, one)
  assert.deepEqual(
    taken.map(({ body }) => body),
    [text, 'Until six today.'],
  )
  assert.deepEqual(
    [first?.providerId, second?.providerId],
    taken.map(({ sid }) => sid),
  )
  assert.deepEqual([first?.resentAt, first?.attempts], [null, 1])
  const began = callsOf(world, one, 'send')[0]?.at ?? 0
  const asked = callsOf(world, one, 'look').map(({ at }) => Math.round((at - began) / 10_000))
  assert.deepEqual(asked, [1, 6], 'it is asked ten seconds and a minute after it began')
})

test('what never left twice is tried again by the schedule, and what was said after it goes first; nothing of it is double', async () => {
  await using world = await startWithoutReceipts()
  const one = await addLineOf(world)
  planFor(world, one, { send: ['cut', 'cut'] })
  await one.say(text)
  for (const tries of [1, 2]) {
    await until(() => callsOf(world, one, 'send').length === tries, 'it was not tried')
    await untilInDoubt(world, one)
    await passTime(world, 60)
  }
  await untilOne(world, one, [({ errorCategory }) => errorCategory === 'not_reached', 'it does not wait'])
  await one.say('Until six today.')
  await untilSent(world, one, 'Until six today.')
  const { resentAt } = await untilSent(world, one, text)
  const bodies = takenFor(one, one).map(({ body }) => body)
  assert.deepEqual([bodies, resentAt], [['Until six today.', text], null])
})

test('a list that fails says nothing: it is asked once more, and where it fails again a person decides, and nothing is sent', async () => {
  await using world = await startWithoutReceipts()
  const [once, always] = [await addLineOf(world), await addLineOf(world)]
  planFor(world, once, { send: ['taken and cut'], look: ['bare error'] })
  planFor(world, always, { send: ['taken and cut'], look: ['bare error', 'cut'] })
  await Promise.all([once, always].map(({ say }) => say(text)))
  for (const one of [once, always]) await untilInDoubt(world, one)
  await passTime(world, 10)
  const waitsLong = ({ dueAt }: { dueAt: Date | null }) => dueAt !== null && dueAt.getTime() > Date.now() + 20_000
  for (const one of [once, always]) await untilOne(world, one, [waitsLong, 'it was not asked'])
  await passTime(world, 50)
  await untilSent(world, once, text)
  await untilLeft(world, always)
  assert.deepEqual([await waitingOf(world, once), await waitingOf(world, always)], [null, 'in_doubt'])
  for (const one of [once, always]) {
    assert.deepEqual([callsOf(world, one, 'send').length, takenFor(one, one).length], [1, 1])
  }
})

test('CH28 a message of a broadcast in doubt is never sent again: it is found, or ends as not known, and nobody waits for a person', async () => {
  await using world = await startWithoutReceipts()
  const [found, lost] = [await addLineOf(world), await addLineOf(world)]
  await using _broadcasts = await makeBroadcasts(world.app, `new.body like ''Everybody%''`)
  planFor(world, found, { send: ['taken and cut'] })
  planFor(world, lost, { send: ['cut'] })
  await Promise.all([found, lost].map(({ say }) => say('Everybody: ten percent off.')))
  for (const one of [found, lost]) await untilInDoubt(world, one)
  await passTime(world, 60)
  await untilSent(world, found, 'Everybody: ten percent off.')
  await untilLeft(world, lost)
  assert.deepEqual([await waitingOf(world, found), await waitingOf(world, lost)], [null, null])
  await passTime(world, 60)
  await lost.say('And a personal word.')
  await untilSent(world, lost, 'And a personal word.')
  assert.deepEqual([callsOf(world, found, 'send').length, callsOf(world, lost, 'send').length], [1, 2])
})

test('where the owner leaves doubts to people, what is found is sent, and what is not found does not leave by itself', async () => {
  await using world = await startWithoutReceipts()
  const [found, lost] = [
    await addLineOf(world, { whenInDoubt: 'person' }),
    await addLineOf(world, { whenInDoubt: 'person' }),
  ]
  planFor(world, found, { send: ['taken and cut'] })
  planFor(world, lost, { send: ['cut'] })
  await Promise.all([found, lost].map(({ say }) => say(text)))
  for (const one of [found, lost]) await untilInDoubt(world, one)
  await passTime(world, 60)
  await untilSent(world, found, text)
  await untilLeft(world, lost)
  assert.deepEqual([await waitingOf(world, lost), callsOf(world, lost, 'send').length], ['in_doubt', 1])
})

test('two servers that ask at once never take one message of Twilio for two of ours', async () => {
  await using world = await startWithoutReceipts()
  await using _second = await startApp(world.environment, world.app.database)
  const line = await addLine(world)
  const number = newNumber()
  // Eight who share one telephone are told the same; Twilio has three of these.
  const phones = await Promise.all(Array.from({ length: 8 }, () => addPhone(world, line, number)))
  planFor(world, line, { send: ['taken and cut', 'cut', 'taken and cut', 'cut', 'taken and cut', 'cut', 'cut', 'cut'] })
  await Promise.all(phones.map(({ say }) => say(text)))
  for (const phone of phones) await untilInDoubt(world, phone)
  await passTime(world, 60)
  for (const phone of phones) await untilSent(world, phone, text)
  const rows = (await Promise.all(phones.map((phone) => sentTo(world, phone)))).flat()
  const taken = takenFor(line, { number }).map(({ sid }) => sid)
  assert.deepEqual([rows.map(({ providerId }) => providerId).toSorted(), taken.length], [taken.toSorted(), 8])
})

test('whoever dies after the mark is asked about by the next one, and whoever dies before it has sent nothing', async () => {
  await using world = await startWithoutReceipts()
  const { app, owner } = world
  const line = await addLine(world)
  const [left, stayed] = [await addPhone(world, line), await addPhone(world, line)]
  const turn = async (way: 'pause' | 'resume') =>
    assert.equal((await owner.call('POST', `/api/channels/${line.channel.id}/${way}`, {})).status, 200)
  await turn('pause')
  await left.say(text)
  await stayed.say('Your brakes too.')
  for (const phone of [left, stayed]) {
    await untilOne(world, phone, [({ errorCategory }) => errorCategory === 'endpoint_paused', 'it does not wait'])
  }
  // As it is after a kill: one was begun, and its request had left.
  await sql`update delivery_parts set begun_at = now() where contact_id = ${left.contactId}`.execute(app.db)
  const [{ phone_number: From = '' } = {}] = line.account.numbers
  createMessage(line.account, { To: left.number, From, Body: text })
  await turn('resume')
  await untilSent(world, stayed, 'Your brakes too.')
  assert.deepEqual(
    (await sentTo(world, left)).map(({ sentAt }) => sentAt),
    [null],
  )
  await untilSent(world, left, text)
  assert.deepEqual([takenFor(line, left).length, callsOf(world, line, 'send').length], [1, 1])
})

test('a receipt that comes while it is in doubt ends that: it is not asked, and not sent', async () => {
  await using world = await startWithoutReceipts()
  const { app } = world
  const one = await addLineOf(world)
  planFor(world, one, { send: ['taken and cut'] })
  await one.say(text)
  await untilInDoubt(world, one)
  const [taken] = takenFor(one, one)
  await sql`
    update delivery_parts set accepted_at = now(), provider_id = ${taken?.sid} where contact_id = ${one.contactId}
  `.execute(app.db)
  const { doubtSince } = await untilSent(world, one, text)
  assert.deepEqual([doubtSince, callsOf(world, one, 'look'), callsOf(world, one, 'send').length], [null, [], 1])
})

test('a receipt of a failure that comes while it is asked is what became of it: what Twilio could not deliver does not leave again', async () => {
  await using world = await startWithoutReceipts()
  const one = await addLineOf(world)
  planFor(world, one, { send: ['taken and cut'], look: ['slow'] })
  await one.say(text)
  await untilInDoubt(world, one)
  await passTime(world, 60)
  await until(() => callsOf(world, one, 'look').length === 1, 'it was not asked')
  const [taken] = takenFor(one, one)
  await sql`
    update delivery_parts set failed_at = now(), error_code = '30003', provider_id = ${taken?.sid}
    where contact_id = ${one.contactId}
  `.execute(world.app.db)
  const isOver = ({ errorCategory, dueAt }: { errorCategory: string | null; dueAt: Date | null }) =>
    errorCategory === 'not_delivered' && dueAt === null
  await untilOne(world, one, [isOver, 'it did not fail'])
  assert.equal(callsOf(world, one, 'send').length, 1)
})

test('of two that say the same and of which nobody knows either, none is taken for the other: a person is asked', async () => {
  await using world = await startWithoutReceipts()
  const one = await addLineOf(world)
  planFor(world, one, { send: ['taken and cut', 'cut'], look: ['cut'] })
  await one.say(text)
  await untilInDoubt(world, one)
  await passTime(world, 60)
  await untilLeft(world, one)
  const id = await one.say(text)
  await untilOne(world, one, [(row) => row.id === id && row.doubtSince !== null, 'it is not in doubt'])
  await passTime(world, 60)
  await untilOne(world, one, [(row) => row.id === id && isLeft(row), 'nobody is asked'])
  assert.equal(callsOf(world, one, 'send').length, 2)
})

test('when Twilio falls silent ten are in doubt and no more begin; once it answers all are found, and the others leave', async () => {
  await using world = await startWithoutReceipts()
  const line = await addLine(world)
  const number = newNumber()
  const phones = await Promise.all(Array.from({ length: 14 }, () => addPhone(world, line, number)))
  planFor(world, line, { send: Array.from({ length: 10 }, () => 'taken and cut') })
  const bodies = phones.map((_, n) => `Number ${n} is ready.`)
  await Promise.all(phones.map(({ say }, n) => say(bodies[n] ?? '')))
  await until(() => callsOf(world, line, 'send').length >= 10, 'not all were tried')
  for (let n = 0; n < 3; n += 1) await passTime(world, 20)
  for (const [n, phone] of phones.entries()) await untilSent(world, phone, bodies[n] ?? '')
  assert.deepEqual(
    takenFor(line, { number })
      .map(({ body }) => body)
      .toSorted(),
    bodies.toSorted(),
  )
})
