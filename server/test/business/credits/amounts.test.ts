import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { creditsOf, unitsOf } from '../../../src/business/credits/amount.ts'
import { showBalance } from '../../../src/business/credits/history.ts'
import { countEntries, startAgency } from '../../helpers/credits.ts'
import { assertRefused } from '../../helpers/refusals.ts'

/** Printed with every run; give it back in FUZZ_SEED to see a failure again. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

test('units and credits are the same amount to the last digit, both ways', () => {
  const units = fc.oneof(fc.bigInt({ min: 0n, max: 999_999_999_999_999n }), fc.bigInt({ min: 0n, max: 20_000n }))
  const thereAndBack = fc.property(units, (given) => unitsOf(creditsOf(given)) === given)
  fc.assert(thereAndBack, { seed, numRuns: 20_000 })
  const anyNumber = fc.property(fc.double({ max: 99_999_999_999 }), (credits) => {
    const exact = unitsOf(credits)
    return exact === undefined || (credits >= 0 && creditsOf(exact) === Math.abs(credits))
  })
  fc.assert(anyNumber, { seed, numRuns: 20_000 })
  assert.deepEqual([1.1, 0.1 + 0.2, 1e-4, 1e-5, 1e21, -1, Number.NaN, Number.POSITIVE_INFINITY].map(unitsOf), [
    11_000n,
    undefined,
    1n,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('a decimal text is read to the last digit, in any notation', () => {
  const written = fc.record({
    units: fc.bigInt({ min: 0n, max: 10n ** 13n }),
    shift: fc.integer({ min: -30, max: 30 }),
    zeros: fc.nat(30),
    more: fc.bigInt({ min: 0n, max: 10n ** 10n }),
  })
  const property = fc.property(written, ({ units, shift, zeros, more }) => {
    const point = (digits: bigint, decimals: number) => {
      const text = String(digits).padStart(decimals + 1, '0')
      return `${text.slice(0, text.length - decimals)}.${text.slice(text.length - decimals)}`
    }
    const exact = `${units}${'0'.repeat(zeros)}e${-4 - zeros}`
    assert.equal(unitsOf(exact), units)
    assert.equal(unitsOf(`${point(units, 4)}${'0'.repeat(zeros)}`), units)
    const shifted = shift < 0 ? `${units}e${shift}` : `${units}${'0'.repeat(shift)}e-${shift + 4}`
    if (shift >= 0) assert.equal(unitsOf(shifted), units)
    const tooFine = `${point(units, 4)}${'0'.repeat(zeros)}${more}`
    assert.equal(unitsOf(tooFine), more === 0n ? units : undefined)
  })
  fc.assert(property, { seed, numRuns: 5_000 })
})

test('0.1 granted ten times is exactly 1', async () => {
  await using world = await startAgency()
  const sub = await world.makeSub()
  const balances: number[] = []
  for (let n = 0; n < 10; n += 1) balances.push((await world.ask({ email: sub.email, amount: 0.1 })).body.new_balance)
  assert.deepEqual(balances, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
})

test('the smallest and the largest amounts are granted exactly', async () => {
  await using world = await startAgency()
  const sub = await world.makeSub()
  const granted = async (amount: string) => {
    const { status, body } = await world.ask(`{"email":"${sub.email}","amount":${amount}}`)
    assert.equal(status, 200, `${amount} ${JSON.stringify(body)}`)
    return [body.credits_added, body.new_balance]
  }
  assert.deepEqual(await granted('1e-4'), [0.0001, 0.0001])
  assert.deepEqual(await granted('0.0001'), [0.0001, 0.0002])
  assert.deepEqual(await granted('1.10000'), [1.1, 1.1002])
  assert.deepEqual(await granted('999999999.9999'), [999999999.9999, 1000000001.1001])
  assert.deepEqual(await granted('1e9'), [1000000000, 2000000001.1001])
  assert.deepEqual(await granted('10E2'), [1000, 2000001001.1001])
  assert.deepEqual(await granted('10000000000000000000000000e-25'), [1, 2000001002.1001])
  assert.deepEqual(await granted(`2.${'0'.repeat(200_000)}`), [2, 2000001004.1001])
})

test('an invalid amount is answered with 400, and nothing is written', async () => {
  await using world = await startAgency()
  const { email } = await world.makeSub()
  const never = ['0', '-1', '-0', '0.0', '0.00001', '1e-9', '1e-400', '1e21', '1000000000.0001', '1000000001']
  const post = (amount: string) => world.ask(`{"email":"${email}","amount":${amount}}`)
  const rounded = [
    '1.00000000000000000000001',
    '0.99999999999999999999999',
    '1e-4000',
    '10000000000000000000000001e-25',
  ]
  const long = `1.${'0'.repeat(200_000)}1` // as long as a body may be; parsing must stay fast
  for (const amount of [...never, ...rounded, long, '9007199254740993', '0.30000000000000004', '1.00001']) {
    assertRefused(await post(amount), 'INVALID_AMOUNT', { says: /^amount/, label: amount })
  }
  for (const amount of ['"10"', 'null', 'true', '[5]', '{}', '"NaN"', '1e400', '-1e400']) {
    assertRefused(await post(amount), 'INVALID_REQUEST', { says: /^amount/, label: amount })
  }
  for (const amount of ['NaN', 'Infinity', '01', '.5', '5.', '+1', '0x10', '1_000', '']) {
    assertRefused(await post(amount), 'INVALID_JSON', { label: amount })
  }
  assertRefused(await world.ask({ email }), 'INVALID_REQUEST', { says: /^amount is required/ })
  assertRefused(await world.ask({ amount: 1 }), 'INVALID_REQUEST', { says: /^email is required/ })
  assertRefused(await world.ask({ email: 5, amount: 1 }), 'INVALID_REQUEST', { says: /^email must be a string/ })
  assertRefused(await world.ask({ email: ' ', amount: 1 }), 'INVALID_REQUEST', { says: /^email/ })
  assert.equal(await countEntries(world), 0)
})

test('whatever amounts are granted, the balance is their exact sum', async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  await using world = await startAgency()
  const units = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 10_000_000_000_000 }))
  const text = (value: number) => `${Math.floor(value / 10_000)}.${String(value % 10_000).padStart(4, '0')}`
  const property = fc.asyncProperty(fc.array(units, { minLength: 1, maxLength: 8 }), async (amounts) => {
    const sub = await world.makeSub()
    let sum = 0n
    for (const amount of amounts) {
      sum += BigInt(amount)
      const { body } = await world.ask(`{"email":"${sub.email}","amount":${text(amount)}}`)
      assert.equal(body.credits_added, Number(text(amount)))
      assert.equal(body.new_balance, Number(text(Number(sum))))
    }
    const row = await world.db
      .selectFrom('balances')
      .select('balance')
      .where('accountId', '=', sub.accountId)
      .executeTakeFirstOrThrow()
    assert.equal(row.balance, String(sum))
  })
  await fc.assert(property, { seed, numRuns: 30 })
})

test('whatever number is posted is granted to its last digit, or refused', async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  await using world = await startAgency()
  const { email, accountId } = await world.makeSub()
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: 0, max: 10, noNaN: true }),
    fc.tuple(fc.integer({ min: -5, max: 2_000_000 }), fc.integer({ min: 0, max: 7 })).map(([n, e]) => n / 10 ** e),
  )
  const property = fc.asyncProperty(number, async (amount) => {
    const { balance } = await showBalance(world.db, accountId)
    const answer = await world.ask(`{"email":"${email}","amount":${JSON.stringify(amount)}}`)
    const decimals = /\.(\d+)$/.exec(String(amount))?.[1]?.length ?? 0
    const isFine = amount > 0 && amount <= 1e9 && decimals <= 4 && !String(amount).includes('e')
    assert.equal(answer.status, isFine ? 200 : 400, `${amount}`)
    if (isFine) assert.equal(answer.body.credits_added, amount)
    else assert.equal((await showBalance(world.db, accountId)).balance, balance)
  })
  await fc.assert(property, { seed, numRuns: 150 })
})

test('only the grant whose balance a JSON number cannot represent exactly is refused, no other of its commit', async () => {
  await using world = await startAgency()
  const [rich, poor] = [await world.makeSub(), await world.makeSub()]
  for (let n = 0; n < 99; n += 1) await world.ask({ email: rich.email, amount: 1_000_000_000 })
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => world.ask({ email: poor.email, amount: 1 })),
    world.ask({ email: rich.email, amount: 1_000_000_000 }),
    ...Array.from({ length: 5 }, () => world.ask({ email: poor.email, amount: 1 })),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200, 400, 200, 200, 200, 200, 200],
  )
  const most = await world.ask({ email: rich.email, amount: 999999999.9999 })
  assert.equal(most.body.new_balance, 99999999999.9999)
  assertRefused(await world.ask({ email: rich.email, amount: 0.0001 }), 'INVALID_AMOUNT', { says: /balance/ })
  assert.equal((await showBalance(world.db, poor.accountId)).balance, 10)
})
