import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { test } from 'node:test'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { countRows } from '../../helpers/rows.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'PURGE', 'QUERY']

/** Paths with the methods that they allow. */
const known = [
  { path: '/contacts', allowed: ['GET', 'HEAD', 'POST'] },
  { path: '/contacts/con_1', allowed: ['GET', 'HEAD'] },
  { path: '/lists/lst_1/contacts', allowed: ['POST'] },
  { path: '/subaccounts/credits', allowed: ['POST'] },
  { path: '/openapi.json', allowed: ['GET', 'HEAD'] },
  { path: '/../healthz', allowed: ['GET', 'HEAD'] },
  { path: '/../readyz', allowed: ['GET', 'HEAD'] },
]

test('a wrong method on a known path is 405 with Allow, with any key, body or query', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  for (const { path, allowed } of known) {
    for (const method of methods.filter((name) => !allowed.includes(name))) {
      const json = { raw: '{"phone":"+15551234567"}' }
      const broken = { raw: '{', headers: { 'content-type': 'multipart/form-data', 'content-encoding': 'gzip' } }
      const mayHaveBody = !['GET', 'HEAD', 'TRACE'].includes(method)
      for (const options of [{}, { key: shop.apiKey }, { key: 'x' }, ...(mayHaveBody ? [json, broken] : [])]) {
        const answer = await app.call(method, `${path}?a=%zz`, options)
        const label = `${method} ${path}`
        assert.equal(answer.status, 405, label)
        assert.equal(answer.headers.allow, allowed.join(', '), label)
        assert.equal(answer.headers.ratelimit, undefined, label)
        if (method !== 'HEAD')
          assertRefused(answer, 'METHOD_NOT_ALLOWED', { says: new RegExp(allowed.join('.*')), label })
      }
    }
  }
  assert.deepEqual(await countRows(app), { contacts: 0, members: 0 })
})

test('a wrong method is refused before a body of any size is read', async () => {
  await using app = await sharedApp()
  for (const { path } of known) {
    assertRefused(await app.call('PUT', path, { raw: 'x'.repeat(300_000) }), 'METHOD_NOT_ALLOWED', { label: path })
  }
})

test('an unknown path is 404 for every method and every body, with a key or without', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const missing = [
    '/',
    '/nothing',
    '/contacts/',
    '/contacts/con_1/x',
    '/Contacts',
    '/lists',
    '/lists/lst_1',
    '/list/x/contacts',
  ]
  const outside = [
    '/../',
    '/../v2/contacts',
    '/../contacts',
    '/../v1',
    '/lists/a/b/contacts',
    '/lists/a/contacts/b',
    '//contacts',
  ]
  for (const path of [...missing, ...outside]) {
    for (const method of methods.filter((name) => name !== 'HEAD')) {
      assertRefused(await app.call(method, path), 'NOT_FOUND', { label: `${method} ${path}` })
    }
    assert.equal((await app.call('HEAD', path)).status, 404)
    assertRefused(await app.call('GET', path, { key: shop.apiKey }), 'NOT_FOUND', { label: path })
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', 'nonsense']) {
      const headers = { 'content-type': type, 'content-encoding': 'gzip' }
      const answer = await app.call('POST', path, { key: shop.apiKey, raw: '{', headers })
      assertRefused(answer, 'NOT_FOUND', { label: `${path} ${type}` })
    }
  }
  assertRefused(await app.call('POST', '/nothing', { raw: 'x'.repeat(300_000) }), 'NOT_FOUND')
})

test('a dot in a known path matches only a dot', async () => {
  await using app = await sharedApp()
  for (const method of ['GET', 'POST']) assertRefused(await app.call(method, '/openapiXjson'), 'NOT_FOUND')
})

test('a percent-encoded path is recognized, with a wrong method as with a right one', async () => {
  await using app = await sharedApp()
  assertRefused(await app.call('POST', '/%63ontacts'), 'UNAUTHORIZED')
  assertRefused(await app.call('PUT', '/%63ontacts'), 'METHOD_NOT_ALLOWED')
})

test('a known path is recognized in an absolute URL, as in a request to a proxy, and with a fragment', async () => {
  await using app = await sharedApp()
  for (const path of ['https://elsewhere.example/v1/contacts?a=b', 'HTTP://x/v1/contacts', '/v1/contacts#a']) {
    assert.deepEqual(await ask(app, 'POST', path), [401, undefined], path)
    assert.deepEqual(await ask(app, 'PUT', path), [405, 'GET, HEAD, POST'], path)
  }
  assert.deepEqual(await ask(app, 'PUT', 'https://elsewhere.example'), [404, undefined])
})

/** Sends the path exactly as it is. Returns the status and `Allow`. */
async function ask(
  app: TestApp,
  method: string,
  path: string,
): Promise<[status: number | undefined, allow: string | undefined]> {
  const asking = request(app.url, { method, path, ca: app.certificate }).end()
  const [answer]: IncomingMessage[] = await once(asking, 'response')
  answer?.resume()
  return [answer?.statusCode, answer?.headers.allow]
}

test('a path with broken percent-encoding is refused with 400 or 404, never 500', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  for (const part of ['%', '%z', '%zz', '%2', '%c3%28', '%ff', '%ed%a0%80', 'a%']) {
    for (const path of [`/lists/${part}/contacts`, `/${part}`, `/contacts/${part}`, `/contacts${part}`]) {
      for (const method of ['GET', 'POST', 'PUT']) {
        const answer = await app.call(method, path, { key: shop.apiKey })
        assert.ok([400, 404, 405].includes(answer.status), `${method} ${path} -> ${answer.status}`)
        assertRefused(answer, answer.body?.error?.code, { label: `${method} ${path}` })
      }
    }
  }
})

test('a very long path or query is refused or served like any other, never 500', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const long = 'a'.repeat(8_000)
  const contactId = 'con_1'
  assertRefused(await app.call('GET', `/${long}`), 'NOT_FOUND')
  assertRefused(await app.call('PUT', `/lists/${long}/contacts`), 'METHOD_NOT_ALLOWED')
  assertRefused(await shop.post(`/lists/${long}/contacts`, { contactId }), 'LIST_NOT_FOUND')
  assertRefused(await shop.get(`/contacts?email=${long}`), 'CONTACT_NOT_FOUND')
  assertRefused(await shop.get(`/contacts?${'x=1&'.repeat(2_000)}email=a@example.com`), 'CONTACT_NOT_FOUND')
})
