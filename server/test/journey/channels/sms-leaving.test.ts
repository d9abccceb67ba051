import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { startApp } from '../../helpers/harness.ts'
import { openClient } from '../../helpers/https-client.ts'
import { png } from '../../helpers/media-files.ts'
import { readChannel } from '../../helpers/providers/channel-world.ts'
import {
  addLine,
  addLineOf,
  addPhone,
  callsOf,
  type Line,
  makeBroadcasts,
  type Phone,
  sentTo,
  takenFor,
  untilOne,
} from '../../helpers/providers/sms-phones.ts'
import { type SmsWorld, startSmsWorld } from '../../helpers/providers/sms-world.ts'
import { until } from '../../helpers/until.ts'

async function turn({ owner }: SmsWorld, { channel }: Line, way: 'pause' | 'resume' | 'check'): Promise<void> {
  const { status, body } = await owner.call('POST', `/api/channels/${channel.id}/${way}`, {})
  assert.equal(status, 200, JSON.stringify(body))
}

const untilSent = (world: SmsWorld, phone: Phone, body: string) =>
  untilOne(world, phone, [(row) => row.body === body && row.sentAt !== null, `${body} was not sent`])

const untilFailed = (world: SmsWorld, phone: Phone, category: string) =>
  untilOne(world, phone, [(row) => row.errorCategory === category, `it did not fail with ${category}`])

const validFor = (world: SmsWorld, line: Line) =>
  callsOf(world, line, 'send').map(({ form }) => Math.round(Number(form.ValidityPeriod) / 60))

test('what is left of four hours is what Twilio may take for it, and what is older expires here without being asked about', async () => {
  await using world = await startSmsWorld()
  const line = await addLine(world)
  const [fresh, old, tooOld] = [await addPhone(world, line), await addPhone(world, line), await addPhone(world, line)]
  await turn(world, line, 'pause')
  for (const { say } of [fresh, old, tooOld]) await say('Your tyres are here.')
  for (const phone of [fresh, old, tooOld]) await untilFailed(world, phone, 'endpoint_paused')
  const age = (phone: Phone, minutes: number) =>
    sql`
      update messages set created_at = now() - ${minutes} * interval '1 minute'
      where contact_id = ${phone.contactId} and direction = 'outgoing'
    `.execute(world.app.db)
  await age(old, 180)
  await age(tooOld, 241)
  await turn(world, line, 'resume')
  for (const phone of [fresh, old]) await untilSent(world, phone, 'Your tyres are here.')
  const { id } = await untilFailed(world, tooOld, 'expired')
  assert.deepEqual(
    validFor(world, line).toSorted((one, other) => one - other),
    [60, 240],
  )
  assert.deepEqual(takenFor(line, tooOld), [])

  const path = `/api/conversations/${tooOld.contactId}/messages/${id}/again`
  assert.equal((await world.owner.call('POST', path, {})).status, 200)
  await untilSent(world, tooOld, 'Your tyres are here.')
  assert.equal(validFor(world, line).at(-1), 240, 'whoever asks for it wants it to arrive')
})

async function attach({ owner }: SmsWorld, { contactId }: Phone): Promise<string> {
  const query = new URLSearchParams({ fileName: 'Felge "18".png', contentType: 'image/png' })
  const { status, body } = await owner.call('POST', `/api/conversations/${contactId}/files?${query}`, png)
  assert.equal(status, 200, JSON.stringify(body))
  return body.id
}

test('a file leaves by a link that Twilio fetches: this one file, as an attachment, for an hour, and by no other address', async () => {
  await using world = await startSmsWorld()
  const one = await addLineOf(world)
  await one.say('The rim', { fileId: await attach(world, one) })
  await until(() => (takenFor(one, one)[0]?.files.length ?? 0) > 0, 'it was not fetched')
  const [message] = takenFor(one, one)
  assert.deepEqual([message?.body, message?.files[0]?.contentType], ['The rim', 'image/png'])
  assert.deepEqual(message?.files[0]?.bytes, png)

  const url = String(message?.asked.MediaUrl)
  assert.ok(url.startsWith(`${world.entrance.url}/files/`), url)
  const client = openClient({})
  const { status, headers } = await client.send(url)
  assert.deepEqual([status, headers['content-type'], headers['content-length']], [200, 'image/png', String(png.length)])
  assert.match(String(headers['content-disposition']), /^attachment; filename="Felge _18_\.png"/)
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.match(String(headers['content-security-policy']), /sandbox/)
  const own = url.slice(url.lastIndexOf('/') + 1)
  const wrong = [own.slice(2), `p.${own}`, `${own.slice(0, -4)}AAAA`, own.replace(/^p\.(.)/, 'p.0$1'), 'p.', '']
  for (const token of wrong) {
    const { status: refused } = await client.send(`${world.entrance.url}/files/${token}`)
    assert.equal(refused, 404, token)
  }
  await sql`update attachments set state = 'removed', media_id = null`.execute(world.app.db)
  assert.equal((await client.send(url)).status, 404)
  client.close()
})

test('a file that is gone fails its message before Twilio is asked', async () => {
  await using world = await startSmsWorld()
  const line = await addLine(world)
  const phone = await addPhone(world, line)
  await turn(world, line, 'pause')
  await phone.say('The rim', { fileId: await attach(world, phone) })
  await sql`update attachments set state = 'removed', media_id = null`.execute(world.app.db)
  await turn(world, line, 'resume')
  await untilFailed(world, phone, 'file_removed')
  assert.deepEqual(callsOf(world, line, 'send'), [])
})

test('where no public address is set any more, a file fails its message in words, and a text leaves', async () => {
  await using world = await startSmsWorld({ ROLE: 'api' })
  const one = await addLineOf(world)
  const environment: Record<string, string> = { ...world.environment, ROLE: 'worker' }
  delete environment.PUBLIC_URL
  await using _worker = await startApp(environment, world.app.database)
  await one.say('The rim', { fileId: await attach(world, one) })
  await untilFailed(world, one, 'file_refused')
  await one.say('Your tyres are here.')
  await untilSent(world, one, 'Your tyres are here.')
  assert.equal(callsOf(world, one, 'send').length, 1)
})

test('CH38 who has stopped at Twilio is stopped here: what says so fails with its reason, and nothing else is tried', async () => {
  await using world = await startSmsWorld()
  const one = await addLineOf(world)
  one.account.ends.set(one.number, { refused: 21_610 })
  await one.say('Your tyres are here.')
  await untilFailed(world, one, 'blocked')
  const { rows } = await sql`
    select k.stop_scope, k.stop_source, array(
      select e.kind from conversation_events e where e.contact_id = k.contact_id and e.kind = 'blocked'
    ) as events
    from contact_channels k where k.contact_id = ${one.contactId}
  `.execute(world.app.db)
  assert.deepEqual(rows, [{ stopScope: 'all', stopSource: 'provider', events: ['blocked'] }])
  await assert.rejects(one.say('Until six today.'), /409/)
  assert.equal(callsOf(world, one, 'send').length, 1)
})

test('a sender that is not registered at Twilio calls for its owner: what waits uses up no try, and leaves in order once it is', async () => {
  await using world = await startSmsWorld()
  const one = await addLineOf(world)
  one.account.ends.set(one.number, { refused: 30_034 })
  await one.say('One')
  await until(async () => (await readChannel(world.owner, one.channel.id)).state === 'attention', 'nobody is told')
  await one.say('Two')
  const { attention, checks } = await readChannel(world.owner, one.channel.id)
  assert.equal(attention?.reason, 'not registered')
  assert.match(JSON.stringify(checks), /30034/)
  await until(
    async () => (await sentTo(world, one)).every(({ errorCategory }) => errorCategory === 'endpoint_paused'),
    'they do not wait for the channel',
  )
  assert.deepEqual(
    (await sentTo(world, one)).map(({ attempts }) => attempts),
    [0, 0],
  )
  one.account.ends.delete(one.number)
  await turn(world, one, 'check')
  await untilSent(world, one, 'Two')
  assert.deepEqual(
    takenFor(one, one).map(({ body }) => body),
    ['One', 'Two'],
  )
})

/** A text of so many segments. */
const ofSegments = (count: number, n: number) => `${n} `.padEnd(count === 1 ? 20 : 153 * count - 10, 'x')

test('CH33 two servers together never exceed the rate of a channel in segments, and a reply does not wait for a broadcast', async (t) => {
  await using world = await startSmsWorld()
  await using _second = await startApp(world.environment, world.app.database)
  const line = await addLine(world, { perSecond: 5 })
  const phones = await Promise.all(Array.from({ length: 30 }, () => addPhone(world, line)))
  const late = await addPhone(world, line)
  await sleep(600) // a channel is read again twice a second
  await using _broadcasts = await makeBroadcasts(world.app, `new.contact_id <> ''${late.contactId}''`)
  const costs = phones.map((_, n) => 1 + (n % 3))
  const waiting = phones.entries()
  const sayNext = async () => {
    for (const [n, { say }] of waiting) await say(ofSegments(costs[n] ?? 1, n))
  }
  await Promise.all(Array.from({ length: 6 }, sayNext))
  const saidAt = Date.now()
  await late.say('Now')
  await untilSent(world, late, 'Now')
  const tookMs = (callsOf(world, line, 'send').find(({ form }) => form.Body === 'Now')?.at ?? 0) - saidAt
  assert.ok(tookMs < 2_000, `a reply waited for ${tookMs} ms`)
  for (const [n, phone] of phones.entries()) await untilSent(world, phone, ofSegments(costs[n] ?? 1, n))

  const rows = (await Promise.all([late, ...phones].map((phone) => sentTo(world, phone)))).flat()
  const segments = rows.flatMap(({ begunAt, body }) => {
    const count = body.length <= 160 ? 1 : Math.ceil(body.length / 153)
    return Array.from({ length: count }, (_, n) => (begunAt?.getTime() ?? 0) + n * 200)
  })
  assert.equal(segments.length, 1 + costs.reduce((sum, one) => sum + one, 0))
  // Times are cut to milliseconds.
  const inSecond = segments.map((at) => segments.filter((other) => other >= at && other < at + 999).length)
  assert.ok(Math.max(...inSecond) <= 5, `${Math.max(...inSecond)} segments have their place in one second`)
  t.diagnostic(`the reply left after ${tookMs} ms`)
})
