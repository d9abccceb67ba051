import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { commandsWith, type Document, readDocument as read, startBeside } from '../helpers/commands.ts'
import { sendOne, untilMessage, untilMessages, verify } from '../helpers/deliveries.ts'
import { countTraces, incoming, incomingPath } from '../helpers/message-requests.ts'
import { startReceiver, startTcp } from '../helpers/receivers.ts'
import { makeDataFolder, runCli } from '../helpers/server-process.ts'

const beside = await startBeside()
after(() => beside[Symbol.asyncDispose]())
const { app, run } = beside

const token = /^whsec_[A-Za-z0-9+/]{43}=$/

test('an operator sets, shows, tests, rotates, pauses, resumes and removes a webhook beside a running server', async () => {
  const began = Date.now()
  const shop = await app.makeAccount()
  const show = async () => read(await run(shop, 'webhook', 'show')).webhooks
  await using dead = await startTcp(() => {})
  await dead[Symbol.asyncDispose]()
  let secret = ''
  await using receiver = await startReceiver((request, response) => {
    try {
      verify(secret, request)
      response.end()
    } catch {
      response.writeHead(401).end()
    }
  })
  assert.deepEqual(await show(), [])

  // An unreachable receiver: its URL can be saved, and messages wait.
  const set = read(await run(shop, 'webhook', 'set', '--url', dead.url))
  assert.deepEqual([set.url, set.failed, Object.keys(set)], [dead.url, 0, ['url', 'secret', 'failed']])
  secret = set.secret
  assert.match(secret, token)
  const failed = read(await run(shop, 'webhook', 'test'))
  assert.deepEqual(
    { ...failed, durationMs: 0 },
    {
      url: dead.url,
      status: 'Failed',
      error: { category: 'connection_refused', httpStatus: null, detail: 'The host refused the connection.' },
      durationMs: 0,
      checksSignature: null,
    },
  )
  assert.deepEqual(await countTraces(app), {}, 'a test stores nothing')
  const id = await sendOne(shop)
  const waiting = await untilMessage(app, shop, ({ status }) => status === 'Failed')
  assert.ok((waiting.nextAttemptAt?.getTime() ?? 0) > Date.now() + 1_800_000)
  assert.equal((await show())[0].state, 'failing')

  // A corrected URL retries at once what was due in an hour, and keeps the secret.
  const url = `${receiver.url}hook?x=1`
  assert.deepEqual(read(await run(shop, 'webhook', 'set', '--url', url)), { url, secret, failed: 0 })
  await untilMessage(app, shop, ({ status }) => status === 'Sent')
  assert.deepEqual([receiver.requests.length, receiver.requests[0]?.headers['webhook-id']], [1, id])

  const { message, attempts } = read(await run(shop, 'messages', '--message', id))
  assert.deepEqual(
    [message.id, message.status, message.attempts, message.error, message.media],
    [id, 'Sent', 2, null, null],
  )
  assert.deepEqual(
    attempts.map(({ n, url: used, category, httpStatus, detail }: Document) => [n, used, category, httpStatus, detail]),
    [
      [2, `${receiver.url}hook`, null, null, null],
      [1, dead.url, 'connection_refused', null, 'The host refused the connection.'],
    ],
  )
  for (const { at, durationMs } of attempts) assert.ok(Date.parse(at) >= began && durationMs >= 0)

  const tested = read(await run(shop, 'webhook', 'test'))
  assert.deepEqual([tested.status, tested.error, tested.checksSignature], ['Sent', null, true])
  const [, good, wrong] = receiver.requests
  assert.deepEqual(good?.body, wrong?.body)
  assert.deepEqual(Object.keys(JSON.parse(String(good?.body))), [
    'contactId',
    'messageId',
    'userId',
    'body',
    'toId',
    'channel',
  ])
  assert.deepEqual([good?.headers['webhook-id'], JSON.parse(String(good?.body)).messageId], ['msg_test', 'msg_test'])
  assert.equal((await countTraces(app)).messages, 1)

  const { secret: second } = read(await run(shop, 'webhook', 'rotate'))
  const [shown] = await show()
  assert.deepEqual(
    [shown.kind, shown.url, shown.state, shown.failuresInRow, shown.secrets],
    ['reply', url, 'working', 0, [second, secret]],
  )
  const { secret: third } = read(await run(shop, 'webhook', 'rotate', '--leaked'))
  assert.deepEqual((await show())[0].secrets, [third])
  secret = third

  assert.deepEqual(read(await run(shop, 'webhook', 'pause')), { paused: true })
  await sendOne(shop, { body: 'held' })
  const [held] = await untilMessages(app, shop, ([first]) => first?.error?.category === 'endpoint_paused')
  assert.deepEqual([held?.attempts, receiver.requests.length, (await show())[0].state], [0, 3, 'paused'])
  assert.deepEqual(read(await run(shop, 'webhook', 'resume')), { paused: false })
  await untilMessages(app, shop, ([first]) => first?.status === 'Sent')

  assert.deepEqual(read(await run(shop, 'resend', '--message', id)), { resent: 1 })
  while (receiver.requests.length < 5) await sleep(15)
  assert.deepEqual(receiver.requests[4]?.body, receiver.requests[0]?.body)
  assert.equal(receiver.requests[4]?.headers['webhook-id'], id)

  assert.deepEqual(read(await run(shop, 'webhook', 'remove')), { removed: true })
  assert.deepEqual(await show(), [])
  await sendOne(shop)
  await untilMessages(app, shop, ([first]) => first?.error?.category === 'no_endpoint')
  const anew = read(await run(shop, 'webhook', 'set', '--url', receiver.url))
  assert.deepEqual([anew.failed, anew.secret === third], [1, false], 'it says what could be sent again')
  secret = anew.secret
  const since = new Date(Date.now() - 3_600_000).toISOString()
  assert.deepEqual(read(await run(shop, 'resend', '--failed', '--since', since)), { resent: 1 })
  await untilMessages(app, shop, ([first]) => first?.status === 'Sent')
})

test('webhook test reports whether a receiver verifies signatures, and each kind of event has its own URL', async () => {
  const shop = await app.makeAccount()
  await using careless = await startReceiver()
  const secrets: string[] = []
  for (const kind of ['reply', 'recharge']) {
    const { secret } = read(await run(shop, 'webhook', 'set', '--url', careless.url + kind, '--kind', kind))
    secrets.push(secret)
    const tested = read(await run(shop, 'webhook', 'test', '--kind', kind))
    assert.deepEqual([tested.status, tested.checksSignature], ['Sent', false])
  }
  assert.notEqual(secrets[0], secrets[1])
  const [, , recharge] = careless.requests
  assert.ok(recharge)
  verify(secrets[1] ?? '', recharge)
  assert.throws(() => verify(secrets[1] ?? '', careless.requests[3] ?? recharge), 'the second one is signed wrongly')
  const event = JSON.parse(String(recharge.body))
  const names = ['event', 'idempotency_key', 'sub_account_id', 'email', 'balance', 'threshold', 'amount', 'created_at']
  assert.deepEqual(Object.keys(event), names)
  assert.equal(event.idempotency_key, recharge.headers['webhook-id'])
  read(await run(shop, 'webhook', 'remove', '--kind', 'recharge'))
  const { webhooks } = read(await run(shop, 'webhook', 'show'))
  assert.deepEqual(
    webhooks.map(({ kind, url }: Document) => [kind, url]),
    [['reply', `${careless.url}reply`]],
  )
})

test('webhook commands work without a server, and each process exits', async () => {
  await using folder = await makeDataFolder()
  const environment = { DATA_DIR: folder.path }
  const commands = commandsWith(environment)
  read(await commands.run('account', 'create', '--email', 'shop@example.com', '--json'))
  const url = 'http://localhost:9/hook'
  const words = ['--account', 'shop@example.com', '--json']
  const { secret } = read(await runCli(environment, 'webhook', 'set', '--url', url, ...words))
  const { webhooks } = read(await commands.run('webhook', 'show', ...words))
  assert.deepEqual([webhooks[0].url, webhooks[0].secrets], [url, [secret]])
  assert.equal(read(await commands.run('webhook', 'test', ...words)).error.category, 'connection_refused')
  assert.deepEqual(read(await commands.run('messages', ...words)), { messages: [] })
})

test('without --json every value is printed as readable text', async () => {
  const shop = await app.makeAccount()
  read(await run(shop, 'webhook', 'set', '--url', 'http://127.0.0.1:9/'))
  const id = await sendOne(shop)
  await shop.post(incomingPath, incoming({ mediaUrl: 'https://10.0.0.1/a.png', mediaContentType: 'image/png' }))
  await untilMessages(app, shop, (all) => all.some(({ status }) => status === 'Failed'))
  const lines = [['webhook', 'show'], ['webhook', 'test'], ['messages'], ['messages', '--message', id]]
  for (const words of lines) {
    const { code, stdout } = await beside.commands.run(...words, '--account', shop.email)
    assert.equal(code, 0)
    assert.match(stdout, /127\.0\.0\.1:9|connection_refused/)
    assert.doesNotMatch(stdout, /\[object/, words.join(' '))
  }
})
