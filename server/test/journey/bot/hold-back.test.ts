import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Claimed, ClaimLimits } from '../../../src/journey/bot/turns/claim-store.ts'
import { holdBack } from '../../../src/journey/bot/turns/hold-back.ts'
import { observe } from '../../../src/platform/metrics/counts.ts'
import { type CommitMeter, openInstruments } from '../../../src/platform/metrics/instruments.ts'
import { conversation, defaultCampaign, holdTurnsBack, makeTurnsDue, untilAnswered, write } from '../../helpers/bots.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { until } from '../../helpers/until.ts'

const slots = 32
const usual = { mostAtOnce: slots, perAccount: 8, without: [] }

/** A claim of as many turns as are asked for, by the accounts that owe most first; time and batches are the test's. */
function openWorld(accounts: string[] = ['acc_a']) {
  let time = 0
  const meter = openInstruments().commits.incoming
  const asked: ClaimLimits[] = []
  const claim = async (limits: ClaimLimits): Promise<Claimed> => {
    asked.push(limits)
    const allowed = accounts.filter((account) => !limits.without.some((one) => one === account))
    const chosen = Array.from({ length: limits.mostAtOnce }, (_, n) => allowed[n % allowed.length])
    const turns = chosen.filter((accountId) => accountId !== undefined).map((accountId) => ({ accountId }))
    return { turns: turns as Claimed['turns'], nextInMs: undefined, isMoreDue: true, mayFindMore: true }
  }
  return {
    asked,
    claim: holdBack(claim, { meter, slots, now: () => time }),
    /** So much time passes, in which batches of this size follow one another, each in so many milliseconds. */
    pass: (ms: number, { rows = 0, each = 10 } = {}) => {
      for (let done = each; rows > 0 && done <= ms; done += each) write(rows, each)
      time += ms
    },
    write,
  }
  function write(rows: number, ms: number): void {
    observe(meter.rows, rows)
    observe(meter.seconds, ms / 1_000)
  }
}

const saturated = { rows: 32 }

for (const [traffic, pass] of Object.entries({
  'none come': ({ pass }) => pass(500),
  'a thousand a second come': ({ pass }) => pass(500, { rows: 4 }),
  'as many as are written at once come now and then': ({ pass, write }) => {
    for (let n = 0; n < 5; n += 1) write(32, 10)
    pass(500)
  },
  'one batch takes long': ({ pass, write }) => {
    write(60, 120)
    pass(120)
  },
} satisfies Record<string, (world: ReturnType<typeof openWorld>) => void>)) {
  test(`turns are claimed at full speed while of incoming messages ${traffic}`, async () => {
    const world = openWorld()
    pass(world)
    for (let n = 0; n < 3; n += 1) assert.equal((await world.claim(usual)).turns.length, slots)
    assert.deepEqual(world.asked, [usual, usual, usual])
  })
}

test('while messages come as fast as they are taken, few turns are claimed, again and again', async () => {
  const world = openWorld()
  let claimed = 0
  for (let ms = 0; ms < 10_000; ms += 20) {
    world.pass(20, saturated)
    if (ms < 100) continue // the moment in which it finds out
    const { turns, mayFindMore } = await world.claim(usual)
    assert.ok(turns.length <= 2 && !mayFindMore)
    claimed += turns.length
  }
  assert.ok(claimed >= 50 && claimed <= 150, `${claimed} turns in ten seconds`)
})

test('while it holds back, no turn is added to those that were in progress before', async () => {
  const world = openWorld()
  world.pass(200, saturated)
  for (const inProgress of [31, 8, 2]) {
    assert.deepEqual((await world.claim({ ...usual, mostAtOnce: slots - inProgress })).turns, [])
    world.pass(300, saturated)
  }
  assert.deepEqual(world.asked, [])
  assert.equal((await world.claim({ ...usual, mostAtOnce: slots - 1 })).turns.length, 1)
})

test('while it holds back, every account gets a turn before any gets another', async () => {
  const world = openWorld(['acc_a', 'acc_b', 'acc_c', 'acc_d', 'acc_e'])
  const claimed: string[] = []
  for (let n = 0; n < 6; n += 1) {
    world.pass(300, saturated)
    claimed.push(...(await world.claim(usual)).turns.map(({ accountId }) => accountId))
  }
  const rounds = [claimed.slice(0, 6), claimed.slice(6)]
  for (const round of rounds) assert.equal(new Set(round).size, 5, claimed.join())
})

test('once the messages have stopped, it claims at full speed within a moment, without a hint', async () => {
  const world = openWorld()
  world.pass(200, saturated)
  let { turns, nextInMs } = await world.claim(usual)
  assert.equal(turns.length, 2)
  let waited = 0
  while (turns.length < slots) {
    assert.ok(nextInMs !== undefined, 'nothing would wake it')
    world.pass(nextInMs)
    waited += nextInMs
    assert.ok(waited <= 250, 'it still holds back')
    ;({ turns, nextInMs } = await world.claim(usual))
  }
  assert.deepEqual(world.asked.at(-1), usual)
})

/** Makes the server believe that messages come as fast as it takes them: whenever it looks, there have been more. */
function saturate({ instruments }: TestApp): { looks: () => number; stop: () => void } {
  const meter: CommitMeter = instruments.commits.incoming
  const { seconds } = meter
  let [looks, isSaturated] = [0, true]
  Object.defineProperty(meter, 'seconds', {
    get: () => {
      looks += 1
      for (let n = 0; isSaturated && n < 100; n += 1) {
        observe(meter.rows, 32)
        observe(seconds, 1)
      }
      return seconds
    },
  })
  return {
    looks: () => looks,
    stop: () => {
      isSaturated = false
    },
  }
}

const backlog = 30

test('while messages saturate the server, few answers are made, a neighbour is answered, and afterwards all are', async () => {
  await using app = await sharedApp({ ROLE: 'all' })
  await holdTurnsBack(app)
  const [account, other, neighbour] = [await app.makeAccount(), await app.makeAccount(), await app.makeAccount()]
  const load = saturate(app)
  const looksMore = async (more: number) => {
    const from = load.looks()
    await until(() => load.looks() >= from + more, 'it does not look again')
  }
  const leased = async () =>
    (await app.db.selectFrom('turns').select('accountId').where('leaseToken', 'is not', null).execute()).length
  const owed = async () => (await app.db.selectFrom('turns').select('accountId').execute()).length
  await Promise.all(
    [account, other].flatMap((one, a) =>
      Array.from({ length: backlog }, (_, n) => write(one, 'Is it red?', { fromId: `contact ${a} ${n}` })),
    ),
  )
  await looksMore(5)
  // Nobody can be answered while the campaigns are locked.
  const campaigns = [await defaultCampaign(app, account), await defaultCampaign(app, other)]
  await app.db.transaction().execute(async (tx) => {
    await sql`select from campaigns where id = any(${campaigns}::text[]) for update`.execute(tx)
    await makeTurnsDue(app.db)
    await until(async () => (await leased()) >= 2, 'no turn is claimed')
    await looksMore(10)
    assert.deepEqual([await leased(), await owed()], [2, 2 * backlog])
  })
  await write(neighbour, 'Is it blue?', { fromId: 'neighbour' })
  await makeTurnsDue(app.db)
  await until(async () => (await conversation(app, 'neighbour')).length === 2, 'the neighbour waits for the backlogs')
  assert.ok((await owed()) > backlog, 'the neighbour waited until others had been answered')
  load.stop()
  await untilAnswered(app)
  assert.equal(await owed(), 0)
})
