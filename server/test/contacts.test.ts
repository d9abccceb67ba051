import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from './harness.ts'

test('200 parallel creations of one phone in different spellings make one contact', async () => {
  await using app = await startApp()
  const shop = await app.makeAccount()
  const spellings = ['+15551234567', '+1 555 123 4567', '001-555-123-4567', '+1 (555) 123.4567']

  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => shop.post('/contacts', { phone: spellings[index % spellings.length] })),
  )

  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(answers.filter(({ status }) => status === 200).length, 199)
  for (const { body } of answers) assert.deepEqual(body, answers[0]?.body)
  assert.equal((await app.db.selectFrom('contacts').select('id').execute()).length, 1)
})
