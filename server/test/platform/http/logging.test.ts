import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { test } from 'node:test'
import { newId } from '../../../src/platform/ids.ts'
import { type Answer, sharedApp, type TestApp } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'

/** The log line is written when the answer has been sent, so a client may have the answer first. */
async function linesOf({ log }: TestApp, answers: Answer[]): Promise<Record<string, unknown>[]> {
  const lines = () => log.map((text) => JSON.parse(text)).filter(({ msg }) => msg === 'request')
  const endsAt = performance.now() + 20_000
  while (lines().length < answers.length && performance.now() < endsAt) await new Promise(setImmediate)
  return lines()
}

async function exercise(app: TestApp): Promise<{ answers: Answer[]; secrets: string[] }> {
  const shop = await app.makeAccount()
  const key = shop.apiKey
  const phone = '+15551234567'
  const [email, firstName, lastName] = ['ana.secret@example.com', 'Annabella', 'Secretova']
  const raw = `{"phone":"${phone}","firstName":"${firstName}", broken`
  const found = await shop.post('/contacts', { phone, email, firstName, lastName })
  const answers = [
    found,
    await shop.post('/contacts', { phone, email, firstName: 'Bettina' }),
    await app.call('POST', '/contacts', { headers: { 'x-api-key': key }, body: { phone: '+1555987', lastName } }),
    await shop.get('/contacts?phoneNumber=%2B15551234567'),
    await shop.get('/contacts?phoneNumber=+15551234567'),
    await shop.get(`/contacts?email=${email}`),
    await shop.get('/contacts?email=nobody.secret@example.com'),
    await shop.get(`/contacts?email=${email}&phoneNumber=15551234567`),
    await shop.post(`/lists/${shop.listId}/contacts`, { contactId: found.body.id }),
    await shop.post(`/lists/${email}/contacts`, { contactId: firstName }),
    await shop.post('/contacts', { phone: `${phone}x`, firstName }),
    await shop.post('/contacts', { email: `${email}@`, firstName }),
    await shop.post('/contacts', { phone: 15551234567, firstName }),
    await shop.post('/contacts', { phone, firstName: `${firstName}\0` }),
    await app.call('POST', '/contacts', { key, raw }),
    await app.call('POST', '/contacts', { key, raw, headers: { 'content-type': 'text/plain' } }),
    await app.call('POST', '/contacts', { key, raw: raw.padEnd(300_000) }),
    await app.call('POST', '/contacts', { key: `${key}x`, raw }),
    await app.call('GET', `/contacts?email=${email}&apiKey=${key}&apiKey=${key}`),
    await app.call('GET', `/contacts?email=${email}`, { headers: { 'x-api-key': `${key}x` } }),
    await app.call('GET', `/${key}/${email}`, { key }),
    await app.call('POST', `/lists/${key}/${phone}`, { key, raw }),
    await app.call('PUT', `/contacts?email=${email}`, { key, raw }),
    await app.call('DELETE', `/lists/${key}/contacts`, { key }),
    await app.call('GET', '/openapi.json', { key }),
  ]
  const typed = [email, 'nobody.secret', firstName, lastName, 'Bettina', 'broken', '5551234567', '1555987']
  return { answers, secrets: [key, key.slice(3), '?', 'apiKey', 'x-api-key', ...typed] }
}

test('each request has one log line, with the request id of its answer', async () => {
  await using app = await sharedApp()
  const { answers } = await exercise(app)

  const lines = await linesOf(app, answers)

  const expected = answers.map(({ headers, status }) => ({ reqId: headers['x-request-id'], status }))
  assert.deepEqual(lines.map(({ reqId, status }) => ({ reqId, status })).sort(byId), expected.sort(byId))
  assert.equal(new Set(lines.map(({ reqId }) => reqId)).size, answers.length)
  for (const { method, route, ms } of lines) {
    assert.match(String(method), /^[A-Z]+$/)
    assert.match(String(route), /^(unknown|\/v1\/[a-z:/.]+)$/i)
    assert.equal(typeof ms, 'number')
  }
})

function byId(one: { reqId: unknown }, other: { reqId: unknown }): number {
  return String(one.reqId).localeCompare(String(other.reqId))
}

for (const [what, path] of [
  ['with broken percent-encoding', '/lists/%zz/contacts'],
  ['with a very long segment', `/lists/${'a'.repeat(200)}/contacts`],
] as const) {
  test(`a request for a path ${what} has its log line too`, async () => {
    await using app = await sharedApp()
    const shop = await app.makeAccount()
    const answer = await shop.post(path, { contactId: 'con_1' })
    const [line] = await linesOf(app, [answer])
    assert.equal(line?.reqId, answer.headers['x-request-id'])
  })
}

test('no log line contains a key, a query string, a body, a phone number or an e-mail address', async () => {
  await using app = await sharedApp()
  const { answers, secrets } = await exercise(app)
  await linesOf(app, answers)
  assert.ok(app.log.length >= answers.length)
  for (const line of app.log) for (const secret of secrets) assert.ok(!line.includes(secret), `${secret} in ${line}`)
})

test('the request id is always made by the server, never taken from a header', async () => {
  await using app = await sharedApp()
  const headers = { 'x-request-id': 'req_forged', 'request-id': 'req_forged' }
  const answer = await app.call('GET', '/contacts', { headers })
  assert.notEqual(answer.headers['x-request-id'], 'req_forged')
  const [line] = await linesOf(app, [answer])
  assert.equal(line?.reqId, answer.headers['x-request-id'])
})

test('an unexpected error is logged with its request id, and answered with 500 without details', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  await app.db.destroy()

  const answers = [
    await shop.post('/contacts', { phone: '+15551234567' }),
    await shop.get('/contacts?phoneNumber=15551234567'),
    await shop.post(`/lists/${shop.listId}/contacts`, { contactId: newId('con') }),
  ]

  for (const answer of answers) {
    assertRefused(answer, 'INTERNAL')
    assert.equal(answer.body.error.message, 'Something went wrong on our side.')
    const logged = app.log.map((text) => JSON.parse(text)).filter(({ level }) => level >= 50)
    const [line, ...others] = logged.filter(({ reqId }) => reqId === answer.headers['x-request-id'])
    assert.match(line?.err.message, /destroyed/)
    assert.ok(line.err.stack)
    assert.deepEqual(others, [])
  }
  for (const line of app.log) for (const secret of [shop.apiKey, '5551234567', '?']) assert.ok(!line.includes(secret))
})

test('of a database error its code and message are logged, not the row or the statement', () => {
  const script = `
    import { openLog } from ${JSON.stringify(import.meta.resolve('../../../src/platform/log.ts'))}
    const { log, flush } = openLog('info')
    const row = { detail: 'Key (phone)=(+15551234567)', query: 'insert', parameters: ['+15551234567'], where: '+15551234567' }
    const cause = Object.assign(new Error('duplicate key'), { code: '23505', ...row })
    log.error({ err: new Error('no luck', { cause }) }, 'unexpected error')
    log.error({ err: cause }, 'unexpected error')
    flush()
  `
  const { stderr, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  assert.equal(stdout, '')
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ err }) => [err.message, err.code ?? err.cause.code]),
    [
      ['no luck', '23505'],
      ['duplicate key', '23505'],
    ],
  )
  for (const secret of ['5551234567', 'insert']) assert.ok(!stderr.includes(secret), stderr)
})

test('warnings and errors are counted, whoever wrote them, and only what LOG_LEVEL includes', () => {
  const script = `
    import { openLog } from ${JSON.stringify(import.meta.resolve('../../../src/platform/log.ts'))}
    import { openCounts } from ${JSON.stringify(import.meta.resolve('../../../src/platform/metrics/counts.ts'))}
    for (const level of ['info', 'error']) {
      const lines = openCounts(['warning', 'error'])
      const { log, flush } = openLog(level, { lines })
      log.info('ready')
      log.warn({ n: 1 }, 'waiting')
      log.child({ reqId: 'r' }).error(new Error('broken'))
      log.fatal('over')
      flush()
      console.log(JSON.stringify([...lines.values()]))
    }
  `
  const { stderr, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  assert.deepEqual(stdout.trim().split('\n'), ['[["warning",1],["error",2]]', '[["warning",0],["error",2]]'])
  assert.equal(stderr.trim().split('\n').length, 6)
})

test('while nobody reads standard error the log takes bounded memory and blocks nothing, and it later reports how many lines it dropped', async () => {
  const script = `
    import { openLog } from ${JSON.stringify(import.meta.resolve('../../../src/platform/log.ts'))}
    import { setImmediate as turn } from 'node:timers/promises'
    const { log } = openLog('info')
    const before = process.memoryUsage.rss()
    for (let n = 0; n < 400; n += 1) {
      for (let m = 0; m < 500; m += 1) log.info({ n, m, text: 'x'.repeat(1_000) }, 'written')
      await turn()
    }
    console.log(process.memoryUsage.rss() - before)
    process.stdin.once('data', () => process.exit())
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script])
  const [grown] = await once(child.stdout, 'data')
  assert.ok(Number(grown) < 150e6, `200 MB of lines took ${grown} bytes`)
  let read = ''
  child.stderr.on('data', (data) => {
    read += data
  })
  while (!read.includes('log lines were dropped')) await once(child.stderr, 'data')
  child.stdin.write('end')
  await once(child, 'close')
  const all = read
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const dropped = all.find(({ msg }) => msg.startsWith('log lines were dropped'))?.lines
  assert.equal(all.filter(({ msg }) => msg === 'written').length + dropped, 200_000)
})

test('a process whose log goes into a pipe that nobody reads can still exit', async () => {
  const script = `
    import { openLog } from ${JSON.stringify(import.meta.resolve('../../../src/platform/log.ts'))}
    import { setImmediate as turn } from 'node:timers/promises'
    const { log } = openLog('info')
    for (let n = 0; n < 10_000; n += 1) {
      log.info({ text: 'x'.repeat(1_000) }, 'written')
      if (n % 100 === 0) await turn()
    }
    process.exit(7)
  `
  // A shell makes a pipe whose reading end is held by a process that does not read it until it gets a line from us.
  const command = '{ "$0" --input-type=module --eval "$1" 2>&1 1>&3; echo "ended with $?" >&3; } | { read word <&4; }'
  const stdio = ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'] as const
  const child = spawn('sh', ['-c', command, process.execPath, script], { stdio: [...stdio] })
  const [exited, release] = [child.stdio[3] as Readable, child.stdio[4] as Writable]
  const [answer] = await once(exited, 'data')
  release.end('exit\n')
  await once(child, 'close')
  assert.equal(String(answer), 'ended with 7\n')
})
