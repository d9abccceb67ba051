import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOwnerId } from '../../../src/business/accounts/store.ts'
import type { AccountId } from '../../../src/platform/ids.ts'
import { charge, startAgency, type World } from '../../helpers/credits.ts'
import { type SignedIn, signIn } from '../../helpers/sessions.ts'
import { makeChannel } from '../../helpers/tenants.ts'

const path = '/api/agency/subaccounts'
let keys = 0
const grantOf = (amount: string, description?: string) => {
  keys += 1
  return { amount, idempotencyKey: `browser-key-${String(keys).padStart(8, '0')}`, ...(description && { description }) }
}

async function startOffice() {
  const world = await startAgency()
  const owner = await signIn(world.app, world.agency)
  return { ...world, owner, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

async function signInTo({ app, db }: World, accountId: AccountId): Promise<SignedIn> {
  return signIn(app, { accountId, userId: await findOwnerId(db, accountId) })
}

async function actsOf(browser: SignedIn): Promise<string[]> {
  const { body } = await browser.call('GET', '/api/audit?group=credits')
  return body.events.map(({ act, actor }: { act: string; actor: { kind: string } }) => `${act} by ${actor.kind}`)
}

test('an agency makes a sub-account whose owner signs in with the password that was shown once', async () => {
  await using office = await startOffice()
  const { app, owner } = office
  const made = await owner.call('POST', path, { name: 'Kettle Lane Cycles', email: 'Ines@Kettle.example' })
  assert.equal(made.status, 200)
  const { id, email, password } = made.body
  const headers = { 'sec-fetch-site': 'same-origin' }
  const signedIn = await app.call('POST', '/api/session', { body: { email, password }, headers })
  assert.deepEqual([signedIn.body.account.name, signedIn.body.account.kind], ['Kettle Lane Cycles', 'subaccount'])
  const again = await owner.call('POST', path, { name: 'Another', email: 'ines@kettle.example' })
  assert.equal(again.status, 400)
  const { body } = await owner.call('GET', path)
  assert.deepEqual([body.subaccounts.map((one: { id: string }) => one.id), body.total], [[id], 1])
  assert.deepEqual(await actsOf(owner), ['sub-account made by user'])
  assert.deepEqual(await actsOf(await signInTo(office, id)), ['sub-account made by agency'])
})

test('an agency makes a link with which the owner of a sub-account sets a new password; both see that in their audit', async () => {
  await using office = await startOffice()
  const { app, owner } = office
  const sub = await office.makeSub()
  const foreign = await office.makeSub((await app.makeAccount({ kind: 'agency' })).accountId)
  assert.equal((await owner.call('POST', `${path}/${foreign.accountId}/password`)).status, 404)
  const first = await owner.call('POST', `${path}/${sub.accountId}/password`)
  const second = await owner.call('POST', `${path}/${sub.accountId}/password`)
  const headers = { 'sec-fetch-site': 'same-origin' }
  const use = ({ body: { url } }: typeof first) => {
    const body = { token: url.split('#')[1], password: 'a password of theirs' }
    return app.call('POST', '/api/links/password', { body, headers })
  }
  assert.equal((await use(first)).status, 404, 'an earlier link ends')
  const set = await use(second)
  assert.deepEqual([set.status, set.body.user.email], [200, sub.email])
  const body = { email: sub.email, password: 'a password of theirs' }
  assert.equal((await app.call('POST', '/api/session', { body, headers })).status, 200)
  const linksMade = async (browser: SignedIn) => {
    const { events } = (await browser.call('GET', '/api/audit?group=people')).body
    return events.flatMap(({ act, actor }: { act: string; actor: { kind: string } }) =>
      act === 'password link made' ? [actor.kind] : [],
    )
  }
  assert.deepEqual(await linksMade(owner), ['user', 'user'])
  assert.deepEqual(await linksMade(await signInTo(office, sub.accountId)), ['agency', 'agency'])
})

test('a grant pressed twice, also at the same moment, is granted and written down once', async () => {
  await using office = await startOffice()
  const { owner, makeSub } = office
  const { accountId } = await makeSub()
  const order = grantOf('250.0625', 'Top-up November')
  const answers = await Promise.all([1, 2, 3].map(() => owner.call('POST', `${path}/${accountId}/grants`, order)))
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.balance]),
    [1, 2, 3].map(() => [200, 250.0625]),
  )
  assert.equal(new Set(answers.map(({ body }) => body.movementId)).size, 1)
  const other = await owner.call('POST', `${path}/${accountId}/grants`, { ...order, amount: '1' })
  assert.equal(other.status, 400)
  for (const amount of ['0', '-1', '1.00001', 'ten', '1000000001']) {
    assert.equal((await owner.call('POST', `${path}/${accountId}/grants`, grantOf(amount))).status, 400, amount)
  }
  const { body } = await owner.call('GET', `${path}/${accountId}/history`)
  assert.deepEqual([body.movements.length, body.movements[0].by], [1, { kind: 'user', name: 'owner1' }])
  assert.deepEqual(await actsOf(owner), ['credits granted by user'])
  assert.deepEqual(await actsOf(await signInTo(office, accountId)), ['credits granted by agency'])
})

test('the history that an agency sees names no contact; the sub-account sees its own', async () => {
  await using office = await startOffice()
  const { db, owner, makeSub } = office
  const { accountId } = await makeSub()
  await owner.call('POST', `${path}/${accountId}/grants`, grantOf('10'))
  await charge(db, accountId, 1.5)
  const history = await owner.call('GET', `${path}/${accountId}/history`)
  const [usage] = history.body.movements
  assert.deepEqual([usage.kind, usage.amount, usage.balanceAfter, usage.description], ['usage', -1.5, 8.5, null])
  const csv = await owner.call('GET', `${path}/${accountId}/history/csv`)
  for (const text of [JSON.stringify(history.body), String(csv.body)]) assert.ok(!text.includes('con_'), text)
  const own = await signInTo(office, accountId)
  const seen = await own.call('GET', '/api/credits/history')
  assert.match(seen.body.movements[0].contact.id, /^con_/)
  assert.deepEqual(seen.body.movements[1].by, { kind: 'user', name: 'owner1@example.com' })
  const credits = await own.call('GET', '/api/credits')
  assert.deepEqual([credits.body.balance, credits.body.held, credits.body.state], [8.5, 0, 'ok'])
  assert.equal(credits.body.days.at(-1).balance, 8.5)
})

test('pages of the history go on where the last one ended', async () => {
  await using office = await startOffice()
  const { owner, makeSub } = office
  const { accountId } = await makeSub()
  for (const amount of ['1', '2', '3']) await owner.call('POST', `${path}/${accountId}/grants`, grantOf(amount))
  const first = await owner.call('GET', `${path}/${accountId}/history?limit=2`)
  const second = await owner.call('GET', `${path}/${accountId}/history?limit=2&before=${first.body.next}`)
  const amounts = [...first.body.movements, ...second.body.movements].map(({ amount }) => amount)
  assert.deepEqual([amounts, second.body.next], [[3, 2, 1], null])
  assert.equal((await owner.call('GET', `${path}/${accountId}/history?before=x`)).status, 400)
})

test('a movement is taken back once, and not when its credits are spent', async () => {
  await using office = await startOffice()
  const { db, owner, makeSub } = office
  const { accountId } = await makeSub()
  const first = await owner.call('POST', `${path}/${accountId}/grants`, grantOf('5'))
  const { movementId } = first.body
  const reversal = { movementId, description: 'granted twice by mistake' }
  const taken = await Promise.all([1, 2].map(() => owner.call('POST', `${path}/${accountId}/reversals`, reversal)))
  assert.deepEqual(taken.map(({ status }) => status).sort(), [200, 400])
  assert.equal(taken.find(({ status }) => status === 200)?.body.balance, 0)
  const { body } = await owner.call('GET', `${path}/${accountId}/history`)
  assert.deepEqual(
    body.movements.map(({ kind, isReversed }: Record<string, unknown>) => [kind, isReversed]),
    [
      ['reversal', false],
      ['grant', true],
    ],
  )
  const spent = await owner.call('POST', `${path}/${accountId}/grants`, grantOf('2'))
  await charge(db, accountId, 1)
  const refused = await owner.call('POST', `${path}/${accountId}/reversals`, { movementId: spent.body.movementId })
  assert.equal(refused.status, 400)
  assert.equal((await actsOf(owner)).filter((act) => act === 'movement reversed by user').length, 1)
})

test('what an agency sets is read-only to the sub-account: price, rate limit, recharge, e-mail', async () => {
  await using office = await startOffice()
  const { owner, makeSub } = office
  const { accountId } = await makeSub()
  const own = await signInTo(office, accountId)
  const { body: detail } = await owner.call('GET', `${path}/${accountId}`)
  const [campaign] = detail.campaigns
  const priced = await owner.call('PUT', `${path}/${accountId}/campaigns/${campaign.id}`, { creditsPerReply: 0.25 })
  assert.equal(priced.body.campaigns[0].creditsPerReply, 0.25)
  const wrong = await owner.call('PUT', `${path}/${accountId}/campaigns/${campaign.id}`, { creditsPerReply: 0.00001 })
  assert.equal(wrong.status, 400)
  const shown = await own.call('GET', `/api/campaigns/${campaign.id}`)
  const change = { version: shown.body.version, settings: { creditsPerReply: 0 } }
  const free = await own.call('PATCH', `/api/campaigns/${campaign.id}`, change)
  assert.equal(free.status, 403)
  for (const [method, rest, body] of [
    ['PATCH', '', { rateLimitPerMinute: 0 }],
    ['PATCH', '', { email: 'free@example.com' }],
    ['PUT', '/recharge', { threshold: '0', amount: '1' }],
    ['PUT', `/campaigns/${campaign.id}`, { creditsPerReply: 0 }],
    ['POST', '/grants', grantOf('1000')],
  ] as const) {
    assert.equal((await own.call(method, `${path}/${accountId}${rest}`, body)).status, 403, rest)
  }
  const changed = await owner.call('PATCH', `${path}/${accountId}`, {
    rateLimitPerMinute: 90,
    email: 'new@example.com',
  })
  assert.deepEqual([changed.body.rateLimitPerMinute, changed.body.subaccount.email], [90, 'new@example.com'])
  assert.equal((await own.call('GET', '/api/account')).body.rateLimitPerMinute, 90)
  const taken = await owner.call('PATCH', `${path}/${accountId}`, { name: 'X', email: 'owner1@example.com' })
  assert.equal(taken.status, 409)
  assert.notEqual((await owner.call('GET', `${path}/${accountId}`)).body.subaccount.name, 'X')
})

test('what a message over a channel costs is set by the agency alone, shown on both sides, and in the audit of both', async () => {
  await using office = await startOffice()
  const { app, owner, makeSub } = office
  const [sub, neighbour] = [await makeSub(), await makeSub()]
  const own = await signInTo(office, sub.accountId)
  const channelId = await makeChannel(app.db, sub.accountId, 'berlin')
  const theirs = await makeChannel(app.db, neighbour.accountId, 'paris')
  const price = (id: string, creditsPerMessage: unknown, of = sub.accountId) =>
    owner.call('PUT', `${path}/${of}/channels/${id}`, { creditsPerMessage })
  assert.deepEqual((await owner.call('GET', `${path}/${sub.accountId}`)).body.channels[0].creditsPerMessage, 0)
  const priced = await price(channelId, 0.0625)
  const [shown] = priced.body.channels
  assert.deepEqual([priced.status, shown.id, shown.kind, shown.creditsPerMessage], [200, channelId, 'telegram', 0.0625])
  for (const wrong of [-1, 1_000.5, 0.00001, '2', null]) assert.equal((await price(channelId, wrong)).status, 400)
  for (const unknown of [theirs, 'chn_none', `chn_${'0'.repeat(32)}`])
    assert.equal((await price(unknown, 1)).status, 404)
  const foreign = await makeSub((await app.makeAccount({ kind: 'agency' })).accountId)
  assert.equal((await price(channelId, 1, foreign.accountId)).status, 404)
  assert.equal(
    (await own.call('PUT', `${path}/${sub.accountId}/channels/${channelId}`, { creditsPerMessage: 0 })).status,
    403,
  )
  const seen = await own.call('GET', `/api/channels/${channelId}`)
  assert.deepEqual([seen.status, seen.body.creditsPerMessage], [200, 0.0625])
  const change = { version: seen.body.version, name: seen.body.name, creditsPerMessage: 0 }
  assert.equal((await own.call('PATCH', `/api/channels/${channelId}`, change)).body.creditsPerMessage, 0.0625)
  const credits = await own.call('GET', '/api/credits')
  assert.deepEqual(credits.body.channels, [{ ...shown }])
  for (const browser of [owner, own]) {
    const { body } = await browser.call('GET', '/api/audit?group=credits')
    const event = body.events.find(({ act }: { act: string }) => act === 'sub-account changed')
    assert.equal(event.details.creditsPerMessage, 0.0625)
    assert.equal(event.details.channelId, channelId)
  }
})

test('a sub-account whose balance does not cover an answer and the message with it is shown as empty', async () => {
  await using office = await startOffice()
  const { app, owner, makeSub } = office
  const { accountId, email } = await makeSub()
  await office.ask({ email, amount: 1.25 })
  const stateOf = async () => (await owner.call('GET', `${path}/${accountId}`)).body.subaccount.state
  const channelId = await makeChannel(app.db, accountId, 'berlin')
  assert.equal(await stateOf(), 'ok', 'an answer costs 1')
  await owner.call('PUT', `${path}/${accountId}/channels/${channelId}`, { creditsPerMessage: 0.5 })
  assert.equal(await stateOf(), 'empty')
  await app.db
    .updateTable('channels')
    .set({ state: 'removed', removedAt: new Date(), credentials: null, checkDueAt: null })
    .execute()
  assert.equal(await stateOf(), 'ok')
})

test('sub-accounts are sorted by name and by balance, page by page, and only those of the agency', async () => {
  await using office = await startOffice()
  const { app, owner, makeSub } = office
  await makeSub((await app.makeAccount({ kind: 'agency' })).accountId)
  const ids: AccountId[] = []
  const credits = { banks: '9', Éclair: '100', Acorn: '', Zebra: '9', eastgate: '10.5' }
  for (const [name, amount] of Object.entries(credits)) {
    const { accountId } = await makeSub()
    ids.push(accountId)
    assert.equal((await owner.call('PATCH', `${path}/${accountId}`, { name })).status, 200)
    if (amount) await owner.call('POST', `${path}/${accountId}/grants`, grantOf(amount))
  }
  for (const [sort, wanted] of [
    ['', ['eastgate', 'Zebra', 'Acorn', 'Éclair', 'banks']],
    ['&sort=name', ['Acorn', 'banks', 'eastgate', 'Éclair', 'Zebra']],
    ['&sort=balance', ['Acorn', 'banks', 'Zebra', 'eastgate', 'Éclair']],
    ['&sort=balance&q=bra', ['Zebra']],
  ] as const) {
    const names: string[] = []
    for (let before = ''; ; ) {
      const { body } = await owner.call('GET', `${path}?limit=1${sort}${before}`)
      names.push(...body.subaccounts.map((one: { name: string }) => one.name))
      if (body.next === null) break
      before = `&before=${body.next}`
    }
    assert.deepEqual(names, wanted, sort)
  }
  const [id] = ids
  for (const query of ['sort=age', 'before=x', `sort=name&before=${id}`, `sort=balance&before=YQ.${id}`]) {
    assert.equal((await owner.call('GET', `${path}?${query}`)).status, 400, query)
  }
})

test('sub-accounts that run low are found: below the threshold, or without credits for an answer', async () => {
  await using office = await startOffice()
  const { owner, makeSub, db } = office
  const [rich, low, empty] = [await makeSub(), await makeSub(), await makeSub()]
  for (const { accountId } of [rich, low]) await owner.call('POST', `${path}/${accountId}/grants`, grantOf('100'))
  const set = await owner.call('PUT', `${path}/${low.accountId}/recharge`, { threshold: '100', amount: '400.5' })
  assert.deepEqual(set.body.subaccount.recharge, { threshold: 100, amount: 400.5, isAsked: false })
  await charge(db, low.accountId, 1)
  const { body } = await owner.call('GET', `${path}?filter=low`)
  const states = body.subaccounts.map(({ id, state }: Record<string, unknown>) => [id, state])
  assert.deepEqual(states, [
    [empty.accountId, 'empty'],
    [low.accountId, 'low'],
  ])
  assert.deepEqual([body.total, body.low, body.subaccounts[1].recharge.isAsked], [3, 2, true])
  assert.equal(body.subaccounts[1].spark.at(-1), 99)
  const found = await owner.call('GET', `${path}?q=${rich.email.toUpperCase()}`)
  assert.deepEqual(
    found.body.subaccounts.map(({ id }: { id: string }) => id),
    [rich.accountId],
  )
  const first = await owner.call('GET', `${path}?limit=2`)
  const second = await owner.call('GET', `${path}?limit=2&before=${first.body.next}`)
  assert.deepEqual(
    [first.body.subaccounts.length, second.body.subaccounts[0].id, second.body.next],
    [2, rich.accountId, null],
  )
  assert.ok((await actsOf(owner)).includes('recharge changed by user'))
})
