import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../../helpers/harness.ts'
import { incoming, incomingPath } from '../../../helpers/message-requests.ts'
import { assertRefused } from '../../../helpers/refusals.ts'
import { countRows } from '../../../helpers/rows.ts'
import { addMember, signIn } from '../../../helpers/sessions.ts'

test('the owner erases a contact with its messages in the app; another member may not', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const userId = await addMember(app, shop.accountId, 'mia@example.com')
  const [owner, member] = [await signIn(app, shop), await signIn(app, { ...shop, userId })]
  await shop.post(incomingPath, incoming({ fromId: 'u1' }))
  const { id } = (await owner.call('GET', '/api/contacts')).body.contacts[0]

  assertRefused(await member.call('DELETE', `/api/contacts/${id}`), 'FORBIDDEN', { says: /owner/ })
  assert.equal((await countRows(app)).contacts, 1)
  assert.deepEqual((await owner.call('DELETE', `/api/contacts/${id}`)).body, { messages: 1 })
  assertRefused(await owner.call('DELETE', `/api/contacts/${id}`), 'CONTACT_NOT_FOUND')
  assert.deepEqual(await countRows(app), { contacts: 0, members: 0 })
})
