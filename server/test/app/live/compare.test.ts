import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAudience } from '../../../src/app/live/audience.ts'
import { findLost } from '../../../src/app/live/compare.ts'
import { findActive, mostActive } from '../../../src/app/live/store.ts'
import { contactOf, write } from '../../helpers/bots.ts'
import { sharedApp, startApp, type TestApp } from '../../helpers/harness.ts'

/** Moves the latest activity back, so that a look finds it. */
const age = (app: TestApp, seconds: number) =>
  app.pools.keys.query(
    `update conversations set active_at = now() - interval '${seconds} s', active_step = activity_step(now())`,
  )

test('activity is found once if it was not announced, and not at all if it was', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  await write(account, 'Hello')
  const contactId = await contactOf(app)
  await age(app, 3)
  const audience = openAudience(account.accountId)
  assert.deepEqual(await findLost(app.db, [audience]), [], 'from before the stream began')
  await age(app, -3)
  assert.deepEqual(await findLost(app.db, [audience]), [], 'its hint may be on its way')

  const later = openAudience(account.accountId)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await age(app, 1.1)
  assert.deepEqual(await findLost(app.db, [later]), [{ audience: later, changed: [contactId] }])
  later.tell([contactId])
  assert.deepEqual(await findLost(app.db, [later]), [])
})

test('an account with more activity than one look reads is told that many have changed', async () => {
  await using app = await startApp()
  const account = await app.makeAccount()
  const audience = openAudience(account.accountId)
  await app.pools.keys.query(
    `with made as (
       insert into contacts (account_id, id) select $1, 'con_' || n from generate_series(1, $2::int) as n returning id
     )
     insert into conversations (account_id, contact_id) select $1, id from made`,
    [account.accountId, mostActive],
  )
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  await age(app, 1.1)
  assert.deepEqual(await findLost(app.db, [audience]), [{ audience, changed: ['conversations'] }])
  await age(app, 120)
  assert.deepEqual(await findActive(app.db, [account.accountId]), [], 'earlier in the same step')
})
