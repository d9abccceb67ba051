import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { toScreen } from '../../commands/shared/watch-status.ts'
import { readActivity, readStatus } from '../../src/app/operations/status-store.ts'
import { newId } from '../../src/platform/ids.ts'
import { urlOf } from '../helpers/databases.ts'
import { sharedApp, startApp } from '../helpers/harness.ts'
import { incoming, incomingPath } from '../helpers/message-requests.ts'
import { serverEnvironment } from '../helpers/server-process.ts'
import { until } from '../helpers/until.ts'

test('status --watch --json prints a line at each look, with rates since the last one, and Ctrl-C ends it with 0', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const env = serverEnvironment({ DATABASE_URL: urlOf(app.database.address), SECRET_KEY: 'a secret key for the tests' })
  const cli = resolve(import.meta.dirname, '../../cli.ts')
  const child = spawn(process.execPath, [cli, 'status', '--watch', '--json'], { env })
  let printed = ''
  child.stdout.on('data', (data) => (printed += data))
  const looks = () =>
    printed
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  await until(() => looks().length === 1, 'there is no first look')
  assert.deepEqual(looks()[0].perSecond, { messages: null, events: null, answers: null })
  await until(async () => {
    await shop.post(incomingPath, incoming({ messageSid: newId('msg') })) // PostgreSQL counts while it is busy
    return looks().some(({ perSecond }) => perSecond.messages > 0)
  }, 'the messages are not seen')
  const last = looks().at(-1)
  assert.deepEqual([last.accounts, last.pendingReplies], [1, 1])

  child.kill('SIGINT')
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
})

test('what status --watch shows fits into 80 columns, with the change of each figure', async () => {
  await using app = await sharedApp()
  const [status, activity] = [await readStatus(app.db), await readActivity(app.db)]
  const before = { status, activity, at: 0 }
  const checked = { ledgerCheckedAt: new Date(), ledgerBreaches: 0 }
  const now = {
    status: { ...status, ...checked, eventsOwed: 1_000_000, pendingReplies: 2 },
    activity: { ...activity, messages: activity.messages + 5_000 },
    at: 2_000,
  }
  const screen = toScreen(now, { ...before, status: { ...status, pendingReplies: 5 } })
  for (const line of screen.split('\n')) assert.ok(line.length < 80, line)
  assert.match(screen, /^eventsOwed +1000000 +\+1000000$/m)
  assert.match(screen, /^pendingReplies +2 +-3$/m)
  assert.match(screen, /^messages a second +2500\.0$/m)
  assert.equal(screen.split('\n').length, Object.keys(status).length + 6)
})
