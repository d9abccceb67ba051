import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { sql } from 'kysely'
import { eraseContact } from '../../../../src/app/removal/erasure/erase-contact.ts'
import { indexNewMessages } from '../../../../src/app/search/index-messages.ts'
import { markReceipts } from '../../../../src/journey/delivery/receipts/mark-receipts.ts'
import { secretKey } from '../../../helpers/harness.ts'
import { startOwnWorld } from '../../../helpers/own-channels.ts'
import { reply } from '../../../helpers/providers/conversations.ts'
import { columnsWith } from '../../../helpers/words.ts'

/** What belongs to the erased visitor alone. */
const words = {
  body: 'is the xylophone still there',
  sent: 'your bassoon is ready',
  email: 'zq@visitor.example',
  page: 'https://shop.example/kazoo',
  file: 'marimba.txt',
  bytes: 'marimba in a file',
}

test('nothing of an erased visitor is left: neither how their browser is known, nor what they left, read and attached', async () => {
  await using world = await startOwnWorld()
  const { app, shop, owner, channel } = world
  const { accountId } = shop
  const [contactId, other] = [await world.write('ana', words.body), await world.write('ben', 'Do you have a piano?')]
  const address = hash('sha256', `${channel.id} ana`)
  const ref = { accountId, contactId }
  await reply(world, contactId, words.sent)
  await reply(world, other, 'We do.')
  const thread = { ...ref, channelId: channel.id as `chn_${string}` }
  await markReceipts({ db: app.db, hint: () => {} }, thread, { delivered: 9, read: 9 })
  const path = `/api/conversations/${contactId}/files?fileName=${words.file}&contentType=text%2Fplain`
  assert.equal((await owner.call('POST', path, Buffer.from(words.bytes))).status, 200)
  await sql`update outgoing_files set by_contact = true`.execute(app.db)
  await sql`
    update contact_channels set left_email = ${words.email}, left_email_at = now(), seen_at = now()
    where contact_id = ${contactId}
  `.execute(app.db)
  // They are a customer who had written before they signed in, as somebody else.
  await sql`update contact_channels set signed_in_as = ${contactId} where contact_id = ${other}`.execute(app.db)
  await sql`
    insert into message_details (account_id, message_id, data)
    select account_id, id, jsonb_build_object('page', ${words.page}::text) from messages where contact_id = ${contactId} and seq = 1
  `.execute(app.db)
  for (const kind of ['signed in', 'left e-mail', 'asked to be deleted']) {
    await sql`
      insert into conversation_events (account_id, contact_id, seq, kind) values (${accountId}, ${contactId}, 1, ${kind})
    `.execute(app.db)
  }
  await indexNewMessages(app.db)
  const all = [...Object.values(words), address.slice(0, 24)]
  for (const word of all) assert.notDeepEqual(await columnsWith(app, [word]), [], `"${word}" is nowhere`)

  await eraseContact({ db: app.db, secretKey }, ref)
  assert.deepEqual(await columnsWith(app, all), [])
  assert.deepEqual(await columnsWith(app, [contactId]), ['audit_events.details'])
  // The chat from before is shown to nobody else now.
  const { rows } = await sql`select signed_in_as from contact_channels`.execute(app.db)
  assert.deepEqual(rows, [{ signedInAs: 'erased' }])
  assert.notEqual(await world.write('ana', 'Hello again'), contactId)
})
