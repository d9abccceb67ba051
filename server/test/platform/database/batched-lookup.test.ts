import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBatchedLookup } from '../../../src/platform/database/batched-lookup.ts'

test('who is looked up soon after another waits, and shares a query with all who come meanwhile', async () => {
  const queries: string[][] = []
  const find = openBatchedLookup<string>({
    query: async (keys) => {
      queries.push(keys)
      return new Map(keys.map((key) => [key, `found ${key}`]))
    },
    ...{ betweenMs: 500, mostWaiting: 10, mostAtOnce: 2, mayJoin: false },
  })
  assert.equal(await find('alone'), 'found alone')
  const found = await Promise.all(['a', 'b', 'c'].map(find))
  assert.deepEqual(found, ['found a', 'found b', 'found c'])
  assert.deepEqual(queries, [['alone'], ['a', 'b', 'c']])
})
