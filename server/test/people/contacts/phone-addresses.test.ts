import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { attachPhone } from '../../../src/people/contacts/addresses/phone-address-store.ts'
import type { AccountId, ChannelId, ContactId } from '../../../src/platform/ids.ts'
import { phoneVariants } from '../../../src/platform/text/phone-variants.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { importFile } from '../../helpers/imports.ts'
import { makeChat } from '../../helpers/own-channels.ts'
import { signIn } from '../../helpers/sessions.ts'

test('a telephone that has two numbers in use is found by either, and nobody else is', () => {
  const pairs = [
    ['+5511988887777', '+551188887777'],
    ['+5491123456789', '+541123456789'],
    ['+5215512345678', '+525512345678'],
  ]
  for (const [long = '', short = ''] of pairs) {
    assert.deepEqual(
      [phoneVariants(long), phoneVariants(short)],
      [
        [long, short],
        [short, long],
      ],
    )
  }
  // A landline in Brazil, and numbers of elsewhere.
  for (const only of ['+551133334444', '+5511933334444', '+447700900123', '+15551234567', '+5411', '+52155'])
    assert.deepEqual(phoneVariants(only), [only])
})

/** A shop with a channel. Which kind it is makes no difference to whose address there a number is. */
async function startShop() {
  const app = await sharedApp({ ROLE: 'all' })
  const shop = await app.makeAccount()
  const owner = await signIn(app, shop)
  const accountId = shop.accountId as AccountId
  const channelId = (await makeChat(owner)).id as ChannelId
  return {
    ...{ app, owner, accountId, channelId },
    add: async (phone: string, email: string | null = null) => {
      const texts = { firstName: null, lastName: null }
      const { status, body } = await owner.call('POST', '/api/contacts', { ...texts, phone, email })
      assert.equal(status, 200, JSON.stringify(body))
      return body.contact.id as ContactId
    },
    attach: (contactId: ContactId) =>
      app.db.transaction().execute((tx) => attachPhone(tx, { accountId, contactId, channelId })),
    addresses: async () => {
      const { rows } = await sql<{ contactId: ContactId; address: string; writtenTo: string | null }>`
        select d.contact_id, d.address, h.address as written_to from contact_addresses d
        left join contact_channels h
          on h.account_id = d.account_id and h.contact_id = d.contact_id and h.channel_id = d.channel_id
        where d.account_id = ${accountId} order by d.address
      `.execute(app.db)
      return rows
    },
    /** As if they had written from there. */
    write: async (contactId: ContactId) => {
      await app.db
        .updateTable('contactChannels')
        .set({ lastInboundAt: new Date() })
        .where('contactId', '=', contactId)
        .execute()
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

test('who has no number is not known by it, and a number that is somebody else there, in any variant, stays theirs', async () => {
  await using shop = await startShop()
  const ana = await shop.add('+5511988887777')
  const ben = await shop.add('+447700900123', 'ben@example.com')
  // As they were before anybody looked for variants.
  await shop.app.db.updateTable('contacts').set({ phone: '+551188887777' }).where('id', '=', ben).execute()
  await shop.attach(ana)
  assert.deepEqual(await shop.attach(ben), { takenBy: ana })
  assert.equal((await shop.owner.call('PATCH', `/api/contacts/${ben}`, { phone: null })).status, 200)
  assert.equal(await shop.attach(ben), 'no phone')
  assert.equal(await shop.attach('con_0190a0b0c0d070008000000000000000' as ContactId), 'no phone')
  assert.deepEqual(
    (await shop.addresses()).map(({ contactId }) => contactId),
    [ana],
  )
})

test('a phone number that is changed by hand or by an import takes along the address of who never wrote from there, and no other', async () => {
  await using shop = await startShop()
  const { owner } = shop
  const [ana, ben] = [await shop.add('+447700900123'), await shop.add('+447700900124')]
  for (const one of [ana, ben]) await shop.attach(one)
  await shop.write(ben)
  await shop.app.db.updateTable('contactChannels').set({ stoppedAt: new Date(), stopScope: 'all' }).execute()
  for (const [id, phone] of [
    [ana, '+447700900133'],
    [ben, '+447700900134'],
  ]) {
    assert.equal((await owner.call('PATCH', `/api/contacts/${id}`, { phone })).status, 200)
  }
  assert.deepEqual(await shop.addresses(), [
    { contactId: ben, address: '+447700900124', writtenTo: '+447700900124' },
    { contactId: ana, address: '+447700900133', writtenTo: '+447700900133' },
  ])
  const stopped = await shop.app.db
    .selectFrom('contactChannels')
    .select('contactId')
    .where('stoppedAt', 'is not', null)
    .execute()
  assert.deepEqual(stopped, [{ contactId: ben }], 'the provider refuses the old number, and not the new one')

  await importFile(owner, `Contact ID,Phone\r\n${ana},+44 7700-900143\r\n`, { overwrites: true })
  assert.deepEqual(
    (await shop.addresses()).map(({ address }) => address),
    ['+447700900124', '+447700900143'],
  )
  const { status, body } = await owner.call('PATCH', `/api/contacts/${ana}`, { phone: null })
  assert.deepEqual([status, body.error?.code], [400, 'PHONE_OR_EMAIL_REQUIRED'], 'nothing else is known of them')
  assert.equal((await owner.call('PATCH', `/api/contacts/${ben}`, { phone: null })).status, 200, 'they have written')
})

test('a row of an import whose telephone is known by another variant is about that contact, whose number stays', async () => {
  await using shop = await startShop()
  const ana = await shop.add('+551188887777')
  const text = 'First name,Phone\r\nAna,+55 11 98888-7777\r\nAnna,+55 11 8888-7777\r\n'
  const { added, changed } = await importFile(shop.owner, text, { overwrites: true })
  assert.deepEqual([added, changed], [0, 2])
  const contacts = await shop.app.db.selectFrom('contacts').select(['id', 'firstName', 'phone']).execute()
  assert.deepEqual(contacts, [{ id: ana, firstName: 'Anna', phone: '+551188887777' }])
})
