import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Figures } from '@patchbay/contract/app/reports.ts'
import { countReports } from '../../../src/app/reports/count-reports.ts'
import { percentilesIn, percentilesOf, writeHistogram } from '../../../src/app/reports/sums/histogram.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { addAnswer, addContact, addMessage, openReportWorld, type ReportWorld } from '../../helpers/report-world.ts'
import { addMember, signIn } from '../../helpers/sessions.ts'

/** Asks and is answered by the bot after four seconds and by a person after ten minutes. */
async function talk(world: ReportWorld, channel: string): Promise<void> {
  const contactId = await addContact(world)
  await addMessage(world, { contactId, channel, author: 'contact' })
  world.clock += 4_000
  await addMessage(world, { contactId, channel, author: 'bot', arrivesAfter: 150 })
  world.clock += 60_000
  await addMessage(world, { contactId, channel, author: 'contact' })
  world.clock += 600_000
  await addMessage(world, { contactId, channel, author: 'person', arrivesAfter: 250 })
}

async function startShop(app: TestApp, channels: string[]) {
  const account = await app.makeAccount()
  const world = openReportWorld(app.db, account.accountId)
  for (const channel of channels) await talk(world, channel)
  return { account, world, user: await signIn(app, account) }
}

test('a report has the figures of its days and channels, and compares them with the days before', async () => {
  await using app = await sharedApp()
  const { user, world } = await startShop(app, ['web', 'web', 'sms'])
  const contactId = await addContact(world)
  await addMessage(world, { contactId, channel: 'web', author: 'bot', arrivesAfter: 50 })
  world.clock -= 40 * 86_400_000
  await addMessage(world, { contactId, channel: 'web', author: 'contact' })
  assert.equal((await user.call('GET', '/api/reports?range=30')).body.counting, 0)
  await countReports(app.db)
  const { status, body } = await user.call('GET', '/api/reports?range=30')
  assert.equal(status, 200)
  const { total, before, days, channels, allChannels } = body
  assert.deepEqual([body.timeZone, body.counting, body.isMetered, body.owedNow], ['UTC', null, false, 0])
  assert.deepEqual([total.messagesIn, total.messagesOut, before.messagesIn, before.byNobody], [6, 7, 1, 1])
  assert.deepEqual([total.byBot, total.byPerson, total.byApi, total.byNobody], [3, 3, 0, 0])
  assert.deepEqual(total.response, { times: 6, medianMs: 4_000, p90Ms: 600_000 })
  assert.deepEqual(total.delivery, { sent: 7, failed: 0, open: 0, medianMs: 150 })
  assert.deepEqual([total.botConversations, total.botResolved], [4, 1])
  assert.equal(days.length, 30)
  assert.equal(
    days.reduce((sum: number, { figures }: { figures: { messagesIn: number } }) => sum + figures.messagesIn, 0),
    6,
  )
  assert.deepEqual(
    channels.map((one: { channel: { label: string } }) => one.channel.label),
    ['web', 'sms'],
  )
  assert.deepEqual(allChannels.map(({ label }: { label: string }) => label).sort(), ['sms', 'web'])
  const ofOne = (await user.call('GET', '/api/reports?range=7&channel=sms')).body
  assert.deepEqual([ofOne.total.messagesIn, ofOne.channels.length, ofOne.days.length], [2, 1, 7])
})

test('a day that ends with a fallback or with an offer that nobody chose from is not resolved by the bot', async () => {
  await using app = await sharedApp()
  const { user, world } = await startShop(app, [])
  const days: Record<string, [outcome: string, reason?: string][]> = {
    'fell back': [['fell back']],
    'offered only': [['offered']],
    'said thanks for nothing': [['fell back'], ['answered', 'thanks']],
    'answered first': [['answered'], ['fell back']],
    chosen: [['offered'], ['answered', 'picked']],
    'asked again': [['fell back'], ['answered']],
  }
  for (const [channel, answers] of Object.entries(days)) {
    const contactId = await addContact(world)
    for (const [outcome, reason] of answers) {
      await addMessage(world, { contactId, channel, author: 'contact' })
      await addAnswer(world, contactId, outcome, reason)
      await addMessage(world, { contactId, channel, author: 'bot', arrivesAfter: 50 })
      world.clock += 1_000_000 // another quarter of an hour
    }
  }
  await countReports(app.db)
  const { body } = await user.call('GET', '/api/reports?range=7')
  const resolved = body.channels.map(({ channel, figures }: { channel: { label: string }; figures: Figures }) => {
    return [channel.label, figures.botResolved]
  })
  assert.deepEqual(Object.fromEntries(resolved), {
    'fell back': 0,
    'offered only': 0,
    'said thanks for nothing': 0,
    'answered first': 0,
    chosen: 1,
    'asked again': 1,
  })
  assert.deepEqual([body.total.botConversations, body.total.botResolved, body.missesSince], [6, 2, null])
})

test('a channel of another account has the answer of one that nobody has', async () => {
  await using app = await sharedApp()
  await startShop(app, ['secret channel'])
  const { user } = await startShop(app, ['web'])
  await countReports(app.db)
  const [other, unknown] = await Promise.all(
    ['secret channel', 'nowhere'].map((label) =>
      user.call('GET', `/api/reports?range=7&channel=${encodeURIComponent(label)}`),
    ),
  )
  assert.deepEqual(other?.body, unknown?.body)
  assert.equal(other?.body.total.messagesIn, 0)
  for (const query of ['', '?range=8', '?range=7&channel=']) {
    assert.equal((await user.call('GET', `/api/reports${query}`)).status, 400, query)
  }
})

test('the file has a line for each day and channel, and nothing in it runs in a spreadsheet', async () => {
  await using app = await sharedApp()
  const { user } = await startShop(app, ['=cmd()', 'web'])
  await countReports(app.db)
  const { body, headers } = await user.call('GET', '/api/reports/csv?range=7')
  assert.match(String(headers['content-disposition']), /reports\.csv/)
  const lines = String(body).trim().split('\r\n')
  assert.match(lines[0] ?? '', /^Day,Time zone,Channel,Messages in/)
  const cells = lines.slice(1).map((line) => line.split(','))
  assert.deepEqual([...new Set(cells.map((line) => line[2]))].sort(), ["'=cmd()", 'All', 'web'])
  const sumOf = (label: string) =>
    cells.filter((line) => line[2] === label).reduce((sum, line) => sum + Number(line[3]), 0)
  assert.deepEqual([sumOf('All'), sumOf('web')], [4, 2])
})

test('an owner chooses a time zone that database and browser know; it is audited, and the reports follow', async () => {
  await using app = await sharedApp()
  const { account, user } = await startShop(app, ['web'])
  await countReports(app.db)
  const choose = (timeZone: string, who = user) => who.call('PUT', '/api/account/time-zone', { timeZone })
  for (const bad of ['Europe/Nowhere', 'europe/berlin', '+05:30', 'localtime', '', "'; drop table accounts"]) {
    assert.equal((await choose(bad)).status, 400, bad)
  }
  const userId = await addMember(app, account.accountId, 'member@example.com')
  const member = await signIn(app, { accountId: account.accountId, userId })
  assert.equal((await choose('Asia/Kathmandu', member)).status, 403)
  assert.equal((await user.call('GET', '/api/account')).body.timeZone, 'UTC')
  const { status, body } = await choose('Asia/Kathmandu')
  assert.deepEqual([status, body.timeZone], [200, 'Asia/Kathmandu'])
  assert.notEqual((await user.call('GET', '/api/reports?range=7')).body.counting, null)
  await countReports(app.db)
  const report = (await user.call('GET', '/api/reports?range=7')).body
  assert.deepEqual([report.timeZone, report.counting, report.total.messagesIn], ['Asia/Kathmandu', null, 2])
  await choose('Asia/Kathmandu')
  const { events } = (await user.call('GET', '/api/audit')).body
  const acts = events.filter(({ act }: { act: string }) => act === 'time zone changed')
  assert.deepEqual(
    acts.map(({ details }: { details: object }) => details),
    [{ timeZone: 'Asia/Kathmandu' }],
  )
})

test('a percentile of many days is the value that sorting all of them would give', () => {
  let seed = 7
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed
  }
  const days = Array.from({ length: 20 }, (_, n) =>
    Array.from({ length: n * 7 }, () => (random() % 3 === 0 ? random() : random() % 500)),
  )
  const sorted = days.flat().sort((a, b) => a - b)
  const percents = [1, 50, 90, 99, 100]
  const ranked = (values: number[]) => percents.map((percent) => values[Math.ceil((percent * values.length) / 100) - 1])
  assert.deepEqual(percentilesOf(days.map(writeHistogram), percents), { total: sorted.length, values: ranked(sorted) })
  for (const day of days.filter(({ length }) => length > 0)) {
    const own = day.toSorted((a, b) => a - b)
    assert.deepEqual(percentilesIn(writeHistogram(day), percents), { total: own.length, values: ranked(own) })
  }
  assert.deepEqual(percentilesOf([], [50]), { total: 0, values: [null] })
  assert.deepEqual(percentilesIn(writeHistogram([]), [50]), { total: 0, values: [null] })
})
