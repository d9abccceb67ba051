// Runs alone: follows every timer of its process

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeMembers, startCast, untilCast } from './helpers/broadcasts.ts'
import { saveUrl, sendOne } from './helpers/deliveries.ts'
import { startApp } from './helpers/harness.ts'
import { openLive } from './helpers/live-streams.ts'
import { incoming, incomingPath } from './helpers/message-requests.ts'
import { watchTimers } from './helpers/open-timers.ts'
import { startReceiver } from './helpers/receivers.ts'
import { signIn } from './helpers/sessions.ts'
import { until } from './helpers/until.ts'

test('no timer outlives the server that set it', async () => {
  using timers = watchTimers()
  {
    await using receiver = await startReceiver()
    await using app = await startApp({ ROLE: 'all' })
    const shop = await app.makeAccount()
    using _live = await openLive(app, (await signIn(app, shop)).cookie)
    await saveUrl(app, shop, receiver.url)
    await makeMembers(app.db, shop, 3)
    await shop.post(incomingPath, incoming())
    await sendOne(shop)
    await untilCast(shop, await startCast(shop), ({ counts }) => counts.sent === 3)
    const set = await timers.open()
    for (const file of ['jobs/polling.ts', 'jobs/periodic.ts', 'live/streams.ts', 'https-server/https-server.ts']) {
      assert.ok(
        set.some((place) => place.includes(file)),
        `the timer of ${file} is not seen`,
      )
    }
  }
  // Some that run once and wake what has stopped are left to end by themselves, within a second.
  await until(async () => (await timers.open()).length === 0, 'these are left: ', 5_000).catch(async (error) => {
    assert.fail(`${error.message}${(await timers.open()).join(', ')}`)
  })
})
