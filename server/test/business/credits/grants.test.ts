import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { newApiKey } from '../../../src/business/accounts/api-key.ts'
import { showBalance, showHistory } from '../../../src/business/credits/history.ts'
import { countEntries, creditsPath, startAgency } from '../../helpers/credits.ts'
import { assertRefused } from '../../helpers/refusals.ts'

test('a grant is answered with the sub-account, the credits and the balance, and is in the history', async () => {
  await using world = await startAgency()
  const { ask, agency, db } = world
  const sub = await world.makeSub()
  const { status, body } = await ask({ email: sub.email, amount: 12.5, description: 'Welcome' })
  assert.equal(status, 200)
  assert.deepEqual(body, { success: true, sub_account_id: sub.accountId, credits_added: 12.5, new_balance: 12.5 })
  assert.equal((await ask({ email: sub.email, amount: 1, description: null })).body.new_balance, 13.5)
  const { entries } = await showHistory(db, sub.accountId, { limit: 10 })
  assert.deepEqual(
    entries.map(({ id: _, createdAt: __, ...entry }) => entry),
    [
      { n: 2, kind: 'grant', amount: 1, balanceAfter: 13.5, description: null },
      { n: 1, kind: 'grant', amount: 12.5, balanceAfter: 12.5, description: 'Welcome' },
    ].map((entry) => ({ ...entry, actor: 'api', contactId: null, reverses: null })),
  )
  assert.match(entries[0]?.id ?? '', /^led_[0-9a-f]{32}$/)
  const [row] = await db.selectFrom('ledger').selectAll().execute()
  assert.deepEqual(
    [row?.payerId, row?.payerPurse, row?.payeeId, row?.payeePurse, row?.amount],
    [agency.accountId, 'issuance', sub.accountId, 'credits', '125000'],
  )
})

test('1,000 grants of 1 at once are 1,000 credits, and every balance from 1 to 1,000 is answered once', async () => {
  await using world = await startAgency()
  const sub = await world.makeSub()
  const answers = await Promise.all(Array.from({ length: 1_000 }, () => world.ask({ email: sub.email, amount: 1 })))
  const balances = answers.map(({ body }) => body.new_balance).sort((one, two) => one - two)
  assert.deepEqual(
    balances,
    Array.from({ length: 1_000 }, (_, n) => n + 1),
  )
  assert.equal((await showBalance(world.db, sub.accountId)).balance, 1_000)
})

test('concurrent grants to many sub-accounts are each answered with their own balance', async () => {
  await using world = await startAgency()
  const subs = await Promise.all(Array.from({ length: 10 }, () => world.makeSub()))
  const asked = Array.from({ length: 300 }, (_, n) => ({ sub: subs[(n * 7) % 10], amount: (n % 4) + 1 }))
  const answers = await Promise.all(
    asked.map(async ({ sub, amount }) => ({
      sub,
      amount,
      body: (await world.ask({ email: sub?.email, amount })).body,
    })),
  )
  for (const sub of subs) {
    const own = answers.filter((answer) => answer.sub === sub)
    for (const { body, amount } of own) {
      assert.deepEqual([body.sub_account_id, body.credits_added], [sub.accountId, amount])
    }
    const { entries } = await showHistory(world.db, sub.accountId, { limit: 100 })
    assert.deepEqual(
      entries.map(({ balanceAfter }) => balanceAfter).sort((one, two) => one - two),
      own.map(({ body }) => body.new_balance).sort((one, two) => one - two),
      'what was answered is what the history says',
    )
  }
})

test('an e-mail address is found in any case, and only among the sub-accounts of the calling agency', async () => {
  await using world = await startAgency()
  const { app, ask } = world
  const rival = await app.makeAccount({ kind: 'agency' })
  const [sub, foreign] = [await world.makeSub(), await world.makeSub(rival.accountId)]
  assert.equal((await ask({ email: ` ${sub.email.toUpperCase()} `, amount: 1 })).status, 200)
  const unknown = ['nobody@example.com', foreign.email, rival.email, world.agency.email]
  for (const email of unknown) assertRefused(await ask({ email, amount: 1 }), 'SUBACCOUNT_NOT_FOUND', { label: email })
  for (const email of ['nonsense', 'a@', 'a b@example.com', '@example.com']) {
    assertRefused(await ask({ email, amount: 1 }), 'INVALID_EMAIL', { label: email })
  }
  assert.equal((await ask({ email: foreign.email, amount: 2 }, { key: rival.apiKey })).body.new_balance, 2)
  assertRefused(await ask({ email: sub.email, amount: 2 }, { key: rival.apiKey }), 'SUBACCOUNT_NOT_FOUND')
  assert.equal(await countEntries(world), 2)
})

test('a sub-account is found by the address of its owner, not of another member', async () => {
  await using world = await startAgency()
  const { accountId } = await world.makeSub()
  const member = { id: 'usr_member' as const, accountId, email: 'member@example.com', passwordHash: '', isOwner: false }
  await world.db.insertInto('users').values(member).execute()
  assertRefused(await world.ask({ email: member.email, amount: 1 }), 'SUBACCOUNT_NOT_FOUND')
})

test('an account that is no agency cannot grant', async () => {
  await using world = await startAgency()
  const sub = await world.makeSub()
  const shop = await world.app.makeAccount()
  for (const key of [shop.apiKey, sub.apiKey]) {
    assertRefused(await world.ask({ email: sub.email, amount: 1 }, { key }), 'NOT_AN_AGENCY')
    assertRefused(await world.ask({ email: 'nobody@example.com', amount: 1 }, { key }), 'NOT_AN_AGENCY')
  }
  assert.equal(await countEntries(world), 0)
})

test('the key is taken from the header alone', async () => {
  await using world = await startAgency()
  const { app, agency } = world
  const { email } = await world.makeSub()
  const body = { email, amount: 1 }
  const wrong = [
    { key: agency.apiKey },
    { headers: { 'x-api-key': 'x' }, key: agency.apiKey },
    { headers: { 'x-api-key': newApiKey() }, key: agency.apiKey },
    { headers: { 'x-api-key': [agency.apiKey, agency.apiKey] } },
    { headers: { authorization: `Bearer ${agency.apiKey}` } },
    {},
  ]
  for (const given of wrong) {
    assertRefused(await app.call('POST', creditsPath, { ...given, body }), 'UNAUTHORIZED', { says: /x-api-key/ })
  }
  assert.equal(await countEntries(world), 0)
  const headers = { 'x-api-key': agency.apiKey }
  for (const key of ['nonsense', newApiKey(), agency.apiKey]) {
    assert.equal(
      (await app.call('POST', creditsPath, { key, headers, body })).status,
      200,
      'the query is not looked at',
    )
  }
})

test('a description is stored unchanged, or refused', async () => {
  await using world = await startAgency()
  const sub = await world.makeSub()
  const kept = ['<script>alert(1)</script>', '🌱 für Ana', "'; drop table ledger; --", '🌱'.repeat(1_000), ' ']
  for (const description of kept) {
    assert.equal((await world.ask({ email: sub.email, amount: 1, description })).status, 200)
  }
  for (const description of ['', null]) await world.ask({ email: sub.email, amount: 1, description })
  const { entries } = await showHistory(world.db, sub.accountId, { limit: 100 })
  assert.deepEqual(entries.map(({ description }) => description).reverse(), [...kept, null, null])
  for (const description of ['x'.repeat(1_001), 'x'.repeat(10_240), 5, ['x'], 'a\0b', '\ud800']) {
    const answer = await world.ask({ email: sub.email, amount: 1, description })
    assertRefused(answer, 'INVALID_REQUEST', { says: /^description/ })
  }
  assert.equal(await countEntries(world), 7)
})

test('a grant that fails with an internal error leaves nothing', async () => {
  await using world = await startAgency()
  const { email } = await world.makeSub()
  await sql`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'x'; end $$`.execute(
    world.db,
  )
  await sql`create trigger refuse before insert on ledger execute function refuse()`.execute(world.db)
  assertRefused(await world.ask({ email, amount: 1 }, { once: 'k' }), 'INTERNAL')
  assert.deepEqual(await world.db.selectFrom('balances').selectAll().execute(), [])
  await sql`drop trigger refuse on ledger`.execute(world.db)
  assert.equal((await world.ask({ email, amount: 2 }, { once: 'k' })).body.new_balance, 2, 'the key is free')
})
