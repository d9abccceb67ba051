import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startShop } from '../../helpers/app-contacts.ts'
import { sharedApp, startApp, type TestApp } from '../../helpers/harness.ts'
import { countsOf, makePeople, start, untilImport, upload } from '../../helpers/imports.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'

async function contactsOf({ db }: TestApp) {
  return db.selectFrom('contacts').select(['externalId', 'phone']).execute()
}

test('two imports of the same people at once, in two processes, make each contact once', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  await using second = await startApp({ ROLE: 'all' }, app.database)
  assert.ok(second)
  const { browser } = await startShop(app)
  const people = makePeople(1_000)
  const [head = '', ...lines] = people.trim().split('\n')
  const ids = [await upload(browser, people), await upload(browser, [head, ...lines.reverse()].join('\n'))]
  for (const id of ids) await untilImport(browser, id, 'ready')
  await Promise.all(ids.map((id) => start(browser, id)))
  const done = await Promise.all(ids.map((id) => untilImport(browser, id, 'finished')))
  assert.equal((await contactsOf(app)).length, 1_000)
  assert.deepEqual(
    done.map(({ added, same, changed, failed }) => [added + same + changed, failed]),
    [
      [1_000, 0],
      [1_000, 0],
    ],
  )
  assert.equal(
    done.reduce((sum, { added }) => sum + added, 0),
    1_000,
  )
})

test('an import beside messages of the same people loses neither: each is one contact, with all that both know', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  const { shop, browser } = await startShop(app)
  const id = await upload(browser, makePeople(1_000))
  await untilImport(browser, id, 'ready')
  await start(browser, id)
  // From the other end: they meet in the middle.
  const statuses = await Promise.all(
    Array.from({ length: 300 }, async (_, n) => {
      const message = incoming({ fromId: `ext-${(n * 7) % 1_000}`, messageSid: `sid-${n}`, body: 'Hello' })
      return (await shop.post(incomingPath, message)).status
    }),
  )
  assert.deepEqual(new Set(statuses), new Set([200]))
  const done = await untilImport(browser, id, 'finished')
  const { added, changed, same, failed } = countsOf(done)
  assert.deepEqual([added + changed + same, failed], [1_000, 0])
  const contacts = await contactsOf(app)
  assert.equal(contacts.length, 1_000)
  assert.equal(contacts.filter(({ phone, externalId }) => phone === null || externalId === null).length, 0)
})
