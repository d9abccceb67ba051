// Runs alone: takes long, it kills a server and searches every file of its database

import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createZstdDecompress } from 'node:zlib'
import { appRoutes } from '@patchbay/contract/app/routes.ts'
import { sql } from 'kysely'
import { runHere } from '../../helpers/commands.ts'
import { freePort } from '../../helpers/free-port.ts'
import { openClient } from '../../helpers/https-client.ts'
import { png } from '../../helpers/media-files.ts'
import { findTablesWith, markOfTokens } from '../../helpers/no-secrets.ts'
import { startEntrance } from '../../helpers/providers/entrance.ts'
import { say, startInstallation } from '../../helpers/providers/installation.ts'
import { putFile, startTelegram, untilShown } from '../../helpers/providers/telegram.ts'
import { type Fault, faults, refuse, slow } from '../../helpers/providers/telegram-faults.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { makeDataFolder, type Run } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

/** A server that tells all that it can, which Telegram calls, and everything that anybody outside of it was given to read. */
async function startTalkative() {
  await using starting = new AsyncDisposableStack()
  const telegram = starting.use(await startTelegram())
  const entrance = starting.use(await startEntrance())
  const platform = starting.use(await startReceiver())
  const folder = starting.use(await makeDataFolder())
  const [port, metricsPort] = [await freePort(), await freePort()]
  entrance.leadTo(`https://127.0.0.1:${port}`)
  const environment = {
    ...{ DATA_DIR: folder.path, PORT: String(port), METRICS_PORT: String(metricsPort), LOG_LEVEL: 'trace' },
    ...{ CHANNEL_ORIGINS: `telegram=${telegram.origin}`, OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1/32' },
    PUBLIC_URL: entrance.url,
  }
  const heard: [where: string, text: string][] = []
  const start = () => startInstallation(environment)
  let running = await start()
  starting.defer(() => running[Symbol.asyncDispose]())
  const hearLog = () => heard.push(['the log', running.server.output()])
  const client = openClient({ connections: 8 })
  starting.defer(() => client.close())
  const started = starting.move()
  return {
    ...{ telegram, platform, heard, dataDir: folder.path, email: String(running.server.facts.email) },
    db: () => running.db,
    call: async (method: string, path: string, body?: object) => {
      const answered = await running.call(method, path, body)
      heard.push([`${method} ${path}`, answered.text])
      return answered
    },
    /** What a stranger posts to a hook. */
    postToHook: async (channelId: string, body: string, secret: string) => {
      const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret }
      const url = `${running.server.url}/hooks/telegram/${channelId}`
      const { status, text } = await client.send(url, { method: 'POST', headers, body })
      heard.push(['a hook', text])
      return status
    },
    run: async (...words: string[]): Promise<Run> => {
      const run = await runHere({ ...environment, LOG_LEVEL: 'trace' }, ...words)
      heard.push([`patchbay ${words.join(' ')}`, run.stdout + run.stderr])
      return run
    },
    scrape: async () => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      assert.match(text, /patchbay_channels\{kind="telegram"/)
      heard.push(['/metrics', text])
    },
    kill: async () => {
      running.server.child.kill('SIGKILL')
      await running.server.exited
      hearLog()
      await running[Symbol.asyncDispose]()
      running = await start()
    },
    stop: async () => {
      await running[Symbol.asyncDispose]()
      hearLog()
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

type Talkative = Awaited<ReturnType<typeof startTalkative>>

/** Every address of the app that reads, with these for its parameters. */
async function readEverything({ call }: Talkative, ids: Record<string, string>): Promise<number> {
  const paths = Object.keys(appRoutes).flatMap((name) => {
    const [method, path = ''] = name.split(' ')
    if (method !== 'GET' || path === '/api/live') return []
    const isOfChannel = path.startsWith('/api/channels/')
    return [path.replace(/:(\w+)/g, (_all, key: string) => ids[isOfChannel || key !== 'id' ? key : 'reply'] ?? 'none')]
  })
  for (const path of paths) await call('GET', path)
  return paths.length
}

async function* filesOf(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) yield join(entry.parentPath, entry.name)
  }
}

/** Which of these texts are anywhere in a file. */
async function findInFile(path: string, texts: string[]): Promise<string[]> {
  const file = createReadStream(path)
  const found = new Set<string>()
  const overlap = Math.max(...texts.map(({ length }) => length))
  let last: Buffer = Buffer.alloc(0)
  for await (const piece of path.endsWith('.zst') ? file.pipe(createZstdDecompress()) : file) {
    const bytes = Buffer.concat([last, piece])
    for (const text of texts) if (bytes.includes(text)) found.add(text)
    last = bytes.subarray(-overlap)
  }
  return [...found]
}

test('no secret of a channel is in an answer, a log, a row, a file of the database, a backup, a metric or an output, whatever happens to it', async (t) => {
  await using world = await startTalkative()
  const { telegram, call, run, email } = world
  const bot = telegram.addBot()
  const tokens = new Set([bot.token])
  const connect = (token: string) => call('POST', '/api/channels', { kind: 'telegram', credentials: { token } })
  const settled = (body: string) =>
    until(async () => {
      const { rows } = await sql`
        select from messages m join deliveries d on d.account_id = m.account_id and d.id = m.id
        where m.body = ${body} and (d.sent_at is not null or d.due_at is null)
      `.execute(world.db())
      return rows.length > 0
    }, `${body} is not settled`)

  // Connecting: with what is none, with a wrong one, without an answer, with an error that repeats the address, and over another tool.
  for (const method of ['set', 'test']) await run('webhook', method, '--account', email, '--url', world.platform.url)
  assert.equal((await connect(`no token but ${markOfTokens}`)).status, 400)
  const wrong = `99:${markOfTokens}_that_nobody_has_given_to_anybody`
  tokens.add(wrong)
  assert.equal((await connect(wrong)).status, 400)
  telegram.plan('getMe', faults.cut)
  assert.equal((await connect(bot.token)).status, 400)
  const quoting: Fault = (response) => refuse(response, 500, `Cannot POST /bot${bot.token}/sendMessage`)
  telegram.plan('getMe', quoting)
  const quoted = await connect(bot.token)
  assert.match(quoted.text, /Cannot POST \/bot…\/sendMessage/, 'what was said about it stays')
  bot.hook.set({ url: 'https://other.example/hook', secret_token: 'theirs' })
  const channelId = (await connect(bot.token)).body.id
  const taken = await call('POST', `/api/channels/${channelId}/check`, { takesOver: true })
  assert.equal(taken.body.state, 'working', taken.text)

  // Both ways, with files, and strangers at the hook.
  const ana = bot.addPerson()
  ana.write('Hello')
  await untilShown(ana, 1)
  const { contactId } = await world.db().selectFrom('contacts').select('id as contactId').executeTakeFirstOrThrow()
  ana.send({ document: { ...putFile(bot, 'look', png), mime_type: 'image/png' }, caption: 'Look' })
  const fetched = () => world.db().selectFrom('attachments').select('state').where('state', '=', 'stored').execute()
  await until(async () => (await fetched()).length > 0, 'the file was not fetched')
  const file = await call('POST', `/api/conversations/${contactId}/files?fileName=rim.png&contentType=image/png`, png)
  const given = { body: 'The rim', fileId: file.body.id, clientId: 'client-id-of-a-secret-file' }
  const reply = await call('POST', `/api/conversations/${contactId}/replies`, given)
  await settled('The rim')
  const hookSecret = bot.hook.secret()
  assert.equal(await world.postToHook(channelId, '{}', 'wrong'), 401)
  assert.equal(await world.postToHook(channelId, 'no JSON', hookSecret), 200)

  // Everything that can go wrong with a message.
  const bare: Fault = (response) =>
    response.writeHead(502, { 'content-type': 'text/html' }).end(`<p>Cannot POST /bot${bot.token}/sendMessage</p>`)
  const wrongs: [name: string, fault: Fault][] = [
    ['cut', faults.cut],
    ['refused', faults.badRequest],
    ['an error that quotes', quoting],
    ['an error page that quotes', bare],
  ]
  for (const [name, fault] of wrongs) {
    telegram.plan('sendMessage', fault)
    await say(call, contactId, name)
    await settled(name)
  }
  await telegram.goAway()
  await say(call, contactId, 'nobody is there')
  const tried = async () =>
    (await world.db().selectFrom('deliveryParts').select('errorCode').where('errorCode', '=', 'not reached').execute())
      .length > 0
  await until(tried, 'nobody tried')
  await telegram.comeBack()
  await settled('nobody is there')
  const answers = telegram.plan('sendMessage', slow(60_000), { isDone: true })
  await say(call, contactId, 'under way')
  await until(() => ana.shown.some(({ text }) => text === 'under way'), 'it does not leave')
  await world.kill()
  answers()

  // The token dies, a wrong one is given, then a new one.
  bot.revoke()
  await say(call, contactId, 'with the new token')
  const attention = async () =>
    (await call('GET', `/api/channels/${channelId}`)).body.attention?.reason === 'credentials'
  await until(async () => attention(), 'it did not call for attention')
  await readEverything(world, {
    channelId,
    contactId,
    messageId: reply.body.id,
    id: reply.body.id,
    reply: reply.body.id,
  })
  const { version } = (await call('GET', `/api/channels/${channelId}`)).body
  const change = (token: string) => call('PATCH', `/api/channels/${channelId}`, { credentials: { token }, version })
  assert.equal((await change(wrong)).status, 400)
  tokens.add(bot.renew())
  assert.equal((await change(bot.token)).body.state, 'working')
  assert.notEqual(bot.hook.secret(), hookSecret)
  assert.equal(await world.postToHook(channelId, 'no JSON again', hookSecret), 200, 'the old one holds for a day')
  await settled('with the new token')

  // Everything that reads.
  const ids = { channelId, contactId, messageId: reply.body.id, id: reply.body.id, reply: reply.body.id }
  const read = await readEverything(world, ids)
  await world.scrape()
  const account = ['--account', email]
  const credentials = join(world.dataDir, 'given.json')
  await writeFile(credentials, JSON.stringify({ token: bot.token }))
  const commands = [
    ['channel', 'show', ...account],
    ['channel', 'check', ...account, '--channel', channelId],
    ['channel', 'connect', ...account, '--kind', 'telegram', '--file', credentials],
    ['messages', ...account, '--contact', contactId],
    ['status'],
    ['doctor'],
    ['conversations', ...account],
  ]
  for (const words of commands) await run(...words, '--json')
  await writeFile(credentials, '')
  await using backups = await makeDataFolder({ bare: true })
  const { code, stderr } = await run('backup', '--to', backups.path, '--json')
  assert.equal(code, 0, stderr)
  const secrets = telegram.calls.flatMap(({ parameters }) => parameters.secret_token ?? [])
  const texts = [...new Set([...[...tokens].map((token) => token.split(':')[1] ?? ''), ...secrets])]
  assert.ok(tokens.size === 3 && secrets.length >= 2)
  assert.deepEqual(await findTablesWith(world.db(), texts), [], 'in a row')
  assert.equal((await call('DELETE', `/api/channels/${channelId}`)).status, 200)
  assert.deepEqual(await findTablesWith(world.db(), texts), [], 'in a row, after it was removed')
  await world.stop()

  const log = world.heard.flatMap(([where, said]) => (where === 'the log' ? [said] : [])).join('')
  assert.match(log, /"origins":\{"telegram.api":"http:/, 'what is called in place of Telegram')
  for (const { body } of world.platform.requests) world.heard.push(['a post to the platform', body.toString()])
  for (const text of texts) {
    const places = world.heard.filter(([, said]) => said.includes(text)).map(([where]) => where)
    assert.deepEqual(places, [], `${text.slice(0, 20)}… was said`)
  }
  let files = 0
  for (const folder of [world.dataDir, backups.path]) {
    const withAny: string[] = []
    for await (const path of filesOf(folder)) {
      files += 1
      const found = await findInFile(path, [...texts, 'an error that quotes'])
      if (found.length > 0) withAny.push(...found)
    }
    assert.deepEqual([...new Set(withAny)], ['an error that quotes'], 'of all that was looked for only what was said')
  }
  t.diagnostic(
    `${tokens.size} tokens and ${new Set(secrets).size} secrets of hooks: in none of ${world.heard.length} answers, outputs and posts ` +
      `(${read} addresses that read), of ${world.heard.filter(([where]) => where === 'the log').reduce((sum, [, log]) => sum + log.split('\n').length, 0)} lines of the log, ` +
      `and of ${files} files of the database and its backup`,
  )
})
