import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../../src/platform/config/config.ts'
import { OperatorError } from '../../../src/platform/operator-error.ts'

const names = ['MESSAGES', 'ATTACHMENTS', 'ANSWERS', 'ATTEMPTS', 'UNANSWERED', 'AUDIT', 'API_CALLS', 'VISITORS'].map(
  (kind) => `KEEP_${kind}_DAYS`,
)

test('without a setting, what was kept for ever is kept for ever', () => {
  const { keepDays } = readConfig({ KEEP_MESSAGES_DAYS: ' ' })
  assert.deepEqual(keepDays, {
    messages: null,
    attachments: null,
    answers: null,
    attempts: 30,
    unanswered: 90,
    audit: 365,
    calls: null,
    visitors: 365,
  })
})

test('each kind of thing can be kept for a number of days of its own', () => {
  const { keepDays } = readConfig(Object.fromEntries(names.map((name, n) => [name, String(n + 1)])))
  assert.deepEqual(Object.values(keepDays), [1, 2, 3, 4, 5, 6, 7, 8])
})

test('what is no number of days stops the start with one sentence that names it', () => {
  for (const name of names) {
    for (const value of ['0', '-1', '1.5', '36501', '90d', 'forever']) {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) => error instanceof OperatorError && error.message.startsWith(`${name} must be a whole number`),
      )
    }
  }
})
