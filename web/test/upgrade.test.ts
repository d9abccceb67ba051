// Runs alone: takes long, it builds the app anew under an open page

import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { buildApp } from '../../server/src/app/page/build-app.ts'
import { makeDatabase, urlOf } from '../../server/test/helpers/databases.ts'
import { makeDataFolder, type ServerProcess, startProcess } from '../../server/test/helpers/server-process.ts'
import { openWindow, password, signInByForm } from './helpers/site.ts'

const root = resolve(import.meta.dirname, '../..')
const patience = 60_000

/** The product as somebody has installed it, with the build that the tests use: an upgrade changes these files. */
async function install() {
  const path = await mkdtemp(join(tmpdir(), 'patchbay-installed-'))
  const copied = ['server', 'contract', 'web', 'docs', 'package.json', 'package-lock.json', 'tsconfig.json']
  const isNeeded = (source: string) => !/\/(node_modules|test)$|\/web\/dist$/.test(source)
  for (const name of copied) await cp(join(root, name), join(path, name), { recursive: true, filter: isNeeded })
  await symlink(join(root, 'node_modules'), join(path, 'node_modules'))
  const { id, folder } = await buildApp()
  await cp(folder, join(path, 'web/dist', id), { recursive: true })
  return { path, build: id, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** A version with other words for a new list. Every script that has it gets another name. */
async function upgrade({ path }: { path: string }): Promise<void> {
  const file = join(path, 'web/src/lists/words.ts')
  const text = await readFile(file, 'utf8')
  const changed = text.replace("newList: 'New list'", "newList: 'Begin a list'")
  assert.notEqual(changed, text)
  await writeFile(file, changed)
}

test('an upgrade under an open tab: its screens of the old build still load, it offers a reload, and drafts survive it', async () => {
  await using installed = await install()
  await using folder = await makeDataFolder({ bare: true })
  await using database = await makeDatabase()
  const start = (port: string): Promise<ServerProcess> =>
    startProcess(
      {
        DATA_DIR: folder.path,
        DATABASE_URL: urlOf(database.address),
        SECRET_KEY: 'the same before and after',
        PORT: port,
        ROLE: 'api',
        SERVE_APP: '1',
        OWNER_EMAIL: 'owner@example.com',
        OWNER_PASSWORD: password,
      },
      { command: process.execPath, args: [join(installed.path, 'server/cli.ts')] },
    )
  await using before = await start('0')
  const customData = { messageSid: 'one', fromId: 'omar', toId: 'shop', body: 'Hello', channel: 'Web chat' }
  await before.post('/incoming_custom_channel_message', { customData: { ...customData, firstName: 'Omar' } })
  await using window = await openWindow(before.url)
  const { page } = window
  await window.go('/inbox')
  await signInByForm(page, 'owner@example.com')
  await page.getByRole('link', { name: /Omar/ }).click()
  await page.getByRole('log').getByText('Hello').waitFor()
  await page.getByLabel(/^Message to/).fill('Begun before the upgrade')

  before.child.kill('SIGTERM')
  await before.exited
  await upgrade(installed)
  await using after = await start(new URL(before.url).port)
  assert.equal((await readdir(join(installed.path, 'web/dist'))).filter((name) => /^\w{16}$/.test(name)).length, 2)
  await page.getByText('A new version of Patchbay is here.').waitFor({ timeout: patience })

  const loaded: string[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script') loaded.push(`${response.status()} ${response.url()}`)
  })
  await page.getByRole('link', { name: 'Lists', exact: true }).click()
  await page.getByRole('button', { name: 'New list' }).first().waitFor()
  const old = new Set(await readdir(join(installed.path, 'web/dist', installed.build, 'assets')))
  assert.ok(loaded.length > 0, 'the screen was loaded before the upgrade')
  for (const each of loaded) assert.ok(each.startsWith('200 ') && old.has(each.split('/').at(-1) ?? ''), each)

  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('button', { name: 'Begin a list' }).first().waitFor()
  assert.equal(await page.getByText('A new version of Patchbay is here.').count(), 0)
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('link', { name: /Omar.*Draft Begun before the upgrade/ }).click()
  assert.equal(await page.getByLabel(/^Message to/).inputValue(), 'Begun before the upgrade')
  assert.equal(await after.get('/readyz'), 200)
})
