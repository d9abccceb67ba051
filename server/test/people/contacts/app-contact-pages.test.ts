import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listContacts } from '../../../src/people/contacts/list.ts'
import { findByName } from '../../../src/people/contacts/search-store.ts'
import { findShownContact } from '../../../src/people/contacts/shown-store.ts'
import { type ContactId, type ListId, newId } from '../../../src/platform/ids.ts'
import { writePlace } from '../../../src/platform/sorted-place.ts'
import { makeContact as make, startShop } from '../../helpers/app-contacts.ts'
import { sharedApp, startApp } from '../../helpers/harness.ts'
import { insertManyContacts } from '../../helpers/many-contacts.ts'
import { readsOf, scannedTables, stopAutovacuum } from '../../helpers/plans.ts'
import { assertRefused } from '../../helpers/refusals.ts'
import { signIn } from '../../helpers/sessions.ts'

test('pages and counts of 12,000 contacts read no table from end to end, and the total ends at 10,000', async () => {
  await using app = await startApp()
  await stopAutovacuum(app)
  const shop = await app.makeAccount()
  const { accountId, listId } = shop
  const ids = await insertManyContacts(app, { accountId, listId, count: 12_000 })
  const before = ids[6_000] as ContactId // there are more

  const scanned = await scannedTables(app, async (db) => {
    await listContacts(db, accountId, {})
    await listContacts(db, accountId, { before })
    const { next } = await listContacts(db, accountId, { listId })
    await listContacts(db, accountId, { listId, ...(next !== null && { before: next }) })
    await findShownContact(db, accountId, before)
    for (const q of ['last119', 'First', '+1 555', 'nobody']) {
      await listContacts(db, accountId, { q })
      await listContacts(db, accountId, { q, listId })
      await findByName(db, accountId, q, 20)
    }
  })

  // A table of a few rows, such as that of lists, is read whole by any plan.
  assert.deepEqual(
    scanned.filter((table) => ['contacts', 'list_members'].includes(table)),
    [],
  )
  const browser = await signIn(app, shop)
  assert.equal((await browser.call('GET', '/api/contacts?limit=1')).body.total, 10_000)
  assert.equal((await browser.call('GET', '/api/contacts?q=LAST1199')).body.total, 11)
  assert.equal((await browser.call('GET', '/api/contacts?q=first')).body.total, null)
  const page = (await browser.call('GET', `/api/contacts?before=${before}&limit=100`)).body
  assert.deepEqual([page.total, page.contacts.length, page.next], [null, 100, ids[6_100]])
})

test('a search reads contacts hardly more than once, also among 12,000 members of a list, and ends when it has enough', async () => {
  await using app = await startApp()
  await stopAutovacuum(app)
  const { accountId, listId } = await app.makeAccount()
  await insertManyContacts(app, { accountId, listId, count: 12_000 })
  const rowsRead = async (query: { q: string; listId?: ListId; before?: string }) => {
    const reads = await readsOf(app, (db) => listContacts(db, accountId, query))
    return reads.reduce((sum, { rows }) => sum + rows, 0)
  }
  const found = await listContacts(app.db, accountId, { q: 'first', listId })
  assert.deepEqual([found.contacts.length, found.total], [50, null])
  const second = { q: 'first', listId, before: found.next ?? '' }
  for (const [query, most] of [
    [{ q: 'first' }, 1_500],
    [{ q: 'first', listId }, 3_000],
    [second, 1_500],
    [{ q: 'nobody' }, 12_000],
    [{ q: 'nobody', listId }, 12_000 + 2 * 100 + 10],
  ] as const) {
    const rows = await rowsRead(query)
    assert.ok(rows <= most, `${JSON.stringify(query)} read ${rows} rows`)
  }
})

test('a search among many members finds each of them once, in the order of the list, and those beyond the first too', async () => {
  await using app = await startApp()
  const { accountId, listId } = await app.makeAccount()
  const ids = await insertManyContacts(app, { accountId, listId, count: 3_000 })
  await app.pools.keys.query(
    `update list_members set added_at = now() - (hashtext(contact_id) & 65535) * interval '1 s' where account_id = $1`,
    [accountId],
  )
  const { rows } = await app.pools.keys.query(
    `select contact_id as id from list_members join contacts on contacts.account_id = $1 and id = contact_id
     where list_members.account_id = $1 and last_name like 'Last2%' order by added_at desc, contact_id desc`,
    [accountId],
  )
  assert.equal(rows.length, 1_111)
  const seen: string[] = []
  let before: string | undefined
  do {
    const page = await listContacts(app.db, accountId, { q: 'last2', listId, limit: '100', ...(before && { before }) })
    assert.equal(page.total, null)
    seen.push(...page.contacts.map(({ id }) => id))
    before = page.next ?? undefined
  } while (before)
  assert.deepEqual(
    seen,
    rows.map(({ id }) => id),
  )
  const one = await listContacts(app.db, accountId, { q: 'last2999', listId })
  assert.deepEqual([one.contacts.map(({ id }) => id), one.total], [[ids[1]], 1])
})

test('pages are newest first, of a list those added last first, and every contact is on exactly one of them while others are added', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)
  const made: string[] = []
  for (let n = 0; n < 7; n += 1) made.unshift(await make(browser, { email: `a${n}@example.com` }))
  for (const n of [5, 2, 4]) await browser.call('PUT', `/api/contacts/${made[n]}/lists/${shop.listId}`)

  const seen: string[] = []
  for (let before = ''; ; ) {
    const { body } = await browser.call('GET', `/api/contacts?limit=3${before}`)
    seen.push(...body.contacts.map(({ id }: { id: string }) => id))
    assert.equal(body.total, before ? null : 7)
    if (body.next === null) break
    if (!before) await make(browser, { email: 'later@example.com' })
    before = `&before=${body.next}`
  }
  assert.deepEqual(seen, made)

  const pageOf = async (before: string) => {
    const { body } = await browser.call('GET', `/api/contacts?listId=${shop.listId}&limit=1${before}`)
    assert.deepEqual([body.total, body.contacts.length], [before ? null : 3, 1])
    assert.deepEqual(body.contacts[0].lists, [{ id: shop.listId, name: 'Customers' }])
    assert.ok(body.contacts[0].addedAt)
    return { id: body.contacts[0].id, next: body.next }
  }
  const first = await pageOf('')
  const second = await pageOf(`&before=${first.next}`)
  const third = await pageOf(`&before=${second.next}`)
  assert.deepEqual([first.id, second.id, third.id, third.next], [made[4], made[2], made[5], null])
})

test('pages by name: capitals and accents do not count, those without a name come last, and none is there twice or missing', async () => {
  await using app = await sharedApp()
  const { browser } = await startShop(app)
  const { browser: rival } = await startShop(app)
  await make(rival, { firstName: 'Aaron', email: 'aaron@example.com' })
  const people = [
    [null, null],
    ['Zoe', null],
    ['élise', 'Martin'],
    ['Elise', 'Adams'],
    [null, 'Brown'],
    ['Sam', 'Same'],
    ['Sam', 'Same'],
    ['N'.repeat(60), '2'],
    ['N'.repeat(60), '1'],
  ] as const
  const ids: string[] = []
  for (const [n, [firstName, lastName]] of people.entries()) {
    ids.push(await make(browser, { firstName, lastName, email: `b${n}@example.com` }))
  }
  const wanted = [4, 3, 2, 7, 8, 5, 6, 1, 0].map((n) => ids[n])
  for (const limit of [1, 2, 100]) {
    const seen: string[] = []
    for (let before = ''; ; ) {
      const { body } = await browser.call('GET', `/api/contacts?sort=name&limit=${limit}${before}`)
      seen.push(...body.contacts.map(({ id }: { id: string }) => id))
      assert.equal(body.total, before ? null : people.length)
      if (body.next === null) break
      before = `&before=${body.next}`
    }
    assert.deepEqual(seen, wanted)
  }
  const renamed = await browser.call('PATCH', `/api/contacts/${ids[0]}`, { firstName: 'Abel' })
  assert.equal(renamed.status, 200)
  const { body } = await browser.call('GET', '/api/contacts?sort=name&limit=1')
  assert.equal(body.contacts[0].id, ids[0])
  assert.equal((await browser.call('GET', '/api/contacts?sort=newest&limit=1')).body.contacts[0].id, ids.at(-1))
})

test('a page by name reads as many rows as it shows, from the first of 12,000 contacts to the last', async () => {
  await using app = await startApp()
  await stopAutovacuum(app)
  const { accountId, listId } = await app.makeAccount()
  await insertManyContacts(app, { accountId, listId, count: 12_000 })
  const other = await app.makeAccount()
  await insertManyContacts(app, { ...other, count: 2_000 })
  const after = writePlace({ key: 'first9', id: newId('con') })
  for (const [before, most] of [
    [after, 150],
    [undefined, 10_000 + 150], // with the count of all
  ] as const) {
    const reads = await readsOf(app, (db) => listContacts(db, accountId, { sort: 'name', ...(before && { before }) }))
    const contacts = reads.filter(({ table }) => table === 'contacts')
    const rows = contacts.reduce((sum, read) => sum + read.rows, 0)
    assert.ok(contacts.every(({ isWhole }) => !isWhole) && rows >= 100 && rows <= most, JSON.stringify(contacts))
  }
})

test('a bad page is refused: limit, cursor, list', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)
  for (const query of [
    'limit=0',
    'limit=101',
    'limit=x',
    'before=x',
    `before=${newId('lst')}`,
    `before=1.${newId('con')}`,
    'listId=',
    'sort=age',
    'sort=name&q=a',
    `sort=name&listId=${shop.listId}`,
    `sort=name&before=${newId('con')}`,
    `sort=name&before=YQ.${newId('lst')}`,
    `sort=name&before=AA.${newId('con')}`,
  ]) {
    assertRefused(await browser.call('GET', `/api/contacts?${query}`), 'INVALID_REQUEST', { label: query })
  }
  for (const before of ['x', newId('con'), `x.${newId('con')}`, `${'9'.repeat(18)}.${newId('con')}`, '1.x']) {
    const answer = await browser.call('GET', `/api/contacts?listId=${shop.listId}&before=${before}`)
    assertRefused(answer, 'INVALID_REQUEST', { label: before })
  }
  const oldest = `${'9'.repeat(17)}.${newId('con')}`
  assert.equal((await browser.call('GET', `/api/contacts?listId=${shop.listId}&before=${oldest}`)).status, 200)
  assertRefused(await browser.call('GET', `/api/contacts?listId=${newId('lst')}`), 'LIST_NOT_FOUND')
  assertRefused(await browser.call('GET', '/api/contacts?listId=%00'), 'LIST_NOT_FOUND')
})

test('a search finds by the beginning of phone number, e-mail address and external id, in a list too', async () => {
  await using app = await sharedApp()
  const { shop, browser } = await startShop(app)
  const found = async (q: string, more = '') => {
    const { body } = await browser.call('GET', `/api/contacts?q=${encodeURIComponent(q)}${more}`)
    assert.equal(body.total, body.contacts.length)
    return body.contacts.map(({ email }: { email: string }) => email)
  }
  await make(browser, { phone: '+447700900342', email: 'marta@example.com' })
  const id = await make(browser, { email: 'a_b@example.com' })
  await make(browser, { email: 'axb@example.com' })
  await browser.call('PUT', `/api/contacts/${id}/lists/${shop.listId}`)
  assert.deepEqual(await found('+44 7700'), ['marta@example.com'])
  assert.deepEqual(await found(' \0MARTA@'), ['marta@example.com'])
  assert.deepEqual(await found('a_'), ['a_b@example.com'])
  assert.deepEqual(await found('a', `&listId=${shop.listId}`), ['a_b@example.com'])
  for (const nothing of ['%', '_', '\\', "' or 1=1", '🌱', '😀'.repeat(120)]) assert.deepEqual(await found(nothing), [])
})
