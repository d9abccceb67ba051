import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Report } from '@patchbay/contract/app/reports.ts'
import { countReports } from '../../../src/app/reports/count-reports.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import { makeTurnsDue, untilAnswered } from '../../helpers/bots.ts'
import { untilSent } from '../../helpers/providers/conversations.ts'
import { type PricedWorld, startPricedChannel } from '../../helpers/providers/priced-channel.ts'
import { tooMany } from '../../helpers/providers/telegram-faults.ts'
import { readCounted, recount } from '../../helpers/report-recount.ts'
import { until } from '../../helpers/until.ts'

/** Counts until what was spent comes to this. The server counts too, and one who finds another counting leaves it to them. */
async function countUntil(world: PricedWorld, credits: number): Promise<void> {
  const isCounted = async () => {
    await countReports(world.app.db)
    const { total } = await readReport(world)
    return total.credits === credits && total.messagesOut === 2
  }
  await until(isCounted, `${credits} were never counted`)
}

const readReport = async ({ owner }: PricedWorld, channel?: string): Promise<Report> =>
  (await owner.call('GET', `/api/reports?range=7${channel ? `&channel=${channel}` : ''}`)).body

async function startShop() {
  const world = await startPricedChannel({ price: 0.5, settings: { creditsPerReply: 2 } })
  const { app, owner, model, channel } = world
  const renamed = await owner.call('PATCH', `/api/channels/${channel.id}`, {
    version: channel.version,
    name: 'Berlin, main',
  })
  assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
  await world.grant(100)
  const [ana, ben] = [world.bot.addPerson(), world.bot.addPerson()]
  const [anas = '', bens = ''] = await world.meet([ana, ben])
  assert.equal((await world.type(bens, 'From a person')).status, 200)
  ana.write('A question')
  const owed = () => app.db.selectFrom('turns').select('contactId').execute()
  await until(async () => (await owed()).length === 1, 'no answer is owed')
  await makeTurnsDue(app.db)
  ;(await model.next()).answer('An answer.')
  await untilAnswered(app)
  await untilSent(world, 2)
  return { ...world, anas: anas as ContactId, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

test('credits of a built-in channel are those of the ledger: its answers, and every message over it, less what was taken back', async () => {
  await using shop = await startShop()
  const { app, office, sub, channel } = shop
  await app.call('POST', '/incoming_custom_channel_message', {
    key: sub.apiKey,
    body: { customData: { messageSid: 'one', fromId: 'carl', toId: 'us', body: 'Hello', channel: 'web' } },
  })
  await countUntil(shop, 3)
  const report = await readReport(shop)
  const creditsOf = (all: Report) =>
    all.channels.map(({ channel: one, figures }) => [one?.name, one?.kind, figures.credits])
  assert.deepEqual(creditsOf(report), [
    ['Berlin, main', 'telegram', 3],
    ['web', null, 0],
  ])
  assert.equal(report.total.credits, 3)
  const one = await readReport(shop, channel.id)
  assert.deepEqual([one.total.credits, one.total.messagesOut, one.total.byBot], [3, 2, 2])
  assert.equal(report.total.unanswered, 0, 'what a message cost is no answer')

  const path = `/api/agency/subaccounts/${sub.accountId}`
  const { movements } = (await office.call('GET', `${path}/history`)).body
  const message = movements.find(({ amount }: { amount: number }) => amount === -0.5)
  assert.equal((await office.call('POST', `${path}/reversals`, { movementId: message.id })).status, 200)
  await countUntil(shop, 2.5)
  assert.deepEqual(creditsOf(await readReport(shop))[0], ['Berlin, main', 'telegram', 2.5])
  assert.deepEqual(await readCounted(app.db, sub.accountId), await recount(app.db, sub.accountId, 'UTC'))
})

test('the file of the reports names a built-in channel as people do, and it can be asked for alone', async () => {
  await using shop = await startShop()
  await countUntil(shop, 3)
  const { body } = await shop.owner.call('GET', '/api/reports/csv?range=7')
  const channels = String(body)
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => /,(All|"[^"]+"),/.exec(line)?.[1])
  assert.deepEqual(channels.toSorted(), ['"Telegram · Berlin, main"', 'All'])
  const { body: alone } = await shop.owner.call('GET', `/api/reports/csv?range=7&channel=${shop.channel.id}`)
  assert.doesNotMatch(String(alone), /,All,/)
  assert.match(String(alone), /,"Telegram · Berlin, main",3,2,/)
})

test('what waits for a built-in channel is owed now: in all, and on that channel', async () => {
  await using shop = await startShop()
  const { telegram, channel, anas, type } = shop
  telegram.plan('sendMessage', tooMany(600), { times: Number.POSITIVE_INFINITY })
  for (const text of ['One', 'Two']) assert.equal((await type(anas, text)).status, 200)
  const owed = async (label?: string) => (await readReport(shop, label)).owedNow
  assert.deepEqual([await owed(), await owed(channel.id), await owed('custom')], [2, 2, 0])
})

test('the figures of a built-in channel keep its name when the last contact on it is erased', async () => {
  await using shop = await startShop()
  const { app, owner, sub } = shop
  await countUntil(shop, 3)
  const contacts = await app.db.selectFrom('contacts').select('id').where('accountId', '=', sub.accountId).execute()
  for (const { id } of contacts) assert.equal((await owner.call('DELETE', `/api/contacts/${id}`)).status, 200)
  const left = () => app.db.selectFrom('contacts').select('id').where('accountId', '=', sub.accountId).execute()
  await until(async () => (await left()).length === 0, 'they were not erased')
  const [found] = (await readReport(shop)).channels
  assert.deepEqual([found?.channel?.name, found?.figures.credits], ['Berlin, main', 3])
})
