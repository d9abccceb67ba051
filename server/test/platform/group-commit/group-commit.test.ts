import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openGroupCommit } from '../../../src/platform/group-commit/group-commit.ts'

type Batch = { rows: string[]; answer: (results?: (string | undefined)[]) => void; fail: (error: Error) => void }

/** A group commit whose writes end when the test answers them; by default, a row's result is `kept ROW`. */
function openControlled(lockOf = (row: string) => row) {
  const clock = { now: 0 }
  const batches: Batch[] = []
  const keep = openGroupCommit(
    (rows: string[]) => {
      const { promise, resolve, reject } = Promise.withResolvers<(string | undefined)[]>()
      const answer = (results: (string | undefined)[] = rows.map((row) => `kept ${row}`)) => resolve(results)
      batches.push({ rows, answer, fail: reject })
      return promise
    },
    { now: () => clock.now, lockOf },
  )
  /** The batch of this number, once it has been written. */
  async function batch(number: number): Promise<Batch> {
    for (let turns = 0; turns < 100; turns += 1) {
      const found = batches[number]
      if (found) return found
      await turn()
    }
    throw new Error(`there is no batch ${number}`)
  }
  return { keep, batches, batch, clock }
}

function withCode(code: string): Error {
  return Object.assign(new Error(`failed with ${code}`), { code })
}

test('a lone row is written at once and alone', async () => {
  const { keep, batch, batches } = openControlled()
  const kept = keep('a')
  await turn()
  assert.deepEqual(batches[0]?.rows, ['a'], 'no timer ran')
  batches[0]?.answer()
  assert.equal(await kept, 'kept a')
  const next = keep('b')
  const second = await batch(1)
  assert.deepEqual(second.rows, ['b'])
  second.answer()
  assert.equal(await next, 'kept b')
})

test('rows that arrive during a write share the next one, in order, and each gets its own result', async () => {
  const { keep, batches, batch } = openControlled()
  const first = keep('first')
  await batch(0)
  const others = ['a', 'b', 'c', 'd'].map(keep)
  await turn()
  assert.equal(batches.length, 1, 'one write at a time')
  batches[0]?.answer()
  assert.equal(await first, 'kept first')
  const second = await batch(1)
  assert.deepEqual(second.rows, ['a', 'b', 'c', 'd'])
  second.answer()
  assert.deepEqual(await Promise.all(others), ['kept a', 'kept b', 'kept c', 'kept d'])
})

test('rows that arrive during a slow write do not wait for it', async () => {
  const { keep, batch, clock } = openControlled()
  void keep('first')
  await batch(0)
  const early = keep('early')
  clock.now += 101
  const others = [early, keep('late')]
  const second = await batch(1)
  second.answer()
  assert.deepEqual(await Promise.all(others), ['kept early', 'kept late'])
})

test('a row whose lock is in a batch in flight waits for that batch, while rows of other locks pass it', async () => {
  const { keep, batch, batches, clock } = openControlled((row) => row[0] ?? '')
  const first = ['a1', 'b1'].map(keep)
  await batch(0)
  clock.now += 101
  const others = ['a2', 'c1', 'b2', 'a3', 'c2'].map(keep)
  await turn()
  assert.deepEqual(
    batches.map(({ rows }) => rows),
    [['a1', 'b1'], ['c1']],
    'a2 could be written before a1, and b2 before b1',
  )
  clock.now += 101
  batches[1]?.answer()
  const third = await batch(2)
  assert.deepEqual(third.rows, ['c2'], 'those of the first batch still wait')
  third.answer()
  batches[0]?.answer()
  const last = await batch(3)
  assert.deepEqual(last.rows, ['a2', 'b2', 'a3'], 'in the order in which they came')
  last.answer()
  assert.deepEqual(await Promise.all(first), ['kept a1', 'kept b1'])
  assert.deepEqual(
    await Promise.all(others),
    ['a2', 'c1', 'b2', 'a3', 'c2'].map((row) => `kept ${row}`),
  )
})

test('rows that arrive in one turn of the event loop share one write', async () => {
  const { keep, batch } = openControlled()
  const kept = ['a', 'b', 'c'].map(keep)
  const first = await batch(0)
  assert.deepEqual(first.rows, ['a', 'b', 'c'])
  first.answer()
  assert.equal((await Promise.all(kept)).length, 3)
})

test('of a batch that fails because of its rows, only the bad row fails', async () => {
  for (const code of ['22P05', '23514', '23505', '40001', '40P01']) {
    const writes: string[][] = []
    const keep = openGroupCommit(async (rows: string[]) => {
      writes.push(rows)
      if (rows.includes('bad')) throw withCode(code)
      return rows.map((row) => `kept ${row}`)
    })
    const outcomes = await Promise.allSettled(['a', 'bad', 'c'].map(keep))
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code)),
      ['kept a', code, 'kept c'],
    )
    assert.deepEqual(writes.slice(0, 2), [['a', 'bad', 'c'], ['a']])
    assert.equal(await keep('later'), 'kept later')
  }
})

test('without writeWithLockWait, rows whose lock is held are retried once, those of one lock together, and fail together', async () => {
  const writes: string[][] = []
  const lockOf = (row: string) => row[0]
  const keep = openGroupCommit(
    async (rows: string[]) => {
      writes.push(rows)
      if (rows.some((row) => lockOf(row) === 'h')) throw withCode('55P03')
      return rows.map((row) => `kept ${row}`)
    },
    { lockOf },
  )
  const outcomes = await Promise.allSettled(['h1', 'a1', 'h2', 'b1', 'h3', 'a2'].map(keep))
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code)),
    ['55P03', 'kept a1', '55P03', 'kept b1', '55P03', 'kept a2'],
  )
  assert.deepEqual(writes.slice(1), [['h1', 'h2', 'h3'], ['a1', 'a2'], ['b1']])
})

test('rows that conflicted with each other or with other transactions are all written on retry', async () => {
  let writes = 0
  const keep = openGroupCommit(async (rows: string[]) => {
    writes += 1
    if (writes <= 2) throw withCode('40P01')
    return rows.map((row) => `kept ${row}`)
  })
  assert.deepEqual(await Promise.all(['a', 'b'].map(keep)), ['kept a', 'kept b'])
})

test('an error that no row caused fails its whole batch, is not retried, and the queue continues', async () => {
  for (const error of [withCode('57P01'), withCode('ECONNRESET'), new Error('Connection terminated unexpectedly')]) {
    const { keep, batches, batch } = openControlled()
    const failing = ['a', 'b'].map(keep)
    const failed = Promise.allSettled(failing)
    const first = await batch(0)
    const next = ['c', 'd'].map(keep)
    first.fail(error)
    for (const outcome of await failed) assert.equal(outcome.status === 'rejected' && outcome.reason, error)
    const second = await batch(1)
    assert.deepEqual(second.rows, ['c', 'd'])
    second.answer()
    assert.deepEqual(await Promise.all(next), ['kept c', 'kept d'])
    assert.equal(batches.length, 2)
  }
})

test('a row whose outcome is unknown is written again, and given up after a few tries', async () => {
  const { keep, batches, batch } = openControlled()
  const kept = ['a', 'b', 'c'].map(keep)
  const settled = Promise.allSettled(kept)
  const first = await batch(0)
  first.answer(['kept a', undefined, 'kept c'])
  const second = await batch(1)
  assert.deepEqual(second.rows, ['b'])
  second.answer(['found b'])
  assert.deepEqual(
    (await settled).map((outcome) => outcome.status === 'fulfilled' && outcome.value),
    ['kept a', 'found b', 'kept c'],
  )
  assert.equal(batches.length, 2)

  let tries = 0
  const never = openGroupCommit(async (rows: string[]): Promise<undefined[]> => {
    tries += 1
    return rows.map(() => undefined)
  })
  await assert.rejects(never('x'), /another process/)
  assert.ok(tries > 1 && tries < 20, `${tries} times`)
})

test('a full queue refuses at once with Retry-After; accepted rows are written, and then it accepts more', async () => {
  const { keep, batch, batches } = openControlled()
  const outcomes = Promise.allSettled(Array.from({ length: 4_000 }, (_, n) => keep(`${n}`)))
  await assert.rejects(keep('late'), { name: 'Refusal', code: 'RATE_LIMITED', retryAfterSeconds: 1, message: /busy/ })
  await batch(0)
  assert.ok(batches.length <= 2, `${batches.length} writes at once`)
  for (let answered = 0; answered < batches.length; answered += 1) {
    batches[answered]?.answer()
    for (let turns = 0; turns < 3; turns += 1) await turn() // its results, then the next batch
  }
  const refused = (await outcomes).filter(({ status }) => status === 'rejected')
  const written = batches.flatMap(({ rows }) => rows)
  assert.equal(written.length + refused.length, 4_000)
  assert.ok(written.length >= 2_000, `${written.length} were accepted`)
  assert.equal(new Set(written).size, written.length, 'none is written twice')
  assert.deepEqual(
    written,
    written.toSorted((a, b) => Number(a) - Number(b)),
  )
  const next = batches.length
  const more = keep('more')
  const last = await batch(next)
  last.answer()
  assert.equal(await more, 'kept more')
})
