import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttachedFile, Message } from '@patchbay/contract/app/messages.ts'
import { sql } from 'kysely'
import type { ContactId } from '../../../src/platform/ids.ts'
import { defaultCampaign, editCampaign, untilAnswered } from '../../helpers/bots.ts'
import { png } from '../../helpers/media-files.ts'
import { outgoing } from '../../helpers/message-requests.ts'
import { type OwnWorld, startOwnWorld } from '../../helpers/own-channels.ts'
import { readChannel } from '../../helpers/providers/channel-world.ts'
import { newClientId, reply } from '../../helpers/providers/conversations.ts'

const rowsOf = async ({ app }: OwnWorld) => {
  const { rows } = await sql<Record<string, unknown>>`
    select m.body, d.sent_at is not null as is_sent, d.due_at, d.attempts, d.lease_token, d.error_category, d.receiver_id,
      d.outgoing_seq::integer, p.accepted_at = d.sent_at as is_accepted, p.begun_at, p.doubt_since, p.attempts as part_attempts,
      p.address_kind
    from deliveries d join messages m on m.account_id = d.account_id and m.id = d.id
    left join delivery_parts p on p.account_id = d.account_id and p.delivery_id = d.id
    order by m.seq
  `.execute(app.db)
  return rows
}

const sentRow = ({ channel }: OwnWorld, body: string, outgoingSeq: number) => ({
  ...{ body, isSent: true, dueAt: null, attempts: 0, leaseToken: null, errorCategory: null, receiverId: channel.id },
  ...{ outgoingSeq, isAccepted: true, begunAt: null, doubtSince: null, partAttempts: 0, addressKind: 'browser' },
})

const refusal = async ({ owner }: OwnWorld, contactId: string, more: object) => {
  const path = `/api/conversations/${contactId}/replies`
  const { status, body } = await owner.call('POST', path, { clientId: newClientId(), ...more })
  return [status, body.error?.message]
}

test('a reply is sent with the commit that stores it: nothing is due, claimed, tried or waited for', async () => {
  await using world = await startOwnWorld()
  const { app, owner, channel } = world
  const contactId = await world.write('ana', 'Do you have it in blue?')
  const [first, second] = [await reply(world, contactId, 'We do.'), await reply(world, contactId, 'And in red.')]
  assert.deepEqual(await rowsOf(world), [sentRow(world, 'We do.', 1), sentRow(world, 'And in red.', 2)])
  for (const { delivery, channel: over } of [first, second]) {
    assert.deepEqual(
      [delivery?.status, delivery?.attempts, delivery?.isSending, over.kind],
      ['Sent', 0, false, 'webchat'],
    )
    const { receipts, parts, partsSent, deliveredAt, readAt, doubtSince } = delivery?.overChannel ?? {}
    assert.deepEqual([receipts, parts, partsSent, deliveredAt, readAt, doubtSince], [true, 1, 1, null, null, null])
  }
  const { use } = (await owner.call('GET', `/api/channels/${channel.id}`)).body
  assert.deepEqual([use.waiting, use.silentSince, use.slowedUntil], [0, null, null])
  assert.ok(use.lastOutAt)
  const { rows } = await sql`select from deliveries where due_at is not null or lease_token is not null`.execute(app.db)
  assert.equal(rows.length, 0)
})

test('what waits to leave by another way holds it up no more than it holds up that', async () => {
  await using world = await startOwnWorld()
  const { app, shop } = world
  const contactId = await world.write('ana', 'Hello')
  await app.db.updateTable('contacts').set({ externalId: 'ana-7' }).where('id', '=', contactId).execute()
  // Nobody has saved an address for replies, so this one is tried again for hours.
  await shop.post('/send_custom_channel_message', outgoing({ fromId: 'ana-7', body: 'by the platform' }))
  await reply(world, contactId, 'in the chat')
  const rows = await rowsOf(world)
  assert.deepEqual(
    rows.filter(({ receiverId }) => receiverId === world.channel.id),
    [sentRow(world, 'in the chat', 2)],
  )
  assert.equal(rows.filter(({ receiverId }) => receiverId === 'reply').length, 1)
})

test('while it is paused, closed by the team or gone it takes nothing, in words, and nothing of it waits', async () => {
  await using world = await startOwnWorld()
  const { app, owner, channel } = world
  const contactId = await world.write('ana', 'Hello')
  const path = `/api/channels/${channel.id}`
  await owner.call('POST', `${path}/pause`, {})
  assert.deepEqual(await refusal(world, contactId, { body: 'Hello' }), [
    409,
    'This channel is paused, so nothing can be said over it. Let it go on, or choose another way.',
  ])
  assert.ok(await world.write('ana', 'It still receives'))
  await owner.call('POST', `${path}/resume`, {})
  const stop = (scope: string | null) =>
    sql`update contact_channels set stopped_at = ${scope === null ? null : new Date()}, stop_scope = ${scope}`.execute(
      app.db,
    )
  await stop('team')
  assert.deepEqual(await refusal(world, contactId, { body: 'Hello' }), [
    409,
    'Your team has closed the chat with them. Open it again to write to them.',
  ])
  await stop(null)
  assert.equal((await refusal(world, contactId, { body: 'ä'.repeat(4_001) }))[0], 400)
  await reply(world, contactId, 'Now it does.')
  await owner.call('DELETE', path)
  assert.equal((await refusal(world, contactId, { body: 'Hello' }))[0], 409)
  assert.deepEqual(await rowsOf(world), [sentRow(world, 'Now it does.', 1)])
})

test('a file that a person attaches goes with its reply, and what was sent is not sent again', async () => {
  await using world = await startOwnWorld()
  const { app, owner } = world
  const contactId = await world.write('ana', 'Hello')
  const path = `/api/conversations/${contactId}`
  const { body: file } = await owner.call('POST', `${path}/files?fileName=rim.png&contentType=image%2Fpng`, png)
  const message: Message = await reply(world, contactId, undefined, { fileId: (file as AttachedFile).id })
  assert.deepEqual(
    [message.delivery?.status, message.file?.state, message.file?.fileName],
    ['Sent', 'stored', 'rim.png'],
  )
  const { rows } = await sql<{ hasFile: boolean }>`
    select (content ->> 'hasFile')::boolean as has_file from delivery_parts
  `.execute(app.db)
  assert.deepEqual(rows, [{ hasFile: true }])
  const { status, body } = await owner.call('POST', `${path}/messages/${message.id}/again`, {})
  assert.deepEqual(
    [status, body.error.message],
    [409, 'It was sent over its channel already. To say it again, write it again.'],
  )
  assert.equal((await rowsOf(world))[0]?.dueAt, null)
})

test('the bot answers over it, and no broadcast goes over it', async () => {
  await using world = await startOwnWorld()
  const { app, shop, channel } = world
  await editCampaign(app, await defaultCampaign(app, shop), {
    quietSeconds: 0,
    introduction: null,
    fallbackText: 'Hm?',
  })
  const contactId: ContactId = await world.write('ana', 'What is a xylophone?')
  await sql`
    insert into turns (account_id, contact_id, due_at, from_seq, last_seq) values (${shop.accountId}, ${contactId}, now(), 1, 1)
  `.execute(app.db)
  await untilAnswered(app)
  assert.deepEqual(await rowsOf(world), [sentRow(world, 'Hm?', 1)])
  assert.equal((await readChannel(world.owner, channel.id)).state, 'working')
  const refused = await world.owner.call('POST', '/api/broadcasts', {
    ...{
      name: 'News',
      listId: shop.listId,
      channel: channel.id,
      body: 'Hello',
      ratePerMinute: 60,
      clientId: newClientId(),
    },
  })
  assert.equal(refused.status, 400)
  assert.match(refused.body.error.message, /nothing is broadcast over it/)
})
