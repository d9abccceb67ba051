import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seal, unseal } from '../../../src/platform/secrets/seal.ts'

const key = Buffer.alloc(32, 'secret')
const row = 'endpoint acc_1 reply'

test('a secret that version 0.1.0 sealed can still be opened', () => {
  const stored = '909f6253.J2ZpSVVAtVQXgALw.5dIZSWvpXtIxI76K1ZjqojmOAMCkep35idvG'
  assert.equal(unseal(key, stored, row), 'whsec_fixed')
})

test('a sealed secret opens with its key and for its row alone, and not when it was changed', () => {
  const stored = seal(key, 'whsec_fixed', row)
  assert.equal(unseal(key, stored, row), 'whsec_fixed')
  assert.ok(!stored.includes('whsec_fixed'))
  assert.notEqual(seal(key, 'whsec_fixed', row), stored)
  assert.throws(() => unseal(Buffer.alloc(32, 'other'), stored, row), /another SECRET_KEY/)
  assert.throws(() => unseal(key, stored, 'endpoint acc_2 reply'))
  const last = stored.at(-1) === 'A' ? 'Q' : 'A'
  assert.throws(() => unseal(key, stored.slice(0, -1) + last, row))
})
