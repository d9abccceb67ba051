import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { contactOf, holdTurnsBack, write } from '../../../server/test/helpers/bots.ts'
import { png, untilFiles } from '../../../server/test/helpers/media-files.ts'
import { startReceiver } from '../../../server/test/helpers/receivers.ts'
import { until } from '../../../server/test/helpers/until.ts'
import { openSignedIn, openWindow, type Site, startSite } from '../helpers/site.ts'
import { assertHarmless, listen, readHits } from './inspect.ts'

const script = `hit('file');fetch('/api/session').then(()=>hit('session'))`
const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${script}"><script>${script}</script></svg>`

/** What runs script, or is taken for something that does, when a browser opens it or guesses its type. */
const files: { name: string; type: string; bytes: Buffer; saved: RegExp }[] = [
  file('SVG', 'image/svg+xml', svg, /\.txt$/),
  file('SVG with its declaration', 'image/svg+xml', `<?xml version="1.0"?>${svg}`, /\.txt$/),
  file('HTML', 'text/html', `<!doctype html><script>${script}</script>`, /\.txt$/),
  file(
    'XHTML',
    'application/xhtml+xml',
    `<html xmlns="http://www.w3.org/1999/xhtml"><script>${script}</script></html>`,
  ),
  file('XML with a style sheet', 'application/xml', `<?xml version="1.0"?><?xml-stylesheet href="x"?>${svg}`),
  file('HTML that says it is text', 'text/plain', `<!doctype html><script>${script}</script>`),
  file('JavaScript', 'text/javascript', script),
  file(
    'PDF with script',
    'application/pdf',
    `%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj`,
    /\.pdf$/,
  ),
  file('unknown', 'application/x-thing', `\u0001<script>${script}</script>`),
]
const pictures = [
  { name: 'GIF that is JavaScript', type: 'image/gif', bytes: Buffer.from(`GIF89a/*\u0001\u0000*/=1;${script}//`) },
  {
    name: 'PNG with HTML behind it',
    type: 'image/png',
    bytes: Buffer.concat([png, Buffer.from(`<script>${script}</script>`)]),
  },
]

test('files from strangers run nothing: not in the thread, not when they are opened, not as a script', async () => {
  await using site = await startSite()
  await holdTurnsBack(site.app)
  const ids = new Map<string, string>()
  for (const { name, type, bytes } of [...files, ...pictures]) ids.set(name, await sendFile(site, type, bytes))
  await using window = await openSignedIn(site)
  await listen(window.page)
  const { page } = window
  await window.go(`/inbox/${await contactOf(site.app)}`)
  await page
    .locator('.bubble')
    .getByText('downloads, never opens here')
    .nth(files.length - 1)
    .waitFor()
  assert.equal(await page.locator('.bubble a.file[download]').count(), files.length)
  await assertHarmless(page, 'the thread')

  // A browser reports each script that it refuses as an error of the page.
  const other = await window.openUnwatched()
  await listen(other)
  for (const { name, saved } of files) {
    const download = await openFile(other, `/api/media/${ids.get(name)}`)
    assert.match(download.suggestedFilename(), saved, name)
    await download.delete()
  }
  for (const { name } of pictures) {
    await other.goto(`/api/media/${ids.get(name)}`)
    assert.equal(await other.evaluate(() => document.contentType.startsWith('image/')), true, name)
    assert.equal(await other.locator('script').count(), 0, name)
    assert.deepEqual(await readHits(other), [], name)
  }
  await other.goto('/inbox')
  for (const [name, id] of ids) {
    const outcome = await other.evaluate(
      (address) =>
        import(address).then(
          () => 'ran',
          (error: Error) => error.name,
        ),
      `/api/media/${id}`,
    )
    assert.equal(outcome, 'TypeError', name)
  }
})

test('a file is not there for somebody of another account, nor without a session, whatever the page', async () => {
  await using site = await startSite()
  await holdTurnsBack(site.app)
  const id = await sendFile(site, 'image/png', png)
  const rival = await site.app.makeAccount()
  await using theirs = await openSignedIn({ ...site, account: rival })
  await using nobody = await openWindow(site.app.url)
  for (const [window, status] of [
    [theirs, 404],
    [nobody, 401],
  ] as const) {
    const answer = await window.page.goto(`/api/media/${id}`)
    assert.equal(answer?.status(), status)
    assert.equal(await window.page.locator('img').count(), 0)
    assert.doesNotMatch(answer?.headers()['content-type'] ?? '', /html|image/)
  }
})

test('a file that is not here says in words why: not yet, unreachable, private, another type, too large', async () => {
  await using site = await startSite()
  await holdTurnsBack(site.app)
  await using receiver = await startReceiver(({ path }, response) => {
    if (path === '/wrong') response.end('<!doctype html><script>1</script>')
    if (path === '/large') response.writeHead(200, { 'content-length': 11_000_000 }).end()
    if (path === '/gone') response.writeHead(404).end()
    // and otherwise it never answers
  })
  const paths = ['wrong', 'large', 'gone', 'slow'].map((path) => `${receiver.url}${path}`)
  for (const mediaUrl of [...paths, 'http://10.0.0.1/private.png']) {
    await write(site.account, 'See this', { mediaUrl, mediaContentType: 'image/png' })
  }
  await untilFiles(site.app, (all) => all.filter(({ state }) => state !== 'not fetched yet').length === 3)
  await giveUpGone(site)
  await using window = await openSignedIn(site, { width: 1280 })
  await listen(window.page)
  const { page } = window
  await window.go(`/inbox/${await contactOf(site.app)}`)
  for (const words of [
    'PNG · It is of another type than was announced',
    'PNG · It is too large to be kept',
    'PNG · Their server did not answer',
    'PNG · Its address is a private one, so it was not called',
    'PNG · It is being fetched from their server',
  ]) {
    await page.locator('.bubble .file').getByText(words).waitFor()
  }
  assert.equal(await page.locator('.bubble img').count(), 0)
  await assertHarmless(page, 'files that are not here')
})

function file(name: string, type: string, text: string, saved = /\.(txt|bin)$/) {
  return { name, type, bytes: Buffer.from(text), saved }
}

async function sendFile({ account }: Site, type: string, bytes: Buffer): Promise<string> {
  const mediaUrl = `data:${type};base64,${bytes.toString('base64')}`
  return write(account, 'See this', { mediaUrl, mediaContentType: type })
}

/** Opens it as a page; a browser that downloads it instead ends the navigation. */
async function openFile(page: Page, path: string) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.goto(path).catch((error: Error) => assert.match(error.message, /Download is starting|ERR_ABORTED/)),
  ])
  assert.deepEqual(await readHits(page), [])
  return download
}

/** The last attempt, which would be a quarter of an hour later. */
async function giveUpGone({ app }: Site): Promise<void> {
  await untilFiles(app, (all) => (all[2]?.attempts ?? 0) > 0)
  const gone = app.db
    .updateTable('attachments')
    .set({ attempts: 4, dueAt: new Date(0) })
    .where('url', 'like', '%/gone')
    .where('leaseToken', 'is', null)
  // An attempt is counted when it begins, and has the row until it ends.
  await until(async () => (await gone.executeTakeFirst()).numUpdatedRows > 0n, 'the first attempt does not end')
  await untilFiles(app, (all) => all.some(({ state }) => state === 'unreachable'))
}
