import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWarnings, type Warning } from '../../../src/app/website-chat/limits/warnings.ts'

const on = { accountId: `acc_${'1'.repeat(32)}`, channelId: `chn_${'1'.repeat(32)}` } as const

function watch() {
  const told: Warning[] = []
  const clock = { at: 1_000_000 }
  const warnings = openWarnings(
    (_, warning) => told.push(warning),
    () => clock.at,
  )
  return { told, clock, warnings }
}

test('WC20 five forged identities within a minute are told, four are not', () => {
  const { told, clock, warnings } = watch()
  for (let n = 0; n < 4; n += 1) warnings.forged(on)
  assert.deepEqual(told, [])
  warnings.forged(on)
  assert.deepEqual(told, ['forged'])
  clock.at += 61_000
  for (let n = 0; n < 4; n += 1) warnings.forged(on)
  assert.deepEqual(told, ['forged'])
})

test('nearly all requests of one address that only a machine beside us has are a proxy that hides the visitors', () => {
  for (const [client, isTold] of [
    ['10.0.0.7', true],
    ['loopback', true],
    ['fd00:0:0:1::/64', true],
    ['203.0.113.7', false],
  ] as const) {
    const { told, warnings } = watch()
    for (let n = 0; n < 200; n += 1) warnings.met(on, n % 11 === 0 ? `203.0.113.${n}` : client)
    assert.equal(told.length, isTold ? 1 : 0, client)
  }
  const { told, warnings } = watch()
  for (let n = 0; n < 200; n += 1) warnings.met(on, n % 9 === 0 ? `203.0.113.${n}` : '10.0.0.7')
  assert.deepEqual(told, [])
})
