import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openGroupCommit } from '../../../src/platform/group-commit/group-commit.ts'

function withCode(code: string): Error {
  return Object.assign(new Error(`failed with ${code}`), { code })
}

/** Rows that begin with `h` need a lock that is held until it is freed; the first letter is also the owner. */
function openWithHeldLock() {
  const shared: string[] = []
  const apart: string[][] = []
  const { promise: freed, resolve: free } = Promise.withResolvers<void>()
  const keep = openGroupCommit(
    async (rows: string[]) => {
      shared.push(...rows)
      if (rows.some((row) => row.startsWith('h'))) throw withCode('55P03')
      return rows.map((row) => `kept ${row}`)
    },
    {
      lockOf: (row) => row[0],
      ownerOf: (row) => row[0] ?? '',
      writeWithLockWait: async (_owner, rows) => {
        apart.push(rows)
        await freed
        return rows.map((row) => `kept ${row}`)
      },
    },
  )
  return { keep, shared, apart, free }
}

test('rows whose lock is held wait separately and in order, while other rows continue in shared batches', async () => {
  const { keep, shared, apart, free } = openWithHeldLock()
  const held = ['h1', 'h2'].map(keep)
  assert.equal(await keep('a1'), 'kept a1')
  const tried = shared.length
  held.push(...['h3', 'h4'].map(keep))
  assert.deepEqual(await Promise.all(['b1', 'a2'].map(keep)), ['kept b1', 'kept a2'])
  assert.deepEqual(shared.slice(tried), ['b1', 'a2'], 'no further batch has rows of the held lock')
  free()
  assert.deepEqual(await Promise.all(held), ['kept h1', 'kept h2', 'kept h3', 'kept h4'])
  assert.deepEqual(apart, [
    ['h1', 'h2'],
    ['h3', 'h4'],
  ])
})

test('a bounded number of rows of one owner waits for held locks; more are refused as busy', async () => {
  const { keep, free } = openWithHeldLock()
  const first = keep('h')
  assert.equal(await keep('a'), 'kept a')
  const outcomes = Promise.allSettled(Array.from({ length: 1_000 }, (_, n) => keep(`h${n}`)))
  assert.equal(await keep('b'), 'kept b')
  free()
  await first
  const refused = (await outcomes).filter((outcome) => outcome.status === 'rejected')
  assert.equal(refused.length, 1_000 - 499)
  for (const { reason } of refused) assert.equal(reason.code, 'RATE_LIMITED')
})

test('a batch whose connection broke is written again as a whole by writeAgain', async () => {
  const writes: string[][] = []
  const again: string[][] = []
  const keep = openGroupCommit(
    async (rows: string[]) => {
      writes.push(rows)
      throw withCode('ECONNRESET')
    },
    {
      writeAgain: async (rows) => {
        again.push(rows)
        // The first write was still in progress; then both rows are found.
        if (again.length === 1) throw withCode('23505')
        return rows.map((row) => `found ${row}`)
      },
    },
  )
  assert.deepEqual(await Promise.all(['a', 'b'].map(keep)), ['found a', 'found b'])
  assert.deepEqual(writes, [['a', 'b']])
  assert.deepEqual(again, [['a', 'b'], ['a'], ['b']])
})
