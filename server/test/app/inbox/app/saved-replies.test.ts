import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startInbox } from '../../../helpers/inbox.ts'

test('saved replies belong to the team: any user makes, changes and deletes them, and a shortcut is there once', async () => {
  await using inbox = await startInbox()
  const { owner, member } = inbox
  const path = '/api/saved-replies'
  const loan = await owner.ok('POST', path, { shortcut: 'loan', body: 'Yes, {{firstName}}: a city bike.' })
  await member.ok('POST', path, { shortcut: 'address', body: '12 Kettle Lane' })
  assert.deepEqual(
    (await member.ok('GET', path)).replies.map(({ shortcut }: { shortcut: string }) => shortcut),
    ['address', 'loan'],
  )
  const twice = await member.call('POST', path, { shortcut: 'loan', body: 'Another' })
  assert.deepEqual([twice.status, twice.body.error.code], [409, 'CONFLICT'])
  const changed = await member.ok('PUT', `${path}/${loan.id}`, { shortcut: 'bike', body: 'A city bike.' })
  assert.deepEqual(changed, { id: loan.id, shortcut: 'bike', body: 'A city bike.' })
  const taken = await member.call('PUT', `${path}/${loan.id}`, { shortcut: 'address', body: 'A city bike.' })
  assert.deepEqual([taken.status, taken.body.error.code], [409, 'CONFLICT'])
  for (const shortcut of ['', 'Loan', 'two words', '-a', 'x'.repeat(41)]) {
    assert.equal((await owner.call('POST', path, { shortcut, body: 'Hello' })).status, 400, shortcut)
  }
  assert.equal((await owner.call('POST', path, { shortcut: 'empty', body: ' \u200b' })).status, 400)
  await member.ok('DELETE', `${path}/${loan.id}`)
  assert.equal((await member.call('DELETE', `${path}/${loan.id}`)).status, 404)
  assert.equal((await owner.ok('GET', path)).replies.length, 1)
})
