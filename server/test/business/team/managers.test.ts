import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { openDbForLongStatements } from '../../../src/platform/database/db.ts'
import { migrate } from '../../../src/platform/database-setup/migrate.ts'
import { makeSubaccount } from '../../helpers/credits.ts'
import { makeDatabase, runStatement } from '../../helpers/databases.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { makeOldSchema } from '../../helpers/old-schema.ts'
import { addMember, type SignedIn, signIn } from '../../helpers/sessions.ts'

let app: TestApp
before(async () => {
  app = await sharedApp()
})
after(() => app[Symbol.asyncDispose]())

async function startTeam() {
  const shop = await app.makeAccount()
  const mia = await addMember(app, shop.accountId, `mia-${shop.accountId}@example.com`)
  const [owner, member] = [await signIn(app, shop), await signIn(app, { ...shop, userId: mia })]
  const set = (body: unknown) => owner.call('PATCH', `/api/team/members/${mia}`, body)
  return { shop, mia, owner, member, set }
}

const tries = (listId: string): [string, string, unknown?][] => [
  ['POST', '/api/imports', { fileName: 'people.csv', encoding: 'UTF-8' }],
  ['POST', '/api/broadcasts/preview', { listId, channel: 'custom' }],
  ['DELETE', `/api/lists/${listId}`],
]

async function refusals(browser: SignedIn, listId: string): Promise<string[]> {
  const found: string[] = []
  for (const [method, path, body] of tries(listId)) {
    const answer = await browser.call(method, path, body)
    if (answer.status === 403) found.push(answer.body.error.message)
  }
  return found
}

test('a new member may not import, broadcast or delete a list until an owner lets them, which is in the audit', async () => {
  const { shop, mia, owner, member, set } = await startTeam()
  const says = 'Only owners, and members whom an owner lets manage, may do this; ask an owner.'
  assert.deepEqual(await refusals(member, shop.listId), [says, says, says])
  assert.equal((await member.call('GET', '/api/session')).body.user.mayManage, false)
  const team = await set({ isManager: true })
  const shown = team.body.members.find(({ id }: { id: string }) => id === mia)
  assert.deepEqual([shown.isOwner, shown.isManager], [false, true])
  assert.equal((await member.call('GET', '/api/session')).body.user.mayManage, true)
  assert.deepEqual(await refusals(member, shop.listId), [])
  await set({ isManager: false })
  assert.equal((await refusals(member, shop.listId)).length, 3)
  const { events } = (await owner.call('GET', '/api/audit?q=manager')).body
  assert.deepEqual(
    events.map(({ details }: { details: unknown }) => details),
    [
      { name: 'Mia Member', manages: 'no' },
      { name: 'Mia Member', manages: 'yes' },
    ],
  )
})

test('a manager who becomes an owner and a member again begins without the right; of an owner it is refused', async () => {
  const { mia, set } = await startTeam()
  await set({ isManager: true })
  assert.equal((await set({ isOwner: true, isManager: true })).status, 400)
  assert.equal((await set({ isOwner: true })).status, 200)
  const team = await set({ isOwner: false })
  const shown = team.body.members.find(({ id }: { id: string }) => id === mia)
  assert.deepEqual([shown.isOwner, shown.isManager], [false, false])
})

test('contacts are exported by owners only, and not by an agency that visits', async () => {
  const { owner, member, set } = await startTeam()
  await set({ isManager: true })
  assert.equal((await owner.call('GET', '/api/contacts/export')).status, 200)
  const refused = await member.call('GET', '/api/contacts/export')
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'FORBIDDEN'])
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, agency.accountId)
  const visitor = await signIn(app, agency)
  await visitor.call('POST', '/api/session/visit', { accountId: sub.accountId })
  assert.equal((await visitor.call('GET', '/api/contacts/export')).status, 403)
})

test('members of before the right existed have it after the upgrade; owners and who was removed do not need it', async () => {
  await using made = await makeDatabase({ empty: true })
  const { address } = made
  await makeOldSchema(address, 50)
  await runStatement(address, "insert into accounts (id, kind) values ('acc_1', 'standard')")
  await runStatement(
    address,
    `insert into users (id, account_id, email, password_hash, is_owner, is_holder, removed_at) values
      ('usr_owner', 'acc_1', 'owner@example.com', '', true, true, null),
      ('usr_member', 'acc_1', 'member@example.com', '', false, false, null),
      ('usr_gone', 'acc_1', null, '', false, false, now())`,
  )
  const db = openDbForLongStatements(address, pino({ level: 'silent' }))
  await db.transaction().execute((tx) => migrate(tx))
  const users = await db.selectFrom('users').select(['id', 'isManager']).where('accountId', '=', 'acc_1').execute()
  await db.destroy()
  assert.deepEqual(Object.fromEntries(users.map(({ id, isManager }) => [id, isManager])), {
    usr_owner: false,
    usr_member: true,
    usr_gone: false,
  })
})
