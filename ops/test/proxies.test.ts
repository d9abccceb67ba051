import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeCertificate } from '../../server/src/platform/https-server/make-certificate.ts'
import { makeDatabase, urlOf } from '../../server/test/helpers/databases.ts'
import { openClient } from '../../server/test/helpers/https-client.ts'
import { openLive } from '../../server/test/helpers/live-streams.ts'
import { incoming } from '../../server/test/helpers/message-requests.ts'
import { apiKey, makeDataFolder, startProcess } from '../../server/test/helpers/server-process.ts'
import { until } from '../../server/test/helpers/until.ts'
import { openWindow } from '../../server/test/helpers/website-chat/chat-window.ts'
import { openVisitor } from '../../server/test/helpers/website-chat/door.ts'
import { proxies, startProxy } from './proxy-process.ts'

const owner = { email: 'ana@example.com', password: 'a password of the owner' }
const path = '/v1/incoming_custom_channel_message'

/** Two servers on one database, and the proxy in front of them with its sample file. */
async function startBehind(name: string) {
  await using starting = new AsyncDisposableStack()
  const database = starting.use(await makeDatabase({ empty: true }))
  const shared = {
    DATABASE_URL: urlOf(database.address),
    SECRET_KEY: 'the same on every machine',
    SERVE_APP: '1',
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: 'info',
    OWNER_EMAIL: owner.email,
    OWNER_PASSWORD: owner.password,
  }
  const start = async () => {
    const folder = starting.use(await makeDataFolder({ bare: true }))
    const server = starting.use(await startProcess({ DATA_DIR: folder.path, ...shared }))
    return { server, certificate: await readFile(join(folder.path, 'tls/cert.pem'), 'utf8') }
  }
  const [one, two] = [await start(), await start()]
  const folder = starting.use(await makeDataFolder({ bare: true }))
  const { cert, key } = await makeCertificate('localhost')
  const proxy = starting.use(
    await startProxy(name, {
      folder: folder.path,
      servers: [one, two].map(({ server }) => `127.0.0.1:${new URL(server.url).port}`),
      certificates: one.certificate + two.certificate,
      certificate: cert,
      key,
    }),
  )
  const client = openClient({ certificate: cert })
  starting.defer(client.close)
  const post = (body: unknown) =>
    client.send(proxy.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
      body: JSON.stringify(body),
    })
  const started = starting.move()
  const servers = [one.server, two.server] as const
  return {
    url: proxy.url,
    output: proxy.output,
    cert,
    client,
    post,
    servers,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

for (const [name, { program }] of Object.entries(proxies)) {
  const isMissing = spawnSync(program, ['--help'], { stdio: 'ignore' }).error !== undefined
  if (isMissing) continue // the caller names it

  test(`behind ${name}: a message, a page, the live stream at once, and a chat on a page of a shop`, async () => {
    await using behind = await startBehind(name)
    const { client, url } = behind
    const page = await client.send(url, { headers: { accept: 'text/html' } })
    assert.equal(page.status, 200)
    assert.match(page.text, /<script type="module"/)
    const signedIn = await client.send(`${url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url },
      body: JSON.stringify(owner),
    })
    assert.equal(signedIn.status, 200, signedIn.text)
    const cookie = String(signedIn.headers['set-cookie']).split(';')[0] ?? ''
    using live = await openLive({ url, certificate: behind.cert }, cookie)
    assert.equal(live.status, 200)
    live.forget()
    assert.equal((await behind.post(incoming())).status, 200)
    await until(() => live.announced().size > 0, 'the stream did not announce the message')

    const chat = await client.send(`${url}/api/channels`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, cookie },
      body: JSON.stringify({ kind: 'webchat', settings: { pages: ['shop.example'] } }),
    })
    const { id: channelId } = JSON.parse(chat.text)
    const server = () => ({ url, certificate: behind.cert })
    const visitor = openVisitor({ client, server, channelId, origin: 'https://shop.example' }, '203.0.113.9')
    assert.equal((await visitor.write('Hello')).status, 201)
    const loader = await client.send(`${url}/chat/${channelId}.js`)
    assert.ok(loader.text.includes(channelId))
    const stream = { url: `${url}/chat/${channelId}/stream?after=1`, certificate: behind.cert }
    using panel = await openWindow(stream, visitor.headers)
    await panel.untilEvent('hello')
    assert.equal((await visitor.write('At once')).status, 201)
    await panel.untilTexts('At once')
  })

  test(`behind ${name}: a large file passes, and what is too large gets our own answer`, async () => {
    await using behind = await startBehind(name)
    const file = (bytes: number) => `data:application/octet-stream;base64,${Buffer.alloc(bytes, 7).toString('base64')}`
    const large = incoming({ mediaUrl: file(10 * 2 ** 20), mediaContentType: 'application/octet-stream' })
    assert.equal((await behind.post(large)).status, 200)
    const tooLarge = await behind.post(incoming({ body: 'x'.repeat(16.5 * 2 ** 20) }))
    assert.equal(tooLarge.status, 413)
    assert.match(tooLarge.text, /^\{"error":"/)
  })

  test(`behind ${name}: the log has the client's address, whatever the client claims`, async () => {
    await using behind = await startBehind(name)
    await new Promise<void>((done, fail) => {
      const options = { ca: behind.cert, localAddress: '127.0.0.2', headers: { 'x-forwarded-for': '203.0.113.9' } }
      request(`${behind.url}/v1/contacts`, options, (answer) => answer.resume().once('end', done))
        .once('error', fail)
        .end()
    })
    const log = () => behind.servers.map(({ output }) => output()).join('')
    await until(() => log().includes('"127.0.0.2"'), 'the address is not in the log')
    assert.ok(!log().includes('203.0.113.9'))
  })

  test(`behind ${name}: when one of two servers is killed, the other answers, and no key is logged`, async () => {
    await using behind = await startBehind(name)
    const [killed] = behind.servers
    await postMany(behind, 'before')
    killed.child.kill('SIGKILL')
    await killed.exited
    const refused = await postMany(behind, 'after')
    if (name === 'nginx') assert.equal(refused, 0) // Caddy's sample says why
    assert.ok(!behind.output().includes(apiKey))
  })
}

/** Sends messages one after the other, each until it is taken, as a sender does; the number of refusals. */
async function postMany({ post }: Awaited<ReturnType<typeof startBehind>>, prefix: string): Promise<number> {
  let refused = 0
  for (let sent = 0; sent < 40; sent += 1) {
    await until(async () => {
      const { status } = await post(incoming({ messageSid: `${prefix} ${sent}` }))
      if (status !== 200) refused += 1
      assert.ok(status === 200 || status === 502, `${status}`)
      return status === 200
    }, 'a message was not taken')
  }
  return refused
}
