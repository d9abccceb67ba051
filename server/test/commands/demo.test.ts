import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { Client as Database } from 'pg'
import { business, knowledge } from '../../../demo/business.ts'
import { fillTelegram } from '../../../demo/telegram.ts'
import { fillWebsiteChat } from '../../../demo/website-chat.ts'
import { makeScratch } from '../helpers/backups.ts'
import { startApp } from '../helpers/harness.ts'
import { openClient } from '../helpers/https-client.ts'
import { startReceiver } from '../helpers/receivers.ts'
import { serverEnvironment } from '../helpers/server-process.ts'
import { signIn } from '../helpers/sessions.ts'
import { until } from '../helpers/until.ts'

const root = resolve(import.meta.dirname, '../../..')

const demo = ['--import=./server/process/resolve-imports.ts', 'demo/run.ts', '--port', '0']

/** `npm run demo` with a shell in the place of npm, so that the one can be killed without the other. */
function startDemo(folder: string): ChildProcess {
  const line = `"${process.execPath}" ${demo.join(' ')} --folder "$0"; true`
  return spawn('sh', ['-c', line, folder], { cwd: root, env: serverEnvironment({}), stdio: 'ignore' })
}

const isThere = (pid: number) => existsSync(`/proc/${pid}`)

test('a demo whose parent is killed ends its server and its database, and the next one begins anew', async () => {
  await using scratch = await makeScratch()
  const folder = join(scratch.path, 'demo')
  const shell = startDemo(folder)
  await until(() => existsSync(join(folder, 'postgres/postmaster.pid')), 'the database does not start')
  assert.ok(isThere(shell.pid ?? 0))
  const second = spawnSync(process.execPath, [...demo, '--folder', folder], { cwd: root, encoding: 'utf8' })
  assert.equal(second.status, 1)
  assert.match(second.stderr, /^Another demo, or its database, runs in \S+; end it first, or give another folder\.\n$/)
  assert.ok(existsSync(join(folder, 'postgres/postmaster.pid')), 'its data stay')
  shell.kill('SIGKILL')
  await once(shell, 'exit')
  await until(() => !existsSync(join(folder, 'postgres/postmaster.pid')), 'the database still runs')
  assert.ok(existsSync(join(folder, 'demo-unfinished.txt')), 'the next one may remove what this one began')
})

/** An account with what the shop of the demonstration knows, and a connection to its database. */
async function startShop(environment: Record<string, string> = {}) {
  await using starting = new AsyncDisposableStack()
  const app = starting.use(await startApp({ ROLE: 'all', ...environment }))
  const owner = await signIn(app, await app.makeAccount())
  await app.db.updateTable('users').set({ email: business.owner.email }).execute()
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await owner.call(method, path, body as object)
    assert.equal(answer.status, 200, `${method} ${path} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const { campaigns } = await call('GET', '/api/campaigns')
  for (const entry of knowledge)
    await call('POST', `/api/campaigns/${campaigns[0].id}/entries`, { handsOver: false, isOn: true, ...entry })
  const database = new Database(app.database.address)
  starting.defer(() => database.end())
  await database.connect()
  const started = starting.move()
  return { app, call, database, [Symbol.asyncDispose]: () => started.disposeAsync() }
}

test('nobody is ever called for the channel of the demonstration, whatever its owner does', async () => {
  await using provider = await startReceiver((_, response) => response.writeHead(500).end())
  await using shop = await startShop({ CHANNEL_ORIGINS: `telegram=${provider.url.replace(/\/$/, '')}` })
  const { app, call, database } = shop
  await fillTelegram({ client: { app: call }, database, address: app.database.address })
  const { channels } = await call('GET', '/api/channels')
  assert.deepEqual([channels.length, channels[0].state, channels[0].paused !== null], [1, 'working', true])
  const path = `/api/channels/${channels[0].id}`
  await call('POST', `${path}/resume`)
  const isAsking = async () => (await call('GET', path)).attention?.reason === 'credentials'
  await until(isAsking, 'what waits does not show that there are no credentials')
  const { checks } = await call('POST', `${path}/check`, { takesOver: true })
  assert.match(checks[0].sentence, /No credentials are saved/)
  const { rows } = await database.query('select count(*)::integer as n from deliveries where sent_at is null')
  assert.equal(rows[0].n, 1, 'what waited waits')
  await call('DELETE', path)
  assert.deepEqual(provider.requests, [])
})

test('in the website chat of the demonstration one visitor tapped, one is signed in, and one left an address', async () => {
  await using started = await startShop()
  const { app, call, database } = started
  await using ending = new AsyncDisposableStack()
  const browser = openClient({ connections: 2 })
  ending.defer(() => browser.close())
  const visitor = async (method: string, path: string, body: unknown, given: Record<string, string>) => {
    const headers = { ...given, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const { status, text } = await browser.send(`${app.url}${path}`, sent)
    assert.ok(status < 300, `${method} ${path} ${status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  await fillWebsiteChat({ client: { app: call, visitor }, database, shop: { page: 'localhost:8070' } })
  const { conversations } = await call('GET', '/api/conversations')
  assert.equal(conversations.length, 3)
  assert.ok(JSON.stringify(conversations).includes('Elif'))
  const { rows } = await database.query('select left_email from contact_channels where left_email is not null')
  assert.deepEqual(rows, [{ left_email: 'jo.marsh@example.com' }])
  const { rows: taps } = await database.query(`select from message_details where data ? 'choice'`)
  assert.equal(taps.length, 1)
})
