import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pruneProviderEvents } from '../../../src/journey/provider-events/event-store.ts'
import { claimParked } from '../../../src/journey/provider-events/parked/parked-store.ts'
import { tryParked } from '../../../src/journey/provider-events/parked/try-again.ts'
import { type ChannelWorld, connectBot, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { reply, startConversation, untilSent } from '../../helpers/providers/conversations.ts'
import { openReceipts, sentRows } from '../../helpers/providers/receipts.ts'
import { until } from '../../helpers/until.ts'

const parked = async ({ app }: Pick<ChannelWorld, 'app'>) => {
  const { rows } = await sql<{ providerId: string; attempts: number; dueIn: number }>`
    select provider_id, attempts, extract(epoch from due_at - at)::float8 as due_in
    from provider_events where due_at is not null order by at, provider_id
  `.execute(app.db)
  return rows
}

const counted = async ({ app }: Pick<ChannelWorld, 'app'>) => {
  const { rows } = await sql<{ why: string; times: number }>`
    select why, times from provider_events where body is null
  `.execute(app.db)
  return rows
}

test('CH22: a receipt that comes before our own answer is stored is kept, and written down once it names something', async () => {
  await using world = await startChannelWorld()
  const { contactId, channel } = await startConversation(world)
  await reply(world, contactId, 'One')
  await untilSent(world, 1)
  // As while the transaction that stores the answer waits for the database.
  const hide = (providerId: string) => sql`update delivery_parts set provider_id = ${providerId}`.execute(world.app.db)
  const [sent] = await sentRows(world)
  await hide('not yet')
  const say = await openReceipts({ app: world.app, accountId: world.shop.accountId }, channel)
  const providerId = sent?.providerId ?? ''
  await say([
    { says: 'delivered', providerId, at: Date.now() - 5_000 },
    { says: 'read', providerId },
  ])
  assert.equal((await parked(world)).length, 2)
  const { body } = await world.owner.call('GET', `/api/channels/${channel.id}/events`)
  assert.deepEqual(body.events, [], 'what waits is nothing that was not understood')
  await until(async () => (await parked(world)).every(({ attempts }) => attempts === 1), 'nobody tried it')
  await hide(providerId)
  await until(async () => (await parked(world)).length === 0, 'it was not found')
  const [row] = await sentRows(world)
  assert.deepEqual([row?.whole, row?.part, row?.status], ['R', 'RA', 'Sent'])
  assert.deepEqual(await counted(world), [])
})

test('CH22: it is tried after 1, 5, 30 and 120 seconds and after ten minutes, and then it was sent by another tool', async () => {
  await using world = await startChannelWorld({ ROLE: 'api' })
  const channel = await connectBot(world.owner, world.telegram.addBot())
  const say = await openReceipts({ app: world.app, accountId: world.shop.accountId }, channel)
  await say([{ says: 'sent', providerId: 'SM1' }])
  const ctx = { db: world.app.db, hint: () => {} }
  const dueIn: number[] = []
  for (let [row] = await parked(world); row; [row] = await parked(world)) {
    dueIn.push(Math.round(row.dueIn))
    await sql`update provider_events set at = at - interval '1 h', due_at = due_at - interval '1 h'`.execute(
      world.app.db,
    )
    const claimed = await claimParked(world.app.db, 10)
    assert.equal(claimed.length, 1)
    assert.deepEqual(await claimParked(world.app.db, 10), [], 'it is leased')
    await tryParked(ctx, claimed)
    await sql`update provider_events set at = at + interval '1 h', due_at = due_at + interval '1 h'`.execute(
      world.app.db,
    )
  }
  assert.deepEqual(dueIn, [1, 5, 30, 120, 600])
  assert.deepEqual(await counted(world), [
    { why: 'it says what became of a message that was not sent from here', times: 1 },
  ])
})

test('of one channel ten thousand are kept and the others counted; by our own words nothing waits', async () => {
  await using world = await startChannelWorld({ ROLE: 'api' })
  const [channel, other] = [
    await connectBot(world.owner, world.telegram.addBot()),
    await connectBot(world.owner, world.telegram.addBot()),
  ]
  await sql`
    insert into provider_events (account_id, channel_id, why, body, provider_id, due_at)
    select ${world.shop.accountId}, ${channel.id}, 'a receipt', '{}', 'SM' || n, now() + interval '1 h' from generate_series(1, 9999) as n
  `.execute(world.app.db)
  const by = (one: { id: string }) => openReceipts({ app: world.app, accountId: world.shop.accountId }, one)
  const [say, sayOther] = [await by(channel), await by(other)]
  await say(['a', 'b', 'c'].map((providerId) => ({ says: 'sent' as const, providerId })))
  assert.equal((await parked(world)).length, 10_000)
  assert.deepEqual(
    (await counted(world)).map(({ times }) => times),
    [2],
  )
  await sayOther([
    { says: 'sent', providerId: 'd' },
    { says: 'sent', providerId: 'e', ours: { messageId: 'msg_0190a000000070008000000000000000', n: 1 } },
  ])
  assert.equal((await parked(world)).length, 10_001)
  await sql`update provider_events set at = now() - interval '15 days' where provider_id <> 'd'`.execute(world.app.db)
  await pruneProviderEvents(world.app.db)
  assert.deepEqual(
    (await parked(world)).map(({ providerId }) => providerId),
    ['d'],
  )
})
