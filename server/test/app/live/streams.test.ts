import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { limits } from '@patchbay/contract/limits.ts'
import type { FastifyReply } from 'fastify'
import { openRegistry } from '../../../src/app/live/registry.ts'
import type { Session } from '../../../src/business/sessions/session-store.ts'
import { contactOf, write } from '../../helpers/bots.ts'
import { sharedApp, startApp } from '../../helpers/harness.ts'
import { type LiveStream, openLive } from '../../helpers/live-streams.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

test('two servers on one database tell each other what changed, and other accounts nothing', async () => {
  await using one = await sharedApp()
  await using two = await startApp({}, one.database)
  const account = await one.makeAccount()
  const other = await one.makeAccount()
  using here = await openLive(one, (await signIn(one, account)).cookie)
  using there = await openLive(two, (await signIn(two, account)).cookie)
  using foreign = await openLive(two, (await signIn(two, other)).cookie)
  await write(account, 'Hello')
  const contactId = await contactOf(one)
  await Promise.all([here, there].map((stream) => stream.untilAnnounced(contactId, 'contacts')))
  await write(other, 'Hello', { fromId: 'ben' })
  await foreign.untilAnnounced(await contactOf(one, 'ben'))
  assert.ok(!foreign.announced().has(contactId))
})

test('a stream is not cached, not buffered, and carries the request id', async () => {
  await using app = await sharedApp()
  using stream = await openLive(app, (await signIn(app, await app.makeAccount())).cookie)
  assert.equal(stream.headers['content-type'], 'text/event-stream')
  assert.equal(stream.headers['cache-control'], 'no-store')
  assert.equal(stream.headers['x-accel-buffering'], 'no')
  assert.match(String(stream.headers['x-request-id']), /[\w-]{8}/)
})

test('nobody hears a stream without a session', async () => {
  await using app = await sharedApp()
  using stream = await openLive(app, '__Host-patchbay=unknown')
  assert.equal(stream.status, 401)
})

test('when the connection for notifications is lost, every stream is told to fetch anew once it is back', async () => {
  await using app = await startApp()
  const account = await app.makeAccount()
  using stream = await openLive(app, (await signIn(app, account)).cookie)
  const end = () =>
    app.pools.keys.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'patchbay listen' and datname = current_database()`,
    )
  await until(async () => ((await end()).rowCount ?? 0) > 0, 'nobody listens')
  await until(() => stream.hellos() > 1, 'no second hello came')
  const [first, second] = stream.events.filter((event) => event.kind === 'hello')
  assert.deepEqual(first, second)
  await write(account, 'Hello')
  await stream.untilAnnounced(await contactOf(app))
})

test('an account has so many streams, and one more is refused with a sentence until one has ended', async () => {
  await using app = await sharedApp()
  const [account, other] = [await app.makeAccount(), await app.makeAccount()]
  const { cookie } = await signIn(app, account)
  const open = await Promise.all(Array.from({ length: limits.streamsPerAccount }, () => openLive(app, cookie)))
  assert.deepEqual([...new Set(open.map(({ status }) => status))], [200])
  using refused = await openLive(app, cookie)
  assert.equal(refused.status, 429)
  assert.match(refused.text(), /"RATE_LIMITED".*This account has too many live streams; poll instead/)
  assert.match(String(refused.headers['retry-after']), /^\d+$/)
  using elsewhere = await openLive(app, (await signIn(app, other)).cookie)
  assert.equal(elsewhere.status, 200)
  open.pop()?.[Symbol.dispose]()
  await until(async () => {
    const again: LiveStream = await openLive(app, cookie)
    open.push(again)
    return again.status === 200
  }, 'the place was not freed')
  for (const stream of open) stream[Symbol.dispose]()
})

test('signing out ends the streams of that session and no others, in every process', async () => {
  await using one = await sharedApp()
  await using two = await startApp({}, one.database)
  const account = await one.makeAccount()
  const [mine, colleague] = [await signIn(one, account), await signIn(one, account)]
  using ending = await openLive(two, mine.cookie)
  using staying = await openLive(two, colleague.cookie)
  await mine.call('DELETE', '/api/session')
  await ending.untilEnded()
  assert.equal(ending.events.at(-1)?.kind, 'signed out')
  assert.ok(staying.isOpen())
  await colleague.call('DELETE', '/api/sessions')
  await staying.untilEnded()
})

test('a session that ends without a word ends its stream too', async () => {
  await using app = await startApp()
  using stream = await openLive(app, (await signIn(app, await app.makeAccount())).cookie)
  await app.pools.keys.query('delete from sessions')
  await stream.untilEnded()
})

test('a server that stops ends its streams at once, and is not held up by them', async () => {
  const app = await startApp()
  const { cookie } = await signIn(app, await app.makeAccount())
  using stream = await openLive(app, cookie)
  const [stopped] = await Promise.all([app[Symbol.asyncDispose]().then(() => 'stopped'), stream.untilEnded()])
  assert.equal(stopped, 'stopped')
})

test('a message whose hint was lost is announced all the same', async () => {
  await using app = await startApp()
  const account = await app.makeAccount()
  await write(account, 'Hello')
  const contactId = await contactOf(app)
  using stream = await openLive(app, (await signIn(app, account)).cookie)
  await write(account, 'Hello again')
  await stream.untilAnnounced(contactId)
  stream.forget()
  // As a process leaves it that dies between its commit and its notification.
  await app.pools.keys.query('update conversations set last_seq = last_seq + 1, active_at = now()')
  await stream.untilAnnounced(contactId)
})

test('a browser that goes away before its stream has begun leaves no place taken', async () => {
  const raw = Object.assign(new PassThrough(), { writeHead: () => {} })
  raw.destroy()
  await once(raw, 'close')
  const reply = { raw, hijack: () => {}, getHeaders: () => ({}) } as unknown as FastifyReply
  const registry = openRegistry()
  registry.add({ accountId: `acc_${'1'.repeat(32)}` } as Session, reply)
  await until(() => registry.count() === 0, 'its place is not given back')
  assert.deepEqual(registry.audiences(), [])
})
