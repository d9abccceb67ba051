import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { assertAccessible } from '../helpers/axe.ts'
import { openSignedIn, startSite } from '../helpers/site.ts'

const verifyFolder = join(import.meta.dirname, '../../src/develop/reference/verify')
const verifyExamples = [
  ['Node', 'verify.js'],
  ['Python', 'verify.py'],
  ['PHP', 'verify.php'],
] as const

test('a refused call appears among the last calls at once, with its code, its sentence and its request id', async () => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/develop/calls')
  await page.getByText('No call yet').waitFor()
  await site.account.post('/contacts', { phone: '+15551234567' })
  const refused = await site.account.post('/contacts', { phone: 'nonsense' })
  const table = page.getByRole('table', { name: 'Last calls' })
  const line = table.getByRole('row').filter({ hasText: 'INVALID_PHONE' })
  await line.getByText(refused.body.error.message).waitFor()
  await line.getByText(String(refused.headers['x-request-id'])).waitFor()
  assert.equal(await table.getByRole('row').count(), 3)
  await assertAccessible(page)
  await page.getByRole('button', { name: /Refused/ }).press('Enter')
  assert.equal(await table.getByRole('row').count(), 2)
  await page.setViewportSize({ width: 360, height: 740 })
  await assertAccessible(page)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
})

/** How the code that is shown is run, where what runs it is installed. */
const runners = {
  curl: (code: string) => ['sh', '-c', code],
  Node: (code: string, folder: string) => ['sh', '-c', `cd '${folder}' && ${/NODE_EXTRA_CA_CERTS=.*/.exec(code)?.[0]}`],
  Python: (code: string) => ['python3', '-c', code],
  PHP: (code: string) => ['php', '-r', code.replace('<?php', '')],
} as const

test('the reference has the address of this server, and its code works as it is copied, with a certificate of our own', async (t) => {
  await using site = await startSite()
  await using window = await openSignedIn(site)
  const { page } = window
  await window.go('/develop/reference')
  await page.getByRole('heading', { name: 'Accept a message from an external system' }).waitFor()
  await assertAccessible(page)
  await page.getByLabel('Key').fill(site.account.apiKey)
  await page.getByRole('button', { name: 'Copy code' }).click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  const shown = await page.getByRole('button', { name: 'Copy base URL' }).locator('..').innerText()
  assert.ok(copied.includes(`${shown.trim()}/incoming_custom_channel_message`))
  await using folder = await mkdtempDisposable(join(tmpdir(), 'patchbay-snippets-'))
  for (const [language, run] of Object.entries(runners)) {
    await page.getByRole('button', { name: language, exact: true }).click()
    const code = await page.locator('.ex pre').first().innerText()
    // The site of a test has another port than its configuration says.
    const runnable = code.replace(shown.trim(), `${site.app.url}/v1`)
    for (const [given, expected] of [
      [runnable, /success'?"?: ?true/i],
      [runnable.replace(site.account.apiKey, 'pb_of_nobody'), /API key/],
    ] as const) {
      await writeFile(join(folder.path, 'call.mjs'), given)
      const [command = '', ...args] = run(given, folder.path)
      const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
      const ran = await promisify(execFile)(command, args, { env }).catch((error) => error)
      const lacksCurl = `${ran.stdout}${ran.stderr}`.includes('undefined function curl_init') // a package of its own
      if (ran.code === 'ENOENT' || lacksCurl) t.diagnostic(`${command} is not installed; its code was not run`)
      else assert.match(ran.stdout, expected, `${language}: ${ran.stderr}`)
    }
  }
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download the certificate' }).click()
  const saved = join(folder.path, 'patchbay-cert.pem')
  await (await download).saveAs(saved)
  assert.equal(await readFile(saved, 'utf8'), site.app.certificate)
  await page.getByRole('link', { name: 'Errors' }).click()
  await page.getByText('LIST_NOT_FOUND').waitFor()
  await page.getByRole('link', { name: 'Check a signature' }).click()
  const shownCode = page.locator('.ref-also pre')
  for (const [language, file] of verifyExamples) {
    await page.getByRole('button', { name: language, exact: true }).click()
    assert.equal(await shownCode.textContent(), await readFile(join(verifyFolder, file), 'utf8'))
  }
  await page.setViewportSize({ width: 360, height: 740 })
  await assertAccessible(page)
  await window.go('/develop/reference?at=createContact')
  await page.getByRole('heading', { name: 'Create a contact' }).waitFor()
  await assertAccessible(page)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
})
