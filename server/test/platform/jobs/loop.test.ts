import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { Stage } from '../../../src/platform/jobs/loop.ts'
import { openStage, settle } from '../../helpers/fake-stage.ts'

test('it claims at the start, never more than it has free slots, and the next when a job ends', async () => {
  await using world = openStage([1, 2, 3, 4])
  await settle()
  assert.deepEqual([...world.running.keys()], [1, 2])
  assert.deepEqual(world.limits, [2], 'with no free slot nothing is claimed')
  world.stage.wake()
  await settle()
  assert.deepEqual(world.limits, [2], 'nor when it is woken')
  await world.end(1)
  assert.deepEqual([...world.running.keys()], [2, 3])
  await world.end(2)
  await world.end(3)
  assert.deepEqual([...world.running.keys()], [4])
  assert.ok(
    world.limits.every((limit) => limit >= 1 && limit <= 2),
    `${world.limits}`,
  )
})

test('where a claim waits for several free slots, one comes when so many jobs have ended, and the last jobs wait for none', async () => {
  await using world = openStage([1, 2, 3, 4, 5], { concurrency: 4, leastFree: 2 })
  await settle()
  assert.deepEqual(world.limits, [4])
  await world.end(1)
  assert.deepEqual(world.limits, [4], 'one free slot is not enough')
  await world.end(2)
  assert.deepEqual(world.limits.slice(0, 2), [4, 2])
  assert.deepEqual([...world.running.keys()], [3, 4, 5])
})

test('a claim that says that no other would find more is followed by one when something is due, or when it is woken', async () => {
  let mayFindMore = false
  await using world = openStage([1], { concurrency: 4, mayFindMore: () => mayFindMore, dueInMs: () => 300 })
  await settle()
  assert.deepEqual(world.limits, [4])
  world.due.push(2)
  mock.timers.tick(300)
  await settle()
  assert.deepEqual(world.limits, [4, 3])
  mayFindMore = true
  world.due.push(3)
  world.stage.wake()
  await settle()
  assert.deepEqual(world.limits, [4, 3, 2, 1], 'and where it may, by another at once')
})

test('when nothing is due it does not ask again until it is woken, and then at once', async () => {
  await using world = openStage()
  await settle()
  assert.equal(world.limits.length, 1)
  world.due.push(1)
  await settle()
  assert.equal(world.limits.length, 1)
  world.stage.wake()
  await settle()
  assert.deepEqual([...world.running.keys()], [1])
})

test('what becomes due while a claim is under way is claimed afterwards, by one claim at a time', async () => {
  let claims = 0
  let open = 0
  const answer = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const due: number[] = []
  const claim = async (limit: number) => {
    open += 1
    assert.equal(open, 1, 'one claim at a time')
    const found = due.splice(0, limit)
    await answer[claims++]?.promise
    open -= 1
    return found
  }
  await using world = openStage([], { claim })
  await settle()
  due.push(7)
  world.stage.wake()
  await settle()
  assert.equal(claims, 1)
  answer[0]?.resolve()
  await settle()
  assert.equal(claims, 2)
  answer[1]?.resolve()
  await settle()
  assert.deepEqual([...world.running.keys()], [7])
})

test('without being woken it claims once in every poll, which is a second if nothing else is said', async () => {
  for (const { options, ms } of [
    { options: { pollMs: 400 }, ms: 400 },
    { options: {}, ms: 1_000 },
  ]) {
    await using world = openStage([], options)
    await settle()
    world.due.push(1)
    mock.timers.tick(ms - 1)
    await settle()
    assert.equal(world.limits.length, 1)
    mock.timers.tick(1)
    await settle()
    assert.deepEqual([...world.running.keys()], [1])
  }
})

test('a poll claims only if something may be due, or nobody can say', async () => {
  const answers = [async () => false, async () => true, async () => Promise.reject(new Error('no database'))]
  let asked = 0
  await using world = openStage([], { isDue: async () => answers[asked++]?.() ?? false })
  await settle()
  const claims: number[] = []
  for (let polls = 0; polls < 4; polls += 1) {
    mock.timers.tick(1_000)
    await settle()
    claims.push(world.limits.length)
  }
  assert.deepEqual([claims, asked], [[1, 2, 3, 3], 4])
  world.stage.wake()
  await settle()
  assert.deepEqual([world.limits.length, asked], [4, 4], 'whoever wakes it has it claim at once')
})

test('a claim that finds nothing and knows when something is due is followed by another one then', async () => {
  let dueInMs: number | undefined = 300
  await using world = openStage([], { dueInMs: () => dueInMs })
  await settle()
  mock.timers.tick(299)
  await settle()
  assert.equal(world.limits.length, 1)
  dueInMs = undefined
  world.due.push(1)
  mock.timers.tick(1)
  await settle()
  assert.deepEqual([...world.running.keys()], [1])
})

test('a job that throws is logged with the name of its stage, frees its slot and ends nothing else', async () => {
  await using world = openStage([1, 2, 3])
  await settle()
  world.running.get(1)?.fail(new Error('the receiver is a teapot'))
  await settle()
  assert.deepEqual([...world.running.keys()], [2, 3])
  assert.deepEqual(
    world.lines.map(({ level, stage, err }) => [level, stage, err?.message]),
    [[50, 'numbers', 'the receiver is a teapot']],
  )
  await world.end(2)
  await world.end(3)
  world.due.push(4)
  world.stage.wake()
  await settle()
  assert.deepEqual([...world.running.keys()], [4])
})

test('a claim that fails is logged and tried again at the next poll', async () => {
  let isDown = true
  let claims = 0
  const claim = async () => {
    claims += 1
    if (isDown) throw new Error('no database')
    return claims === 3 ? [1] : []
  }
  await using world = openStage([], { claim })
  await settle()
  assert.equal(claims, 1, 'not at once, again and again')
  mock.timers.tick(1_000)
  await settle()
  assert.equal(claims, 2)
  assert.deepEqual(
    world.lines.map(({ level, stage, err }) => [level, stage, err?.message]),
    Array(2).fill([40, 'numbers', 'no database']),
  )
  isDown = false
  mock.timers.tick(1_000)
  await settle()
  assert.deepEqual([...world.running.keys()], [1])
})

test('stopping waits for the jobs that run, and claims nothing more', async () => {
  await using world = openStage([1, 2, 3])
  await settle()
  const stopping = world.stopping()
  await world.end(1)
  assert.equal(stopping.hasStopped, false, 'one still runs')
  assert.deepEqual([...world.running.keys()], [2], 'its slot stays free')
  world.stage.wake()
  mock.timers.tick(10_000)
  await settle()
  assert.deepEqual([world.limits.length, world.due], [1, [3]])
  await world.end(2)
  assert.equal(stopping.hasStopped, true)
  world.stage.wake()
  mock.timers.tick(10_000)
  await settle()
  assert.deepEqual([world.limits.length, world.due], [1, [3]])
})

test('stopping waits for a claim under way and for the jobs that it leases', async () => {
  const answer = Promise.withResolvers<number[]>()
  await using world = openStage([], { claim: () => answer.promise })
  await settle()
  const stopping = world.stopping()
  await settle()
  assert.equal(stopping.hasStopped, false, 'the claim may lease something')
  answer.resolve([1])
  await settle()
  assert.deepEqual([[...world.running.keys()], stopping.hasStopped], [[1], false])
  await world.end(1)
  assert.equal(stopping.hasStopped, true)
})

test('stopping waits for a job that was taken while it stopped', async () => {
  await using world = openStage([1])
  await settle()
  const stopping = world.stopping()
  world.stage.take(2)
  await world.end(1)
  assert.deepEqual([[...world.running.keys()], stopping.hasStopped], [[2], false])
  await world.end(2)
  assert.equal(stopping.hasStopped, true)
})

test('a job that this process has leased already is run without a claim and takes a slot', async () => {
  await using world = openStage()
  await settle()
  world.stage.take(1)
  world.stage.take(2)
  world.stage.take(3)
  assert.deepEqual([...world.running.keys()], [1, 2, 3], 'it is leased, so it is run, also above the limit')
  world.due.push(4)
  world.stage.wake()
  await world.end(1)
  assert.deepEqual([world.running.has(4), world.limits.length], [false, 1], 'two of two slots are taken')
  await world.end(2)
  assert.equal(world.running.has(4), true)
})

test('a job takes no slot while it waits for another service, has it again afterwards, and is still waited for', async () => {
  const service = new Map<number, PromiseWithResolvers<string>>()
  const ended: string[] = []
  const after = Promise.withResolvers<void>()
  const run: Stage<number>['run'] = async (job, withoutSlot) => {
    const answer = Promise.withResolvers<string>()
    service.set(job, answer)
    ended.push(await withoutSlot(() => answer.promise))
    await after.promise
  }
  await using world = openStage([1, 2], { concurrency: 1, run })
  await settle()
  assert.deepEqual([...service.keys()], [1, 2], 'the slot of the first was free')
  service.get(1)?.resolve('one')
  service.get(2)?.resolve('two')
  await settle()
  assert.deepEqual(ended, ['one', 'two'], 'also above the limit')
  world.due.push(3)
  world.stage.wake()
  await settle()
  assert.equal(service.has(3), false, 'both have their slots again')
  const stopping = world.stopping()
  await settle()
  assert.equal(stopping.hasStopped, false)
  after.resolve()
  await settle()
  assert.equal(stopping.hasStopped, true)
})

test('a slot that a job gives up later is used at once for what is due', async () => {
  const begun: number[] = []
  const first = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const run: Stage<number>['run'] = async (job, withoutSlot) => {
    begun.push(job)
    if (job !== 1) return
    await first.promise
    await withoutSlot(() => answer.promise)
  }
  await using world = openStage([1, 2], { concurrency: 1, run })
  await settle()
  assert.deepEqual(begun, [1])
  first.resolve()
  await settle()
  assert.deepEqual(begun, [1, 2])
  answer.resolve()
  await settle()
  assert.equal(world.limits.at(-1), 1)
})

test('a wait for another service that fails gives the slot back to its job, whose failure is logged', async () => {
  const run: Stage<number>['run'] = (_job, withoutSlot) => withoutSlot(() => Promise.reject(new Error('unreachable')))
  await using world = openStage([1, 2, 3], { concurrency: 1, run })
  await settle()
  assert.deepEqual(world.due, [])
  assert.deepEqual(
    world.lines.map(({ err }) => err?.message),
    Array(3).fill('unreachable'),
  )
  assert.ok(
    world.limits.every((limit) => limit === 1),
    `a slot was counted twice: ${world.limits}`,
  )
})
