import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startReceiver } from '../../server/test/helpers/receivers.ts'
import { openSignedIn, startSite } from './helpers/site.ts'

/** What another site may try with the cookie of somebody who is signed in here: a form, an image, requests without preflight. */
function attack(url: string): string {
  const json = '{"name":"Made by another site"}'
  return `<!doctype html><title>Another site</title>
    <form method="post" enctype="text/plain" action="${url}/api/lists" target="form">
      <input name='{"name":"Made by a form","x":"' value='"}'>
    </form>
    <iframe name="form"></iframe>
    <iframe name="app" src="${url}/inbox"></iframe>
    <img src="${url}/api/session" onerror="document.title += ' img'">
    <script>
      const tries = ['text/plain', 'application/x-www-form-urlencoded'].map((type) =>
        fetch('${url}/api/lists', {
          method: 'POST', mode: 'no-cors', credentials: 'include', headers: { 'content-type': type }, body: '${json}',
        }))
      tries.push(fetch('${url}/api/lists', {
        method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '${json}',
      }))
      tries.push(fetch('${url}/api/session', { credentials: 'include' }))
      tries.push(fetch('${url}/api/session', { method: 'DELETE', credentials: 'include' }))
      document.forms[0].submit()
      Promise.allSettled(tries).then((all) => {
        window.read = all.filter(({ value }) => value && value.type !== 'opaque').length
        document.body.append('tried')
      })
    </script>`
}

test('a page of another site changes nothing, reads nothing and cannot frame the app', async () => {
  await using site = await startSite({ ROLE: 'api' })
  await using window = await openSignedIn(site)
  await using evil = await startReceiver((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(attack(site.app.url))
  })
  const { page } = window
  await window.go('/lists')
  await page.getByRole('link', { name: /Customers/ }).waitFor()
  const other = await window.openUnwatched() // it calls another origin on purpose
  const answers: string[] = []
  other.on('response', (response) => {
    if (response.request().method() === 'POST') answers.push(`${response.status()}`)
  })
  await other.goto(evil.url)
  await other.getByText('tried').waitFor()
  await other.waitForLoadState('networkidle')
  assert.equal(await other.evaluate(() => (globalThis as unknown as { read: number }).read), 0)
  assert.ok(answers.length > 0 && answers.every((status) => status === '403'), `answers: ${answers}`)
  assert.equal(await other.frame('app')?.getByRole('heading', { name: 'Inbox' }).count(), 0)
  const lists = await site.app.db.selectFrom('lists').select('name').execute()
  assert.deepEqual(lists, [{ name: 'Customers' }])
  await page.reload()
  await page.getByRole('link', { name: /Customers/ }).waitFor() // still signed in
})
