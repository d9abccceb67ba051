import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { pino } from 'pino'
import type { AppFiles } from '../../../src/app/page/open-app-files.ts'
import { answerPages, serveApp } from '../../../src/app/page/serve-app.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { browserHeaders } from '../../../src/platform/http/browser-headers.ts'
import { createApp } from '../../../src/platform/http/create-app.ts'
import { createHttpsServer } from '../../../src/platform/https-server/https-server.ts'
import { makeCertificate } from '../../../src/platform/https-server/make-certificate.ts'
import { assertProtected } from '../../helpers/browser-headers.ts'

const pair = await makeCertificate('127.0.0.1')
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** Two builds: the current one, and the one before it. */
async function makeBuilds() {
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-dist-'))
  for (const name of ['now', 'before']) {
    await mkdir(join(folder, name, 'assets'), { recursive: true })
    const script = `console.log('${name}')`
    await writeFile(join(folder, name, `assets/main-${name}.js`), script)
    await writeFile(join(folder, name, `assets/main-${name}.js.br`), brotliCompressSync(script))
  }
  return { folder, roots: [join(folder, 'now'), join(folder, 'before')] }
}

async function startServer(environment: Record<string, string> = {}, problem?: string) {
  await using started = new AsyncDisposableStack()
  const { folder, roots } = await makeBuilds()
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const files: AppFiles = problem ? { problem } : { id: 'the-build', page: '<title>Patchbay</title>', roots }
  const config = readConfig({ HOST: '127.0.0.1', PORT: '0', ...environment })
  const serve: Parameters<typeof createApp>[1] = (handler) => createHttpsServer(pair, config, handler)
  const app = createApp(pino({ enabled: false }), serve, {
    answerUnknown: answerPages(files),
    headersOf: browserHeaders(config),
  })
  await serveApp(app, files)
  app.get('/api/thing', () => ({}))
  app.post('/v1/contacts', () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  started.defer(() => app.close())
  const agent = new Agent({ keepAlive: true, ca: pair.cert })
  started.defer(() => agent.destroy())
  const { port } = app.server.address() as AddressInfo // it listens on a port, never on a pipe
  const running = started.move()
  return {
    get: async (path: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') => {
      const sending = request({ host: '127.0.0.1', port, path, agent, headers, method }).end()
      const [answer]: IncomingMessage[] = await once(sending, 'response')
      assert.ok(answer)
      return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) } // its bytes, compressed
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

test('every address of the app gets the page, never from a cache, with a policy that allows our own files only', async () => {
  await using server = await startServer()
  for (const path of ['/', '/inbox/con_1', '/settings/webhook?tab=log', '/no/such/screen', '/v1x']) {
    const { status, headers, body } = await server.get(path, html)
    assert.equal(status, 200, path)
    assert.equal(body.toString(), '<title>Patchbay</title>')
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-cache')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    const policy = String(headers['content-security-policy'])
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "trusted-types 'none'"]) {
      assert.ok(policy.includes(part), part)
    }
    assert.doesNotMatch(policy, /unsafe|data:|http/)
  }
  assert.equal((await server.get('/inbox', html, 'HEAD')).status, 200)
})

test('what is no page of the app keeps its JSON refusal, also when a browser asks', async () => {
  await using server = await startServer()
  const expected: [string, 'GET' | 'POST', number][] = [
    ['/v1/contacts', 'GET', 405],
    ['/v1/nothing', 'GET', 404],
    ['/v1', 'GET', 404],
    ['/v1?x', 'GET', 404],
    ['/api/nothing', 'GET', 404],
    ['/assets/main-gone.js', 'GET', 404],
    ['/assets/..%2findex.html', 'GET', 404],
    ['/assets/../index.html', 'GET', 404],
    ['/assets/main-now.js.br', 'GET', 404],
    ['/assets/main-now.js', 'POST', 405],
    ['/inbox', 'POST', 404],
  ]
  for (const [path, method, status] of expected) {
    const answer = await server.get(path, html, method)
    assert.equal(answer.status, status, `${method} ${path}`)
    assert.ok(JSON.parse(answer.body.toString()).error.code, path)
  }
  assert.equal((await server.get('/inbox', { accept: 'application/json' })).status, 404)
})

test('files are served compressed and may be kept for ever, those of the build before too', async () => {
  await using server = await startServer()
  for (const name of ['now', 'before']) {
    const { status, headers, body } = await server.get(`/assets/main-${name}.js`, { 'accept-encoding': 'br' })
    assert.equal(status, 200)
    assert.equal(headers['content-encoding'], 'br')
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['content-type']), /javascript/)
    assert.equal(brotliDecompressSync(body).toString(), `console.log('${name}')`)
    for (const accepted of ['', 'gzip', 'br;q=0, gzip', 'br;q=0.0']) {
      const plain = await server.get(`/assets/main-${name}.js`, { 'accept-encoding': accepted })
      assert.equal(plain.headers['content-encoding'], undefined, accepted)
      assert.equal(plain.headers.vary, 'accept-encoding')
      assert.equal(plain.body.toString(), `console.log('${name}')`)
    }
  }
})

test('answers of the API name the build, so that an open page sees that there is a newer one', async () => {
  await using server = await startServer()
  assert.equal((await server.get('/api/thing')).headers['x-app-build'], 'the-build')
  assert.equal((await server.get('/v1/contacts', {}, 'POST')).headers['x-app-build'], undefined)
})

test('browsers are told to insist on https only where the certificate is not our own', async () => {
  const cases: [Record<string, string>, boolean][] = [
    [{}, false],
    [{ PUBLIC_URL: 'https://chat.example.com' }, false],
    [{ PUBLIC_URL: 'https://chat.example.com', TRUST_PROXY: '10.0.0.0/8' }, true],
    [{ PUBLIC_URL: 'https://chat.example.com', TLS_CERT_FILE: '/c', TLS_KEY_FILE: '/k' }, true],
    [{ PUBLIC_URL: 'https://localhost:8443', TLS_CERT_FILE: '/c', TLS_KEY_FILE: '/k' }, false],
    [{ PUBLIC_URL: 'https://192.0.2.7', TLS_CERT_FILE: '/c', TLS_KEY_FILE: '/k' }, false],
    [{ PUBLIC_URL: 'http://chat.example.com', TRUST_PROXY: '10.0.0.0/8' }, false],
  ]
  for (const [environment, expected] of cases) {
    await using server = await startServer(environment)
    for (const path of ['/', '/api/thing', '/api/nothing', '/assets/main-now.js', '/assets/main-gone.js']) {
      const { headers } = await server.get(path, { ...html, 'x-forwarded-proto': 'https' })
      const isTold = headers['strict-transport-security'] !== undefined
      assert.equal(isTold, expected, `${path} ${JSON.stringify(environment)}`)
    }
  }
})

test('every answer of the app and of its files, refusals too, runs nothing, is shown in no frame and keeps its address', async () => {
  await using server = await startServer()
  const asked: [string, 'GET' | 'HEAD' | 'POST', number][] = [
    ['/inbox', 'GET', 200],
    ['/inbox', 'HEAD', 200],
    ['/inbox', 'POST', 404],
    ['/assets/main-now.js', 'GET', 200],
    ['/assets/main-gone.js', 'GET', 404],
    ['/assets/main-now.js', 'POST', 405],
    ['/api/thing', 'GET', 200],
    ['/api/nothing', 'GET', 404],
    ['/api/thing', 'POST', 405],
    ['/api/%zz', 'GET', 400],
  ]
  for (const [path, method, status] of asked) {
    const answer = await server.get(path, html, method)
    assert.equal(answer.status, status, `${method} ${path}`)
    assertProtected(answer.headers, `${method} ${path}`)
  }
})

test('without a build the API is served, and a page says that the build failed but not why', async () => {
  await using server = await startServer({}, 'a secret reason')
  assert.equal((await server.get('/api/thing')).status, 200)
  const { status, body } = await server.get('/', html)
  assert.equal(status, 503)
  assert.match(body.toString(), /build failed/)
  assert.doesNotMatch(body.toString(), /secret reason/)
})
