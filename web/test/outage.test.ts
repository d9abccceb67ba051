// Runs alone: takes long, it kills the server and its database under an open page

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { makeDataFolder, type ServerProcess, startProcess } from '../../server/test/helpers/server-process.ts'
import { until } from '../../server/test/helpers/until.ts'
import { openWindow, password, signInByForm, type Window } from './helpers/site.ts'

const owner = { OWNER_EMAIL: 'owner@example.com', OWNER_PASSWORD: password }
const patience = 60_000

/** The product in a process and with a PostgreSQL of its own, which can be killed. */
function start(folder: { path: string }, port = '0'): Promise<ServerProcess> {
  return startProcess({ DATA_DIR: folder.path, PORT: port, ROLE: 'api', SERVE_APP: '1', ...owner })
}

/** Opens the only conversation; returns its texts, from top to bottom. */
async function openThread(window: Window): Promise<() => Promise<string[]>> {
  const { page } = window
  await window.go('/inbox')
  await signInByForm(page, owner.OWNER_EMAIL)
  await page.getByRole('link', { name: /Omar/ }).click()
  await page.getByRole('log').getByText('message 0', { exact: true }).waitFor()
  return () => page.locator('.bubble-text').allInnerTexts()
}

/** A platform that posts until it is answered, as it would after an error: every message with its own id. */
function startPosting(server: () => ServerProcess, from: number, to: number) {
  let taken = from
  const post = async (n: number): Promise<boolean> => {
    const customData = { messageSid: `sid ${n}`, fromId: 'omar', toId: 'shop', body: `message ${n}`, firstName: 'Omar' }
    const answer = await server()
      .post('/incoming_custom_channel_message', { customData: { ...customData, channel: 'Web chat' } })
      .catch(() => undefined)
    return answer?.status === 200
  }
  const done = (async () => {
    for (; taken < to; taken += 1) while (!(await post(taken))) await sleep(20)
  })()
  return { done, untilTaken: (count: number) => until(() => taken >= count, `message ${count} was not taken`) }
}

const messages = (to: number) => Array.from({ length: to }, (_, n) => `message ${n}`)
const offline = (page: Page) => page.getByText(/No connection since/)

test('a server that is killed and started again: what came meanwhile appears by itself, once each and in order, and so does a reply that was written without it', async () => {
  await using folder = await makeDataFolder()
  await using killed = await start(folder)
  let server = killed
  await startPosting(() => server, 0, 1).done
  await using window = await openWindow(server.url)
  const { page } = window
  const texts = await openThread(window)

  const posting = startPosting(() => server, 1, 40)
  await posting.untilTaken(10)
  killed.child.kill('SIGKILL')
  await killed.exited
  await offline(page).waitFor({ timeout: patience })
  await page.getByLabel(/^Message to/).fill('Written without a server')
  await page.getByLabel(/^Message to/).press('Enter')
  await page.getByText('Waiting for the connection').waitFor()
  await using restarted = await start(folder, new URL(killed.url).port)
  server = restarted
  await posting.done

  await offline(page).waitFor({ state: 'detached', timeout: patience })
  await until(async () => (await texts()).length >= 41, 'not all messages appeared')
  await page.getByText('Waiting for the connection').waitFor({ state: 'detached', timeout: patience })
  // The stream is open again: what comes now is not found by asking.
  await startPosting(() => server, 40, 41).done
  await page.getByRole('log').getByText('message 40', { exact: true }).waitFor()
  assert.deepEqual(
    (await texts()).filter((text) => text.startsWith('message')),
    messages(41),
  )
  assert.equal((await texts()).filter((text) => text === 'Written without a server').length, 1)
  await page.reload()
  await page.getByRole('log').getByText('message 40', { exact: true }).waitFor()
  assert.equal((await texts()).filter((text) => text === 'Written without a server').length, 1)
})

test('a database that is killed: what came until it was back appears by itself, once each and in order', async () => {
  await using folder = await makeDataFolder()
  await using server = await start(folder)
  await startPosting(() => server, 0, 1).done
  await using window = await openWindow(server.url)
  const { page } = window
  const texts = await openThread(window)

  const posting = startPosting(() => server, 1, 40)
  await posting.untilTaken(10)
  const killed = folder.postmaster()
  process.kill(killed, 'SIGKILL')
  await page.getByLabel(/^Message to/).fill('Written without a database')
  await page.getByLabel(/^Message to/).press('Enter')
  await posting.done
  assert.notEqual(folder.postmaster(), killed)

  await until(async () => (await texts()).length >= 41, 'not all messages appeared')
  await page.getByText(/Waiting for the connection|Sending…/).waitFor({ state: 'detached', timeout: patience })
  await startPosting(() => server, 40, 41).done
  await page.getByRole('log').getByText('message 40', { exact: true }).waitFor()
  await offline(page).waitFor({ state: 'detached', timeout: patience })
  assert.deepEqual(
    (await texts()).filter((text) => text.startsWith('message')),
    messages(41),
  )
  assert.equal((await texts()).filter((text) => text === 'Written without a database').length, 1)
})
