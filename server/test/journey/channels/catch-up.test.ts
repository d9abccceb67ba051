import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { CatchUp, InMessage } from '../../../src/journey/channels/kinds/kind.ts'
import { openChannels, type ProviderChannel } from '../../../src/journey/channels/open-channels.ts'
import { catchUp } from '../../../src/journey/provider-events/poll/catch-up.ts'
import { claimPolls } from '../../../src/journey/provider-events/poll/poll-store.ts'
import type { TakeIn } from '../../../src/journey/provider-events/take-in.ts'
import { secretKey, startApp } from '../../helpers/harness.ts'
import { askForMissing, untilAsked } from '../../helpers/providers/catching-up.ts'
import { connectSms, type SmsWorld, startSmsWorld } from '../../helpers/providers/sms-world.ts'
import { addTexter } from '../../helpers/providers/twilio.ts'
import { refusing } from '../../helpers/providers/twilio-faults.ts'
import { formOf } from '../../helpers/providers/twilio-messages.ts'
import { until } from '../../helpers/until.ts'

const bodies = async ({ app }: SmsWorld) => {
  const rows = await app.db
    .selectFrom('messages')
    .select('body')
    .where('direction', '=', 'incoming')
    .orderBy('seq')
    .execute()
  return rows.map(({ body }) => body)
}

const minute = 60_000

test('CH47: what was written while the server was away for ten minutes, and Twilio gave up, is kept once when a server starts', async () => {
  await using world = await startSmsWorld()
  const account = world.twilio.addAccount()
  const { phone_number: number } = account.addNumber()
  const ana = addTexter(account, number)
  ana.text('Before there was a channel', {}, false).createdAt -= 60 * minute
  const { id } = await connectSms(world.owner, account, { sender: number })
  await untilAsked(world.app)
  ana.text('Hello')
  await until(async () => (await bodies(world)).length === 1, 'it was not kept')
  // As if all of it had been longer ago.
  await sql`update channel_polls set cursor = cursor - ${30 * minute}`.execute(world.app.db)
  await sql`update channels set last_event_at = now() - interval '1 hour'`.execute(world.app.db)
  world.entrance.loseAnswers()() // connections that are open
  world.entrance.leadTo('https://localhost:1')
  for (const [body, ago] of [
    ['Is anybody there?', 9],
    ['Nobody?', 5],
  ] as const) {
    ana.text(body).createdAt = Date.now() - ago * minute
    const tries = () => account.poster.posted.filter(({ form }) => form.Body === body)
    await until(() => tries().length === 7, 'Twilio has not given up')
    assert.ok(tries().every(({ status }) => typeof status === 'string'))
  }
  world.entrance.leadTo(world.app.url)
  const file = { contentType: 'image/png', bytes: Buffer.from('no picture') }
  const last = ana.text('This is it', { files: [file, file] }, false)
  {
    await using _second = await startApp(world.environment, world.app.database)
    await until(async () => (await bodies(world)).length >= 5, 'not all was kept when a server started')
    await untilAsked(world.app)
  }
  const kept = ['Hello', 'Is anybody there?', 'Nobody?', 'This is it', '']
  assert.deepEqual(await bodies(world), kept)
  const { rows: late } = await sql<{ body: string }>`
    select m.body from messages m join message_details d on d.account_id = m.account_id and d.message_id = m.id
    where d.provider_at < now() - interval '4 minutes' order by m.seq
  `.execute(world.app.db)
  assert.deepEqual(
    late.map(({ body }) => body),
    ['Is anybody there?', 'Nobody?'],
    'when they were written is kept',
  )

  // Twilio comes back to one of them, and is asked once more.
  const heard = async () =>
    (await sql<{ at: Date }>`select last_event_at as at from channels where id = ${id}`.execute(world.app.db)).rows[0]
      ?.at
  await sql`update channels set last_event_at = now() - interval '1 hour'`.execute(world.app.db)
  const before = await heard()
  await askForMissing(world.app)
  assert.deepEqual([await bodies(world), await heard()], [kept, before], 'nothing new has come')
  const [url] = account.poster.posted.map((one) => one.url)
  await account.poster.post({ url: url ?? '', form: formOf(account, last) })
  assert.deepEqual([account.poster.posted.at(-1)?.status, await bodies(world)], [200, kept])
})

test('what was written hours ago is left to a person, as whatever waits for an answer for long', async () => {
  await using world = await startSmsWorld()
  const account = world.twilio.addAccount()
  const { phone_number: number } = account.addNumber()
  await connectSms(world.owner, account, { sender: number })
  await untilAsked(world.app)
  await sql`update channel_polls set cursor = cursor - ${300 * minute}`.execute(world.app.db)
  const ana = addTexter(account, number)
  ana.text('When do you open?', {}, false).createdAt -= 120 * minute
  await askForMissing(world.app)
  const reasons = () => world.app.db.selectFrom('answers').select('reason').execute()
  await until(async () => (await reasons()).length > 0, 'nobody decided')
  assert.deepEqual(await reasons(), [{ reason: 'stale' }])
})

test('while Twilio does not answer, nothing is lost: it is asked again, and what came is kept then', async () => {
  await using world = await startSmsWorld()
  const account = world.twilio.addAccount()
  const { phone_number: number } = account.addNumber()
  await connectSms(world.owner, account, { sender: number })
  await untilAsked(world.app)
  const ana = addTexter(account, number)
  ana.text('Hello', {}, false).createdAt += 1_000 // its time is told in whole seconds
  world.twilio.plan('list', refusing(503, 20_503))
  await sql`update channel_polls set due_at = now()`.execute(world.app.db)
  const isPutOff = async () => {
    const { rows } = await sql`
      select from channel_polls where lease_token is null and due_at between now() + interval '40 s' and now() + interval '2 minutes'
    `.execute(world.app.db)
    return rows.length > 0
  }
  await until(isPutOff, 'it is not asked again soon')
  assert.deepEqual(await bodies(world), [])
  await sql`update channel_polls set due_at = now()`.execute(world.app.db)
  await untilAsked(world.app)
  assert.deepEqual(await bodies(world), ['Hello'])
})

test('a copy that was made of a backup asks for nothing, a removed channel neither, and one that is connected again begins anew', async () => {
  await using world = await startSmsWorld()
  const { app, owner, twilio } = world
  const account = twilio.addAccount()
  const { phone_number: number } = account.addNumber()
  const { id } = await connectSms(owner, account, { sender: number })
  await untilAsked(world.app)
  const ana = addTexter(account, number)
  await sql`insert into installation (secret_key_check, restored_at) values ('none', now())`.execute(app.db)
  ana.text('While it is held', {}, false)
  await sql`update channel_polls set due_at = now()`.execute(app.db)
  assert.deepEqual(await claimPolls(app.db, 10), [])
  assert.equal((await owner.call('DELETE', `/api/channels/${id}`)).status, 200)
  assert.deepEqual(await app.db.selectFrom('channelPolls').selectAll().execute(), [])
  await sql`delete from installation`.execute(app.db)
  ana.text('While it was removed', {}, false).createdAt -= minute
  const again = await connectSms(owner, account, { sender: number })
  assert.equal(again.id, id)
  await untilAsked(world.app)
  ana.text('It is back', {}, false).createdAt += 1_000
  await askForMissing(world.app)
  assert.deepEqual(await bodies(world), ['It is back'])
})

/** A channel whose provider lists what a test says, and what is kept of it. */
async function startLists(world: SmsWorld, list: (since: number) => InMessage[]) {
  const account = world.twilio.addAccount()
  const { phone_number: number } = account.addNumber()
  await connectSms(world.owner, account, { sender: number })
  await untilAsked(world.app)
  const ctx = { db: world.app.db, secretKey, log: pino({ enabled: false }), hint: () => {} }
  const channels = openChannels(ctx)
  const asked: number[] = []
  const side: CatchUp<unknown, unknown> = {
    everySeconds: 600,
    // biome-ignore lint/correctness/useYield: it asks nobody
    *list(since) {
      asked.push(since)
      return list(since)
    },
  }
  const find: typeof channels.find = async (ref) => {
    const found = (await channels.find(ref)) as ProviderChannel
    return { ...found, kind: { ...found.kind, catchUp: side } }
  }
  const kept: InMessage[] = []
  const takeIn: TakeIn = async (_channel, events) => {
    kept.push(...events.filter((one) => one.is === 'message'))
    return true
  }
  const call = async () => assert.fail('nobody is called')
  const cursor = async () =>
    Number((await world.app.db.selectFrom('channelPolls').select('cursor').executeTakeFirst())?.cursor)
  const run = async () => {
    await sql`update channel_polls set due_at = now(), lease_token = null, leased_until = null`.execute(world.app.db)
    const [poll] = await claimPolls(world.app.db, 1)
    assert.ok(poll)
    await catchUp({ ...ctx, channels: { ...channels, find }, call, takeIn }, poll, new AbortController().signal)
  }
  return { asked, kept, cursor, run }
}

function messageAt(at: number): InMessage {
  const names = { firstName: null, lastName: null, username: null }
  const from = { addresses: [{ kind: 'phone' as const, address: '+447700900123' }], names }
  const nothing = { file: null, replyTo: null, data: {}, acknowledge: null }
  return { is: 'message', id: `SM${at}`, at, from, body: String(at), mayBeAnswered: false, ...nothing }
}

test('a list that is cut off is gone on with until nothing is new, also where more came within the overlap than one list has', async () => {
  await using world = await startSmsWorld()
  const began = Date.now() - 5 * minute
  const all = Array.from({ length: 25 }, (_, n) => messageAt(began + n * 1_000))
  const lists = await startLists(world, (since) => all.filter(({ at }) => at >= since).slice(0, 10))
  await sql`update channel_polls set cursor = ${began - 60 * minute}`.execute(world.app.db)
  await lists.run()
  assert.equal(new Set(lists.kept.map(({ id }) => id)).size, 25)
  assert.equal(await lists.cursor(), all.at(-1)?.at)
  assert.equal(lists.asked[0], began - 70 * minute, 'ten minutes before the last that is kept')
  const asked = lists.asked.length
  await lists.run()
  assert.equal(lists.asked.at(asked), Number(all.at(-1)?.at) - 10 * minute)
})

test('what cannot be listed whole for now is asked for again, and a time ahead of ours keeps us from nothing', async () => {
  await using world = await startSmsWorld()
  const began = Date.now() - 180 * minute
  let left = 0
  const all = [messageAt(began), messageAt(began + minute), messageAt(Date.now() + 600 * minute)]
  const lists = await startLists(world, (since) => all.slice(0, all.length - left).filter(({ at }) => at >= since))
  left = 3
  await sql`update channel_polls set cursor = ${began - minute}`.execute(world.app.db)
  await lists.run()
  assert.deepEqual([lists.kept, await lists.cursor()], [[], began - minute], 'what is missing may still come')
  left = 1
  await lists.run()
  assert.equal(await lists.cursor(), began + minute)
  left = 0
  await lists.run()
  assert.ok((await lists.cursor()) <= Date.now())
  assert.equal(new Set(lists.kept.map(({ id }) => id)).size, 3)
})
