import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chartOf } from '../src/credits/chart.ts'

const day = { day: '2026-11-16', used: 0 }

test('the chart of a balance names what was granted without what was taken back on that day', () => {
  const days = [
    { ...day, granted: 0, reversed: 0, balance: 0 },
    { ...day, granted: 750, reversed: -250, balance: 500 },
    { ...day, granted: 100, reversed: 20, balance: 620 }, // a charge was taken back
  ]
  const { grant } = chartOf(days, undefined, 560)
  assert.deepEqual([grant?.n, grant?.amount], [1, 500])
  const none = chartOf([{ ...day, granted: 250, reversed: -250, balance: 0 }], undefined, 560)
  assert.equal(none.grant, undefined)
})
