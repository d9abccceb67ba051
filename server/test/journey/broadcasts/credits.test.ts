import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createList } from '../../../src/people/lists/change.ts'
import type { ListId } from '../../../src/platform/ids.ts'
import { newsOver, putOnList, untilCast } from '../../helpers/broadcasts.ts'
import { startPricedChannel } from '../../helpers/providers/priced-channel.ts'

test('where messages over a channel cost credits, as many are made as are paid for, each charged once; the broadcast waits, and goes on with new credits', async () => {
  await using world = await startPricedChannel({ price: 2 })
  const { app, owner, sub, bot, channel, grant, meet, used, balance } = world
  const phones = Array.from({ length: 6 }, () => bot.addPerson())
  const contactIds = await meet(phones)
  const { accountId } = sub
  const listId = (await createList(app.db, accountId, 'Everybody')) as ListId
  await putOnList(app.db, { accountId, listId }, contactIds)
  await grant(7.5)
  const get = (path: string) => app.call('GET', path, { key: sub.apiKey })
  const started = await app.call('POST', '/broadcasts', { key: sub.apiKey, body: { listId, ...newsOver(channel.id) } })
  assert.equal(started.status, 201, JSON.stringify(started.body))
  const { id } = started.body
  await untilCast({ get }, id, ({ waitingReason, counts }) => waitingReason === 'no_credits' && counts.sent === 3)
  assert.deepEqual([(await used()).length, await balance()], [3, { balance: 1.5, held: 0 }])
  const draft = { listId, channelId: channel.id, body: 'Hello' }
  assert.equal((await owner.call('POST', '/api/broadcasts/preview', draft)).body.trouble, 'no_credits')
  await grant(6)
  const { counts } = await untilCast({ get }, id, ({ state, counts: now }) => state === 'finished' && now.waiting === 0)
  assert.deepEqual([counts.sent, counts.failed], [6, 0])
  assert.deepEqual(new Set((await used()).map(([credits]) => credits)), new Set([2]))
  assert.deepEqual([(await used()).length, await balance()], [6, { balance: 1.5, held: 0 }])
  assert.ok(phones.every((person) => person.shown.length === 1))
})
