import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestTo, routeOf } from '../../helpers/app-requests.ts'
import { assertProtected } from '../../helpers/browser-headers.ts'
import { type Answer, sharedApp, type TestApp } from '../../helpers/harness.ts'
import { openLive } from '../../helpers/live-streams.ts'
import { type SignedIn, signIn, withCookie } from '../../helpers/sessions.ts'
import { fillTenant, type Names } from '../../helpers/tenants.ts'

test('every answer of every route says that nothing in it runs, is framed or kept: done, refused, unknown or with a wrong method', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const own = await fillTenant(app, shop, 'Plain')
  const routes = app.routes.filter((name) => name.includes(' /api/'))
  assert.ok(routes.length > 40)
  for (const name of routes) {
    const seen = new Set<number>()
    for (const [how, answer] of await answersOf(app, await signIn(app, shop), { name, own })) {
      seen.add(answer.status)
      assertProtected(answer.headers, `${name} ${how}`)
      const isFile = answer.status < 400 && routeOf(name).raw
      if (!isFile) assert.equal(answer.headers['cache-control'], 'no-store', `${name} ${how}`)
    }
    for (const status of [404, 405]) assert.ok(seen.has(status), `${name} was not answered by ${status}`)
  }
})

type Asked = [how: string, answer: Pick<Answer, 'status' | 'headers'>]

async function answersOf(app: TestApp, owner: SignedIn, { name, own }: { name: string; own: Names }): Promise<Asked[]> {
  const { method, path, body } = requestTo(name, own)
  const stranger = withCookie(app, owner.userId, '')
  const asked: Asked[] = [
    ['by a stranger', await stranger.call(method, path, body)],
    ['with a wrong method', await owner.call('PROPFIND', path)],
    ['at an unknown path', await owner.call(method, `${path.replace(/\?.*/, '')}/nothing/here`)],
    ['with a path that cannot be read', await owner.call(method, '/api/%zz')],
    ['with a body that cannot be read', await owner.call('POST', path, '{')],
  ]
  if (name === 'GET /api/live') {
    using stream = await openLive(app, owner.cookie)
    return [...asked, ['as a stream', stream]]
  }
  const crossSite = { 'sec-fetch-site': 'cross-site' }
  return [
    ...asked,
    ['from another site', await owner.call(method, path, body, crossSite)],
    ['by its user', await owner.call(method, path, body)],
  ]
}

test('a file and every other answer about it is shown in no frame and runs nothing: part, unchanged, out of range, head', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const { file, message } = await fillTenant(app, shop, 'Plain')
  const browser = await signIn(app, shop)
  const path = `/api/media/${file}`
  const whole = await browser.call('GET', path)
  const asked: [number, Answer][] = [
    [200, whole],
    [200, await browser.call('HEAD', path)],
    [206, await browser.call('GET', path, undefined, { range: 'bytes=0-3' })],
    [304, await browser.call('GET', path, undefined, { 'if-none-match': String(whole.headers.etag) })],
    [416, await browser.call('GET', path, undefined, { range: 'bytes=999999-' })],
    [404, await browser.call('GET', `/api/media/${message}`)],
  ]
  for (const [status, answer] of asked) {
    assert.equal(answer.status, status)
    assertProtected(answer.headers, String(status))
  }
})
