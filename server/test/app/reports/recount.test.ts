import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countReports } from '../../../src/app/reports/count-reports.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { readCounted, recount } from '../../helpers/report-recount.ts'
import {
  addAnswer,
  addClose,
  addContact,
  addMessage,
  addMovement,
  openReportWorld,
  type ReportWorld,
  settleDelivery,
  timeOf,
} from '../../helpers/report-world.ts'

/** Zones, each with a time shortly before its clocks change. */
const zones: [zone: string, begin: string][] = [
  ['America/New_York', '2026-10-31T18:00Z'],
  ['America/New_York', '2026-03-07T22:00Z'],
  ['Europe/Berlin', '2026-10-24T13:00Z'],
  ['Europe/Berlin', '2026-03-28T15:00Z'],
  ['Asia/Kathmandu', '2026-06-01T10:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T05:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T06:00Z'],
  ['America/Sao_Paulo', '2018-11-03T18:00Z'], // 4 November began at 1:00
  ['America/Sao_Paulo', '2018-02-17T16:00Z'], // the last hour of 17 February came twice
]

const channels = ['web', 'sms', null]
const seconds = [0, 0.4, 3, 40, 600, 3_000, 14_000, 40_000]
const authors = ['bot', 'bot', 'person', 'api'] as const
const outcomes = ['handed over', 'fell back', 'offered', 'answered', 'answered', 'silent']
const states = ['sent', 'failed', 'open'] as const
const acts = [
  ...([
    'write',
    'write',
    'write',
    'react',
    'reply',
    'reply',
    'reply',
    'broadcast',
    'decide',
    'decide',
    'close',
  ] as const),
  ...(['settle', 'settle', 'spend', 'reverse', 'count', 'count', 'count twice', 'move'] as const),
]

const history = fc.record({
  start: fc.nat({ max: zones.length - 1 }),
  steps: fc.array(
    fc.record({
      act: fc.constantFrom(...acts),
      who: fc.nat({ max: 3 }),
      what: fc.nat(),
      wait: fc.constantFrom(...seconds),
    }),
    { minLength: 20, maxLength: 60 },
  ),
})

type Step = { act: (typeof acts)[number]; who: number; what: number; wait: number }

const pick = <One>(all: readonly One[], n: number) => all[n % all.length] as One

async function take(world: ReportWorld, { act, who, what }: Step): Promise<void> {
  const contactId = pick(world.contacts, who)
  const channel = pick(channels, what)
  const count = () => countReports(world.db, { now: timeOf(world) })
  if (act === 'write') await addMessage(world, { contactId, channel, author: 'contact' })
  if (act === 'react') await addMessage(world, { contactId, channel, author: 'contact', kind: 'reaction' })
  if (act === 'reply') {
    const arrivesAfter = what % 3 === 0 ? null : what % 5_000
    await addMessage(world, { contactId, channel, author: pick(authors, what), arrivesAfter })
  }
  if (act === 'broadcast') await addMessage(world, { contactId, channel, author: 'api', isBroadcast: true })
  if (act === 'decide') await addAnswer(world, contactId, pick(outcomes, what), what % 7 === 0 ? 'thanks' : 'near')
  if (act === 'close') await addClose(world, contactId)
  if (act === 'settle') await settleDelivery(world, what, pick(states, what))
  if (act === 'spend' || act === 'reverse') await addMovement(world, contactId, act === 'reverse')
  if (act === 'count') await count()
  if (act === 'count twice') await Promise.all([count(), count()])
  if (act === 'move') {
    const [timeZone] = pick(zones, what)
    await world.db.updateTable('accounts').set({ timeZone }).where('id', '=', world.accountId).execute()
  }
}

/** Counts until another round changes nothing. */
async function countAll(world: ReportWorld): Promise<void> {
  world.clock += 1_000
  for (let round = 0; round < 2; round += 1) await countReports(world.db, { now: timeOf(world) })
}

async function check(app: TestApp, { start, steps }: { start: number; steps: Step[] }): Promise<void> {
  const { accountId } = await app.makeAccount()
  const [zone, begin] = pick(zones, start)
  const world = openReportWorld(app.db, accountId, begin)
  await app.db.updateTable('accounts').set({ timeZone: zone }).where('id', '=', accountId).execute()
  for (const isSimulated of [false, false, false, true]) await addContact(world, { isSimulated })
  for (const step of steps) {
    world.clock += step.wait * 1_000
    await take(world, step)
  }
  await countAll(world)
  for (const timeZone of [undefined, ...new Set(zones.map(([name]) => name))]) {
    if (timeZone !== undefined) {
      await app.db.updateTable('accounts').set({ timeZone }).where('id', '=', accountId).execute()
      await countAll(world)
    }
    const account = await app.db
      .selectFrom('accounts')
      .select('timeZone')
      .where('id', '=', accountId)
      .executeTakeFirstOrThrow()
    assert.deepEqual(await readCounted(app.db, accountId), await recount(app.db, accountId, account.timeZone))
  }
}

test('reports equal a recount from the rows, whenever they were counted, in every zone, across midnight and changed clocks', async () => {
  await using app = await sharedApp()
  const numRuns = Number(process.env.FUZZ_RUNS ?? 0) > 0 ? 150 : 12
  await fc.assert(
    fc.asyncProperty(history, (one) => check(app, one)),
    { numRuns, endOnFailure: true }, // to look for a smaller history takes longer than to read it
  )
})
