import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachPhone } from '../../../src/people/contacts/addresses/phone-address-store.ts'
import { type AccountId, type ContactId, newId } from '../../../src/platform/ids.ts'
import { sharedApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'

const number = '+447700900342'

async function makeContact(
  { db }: TestApp,
  { accountId }: TestAccount,
  fields: { phone?: string; isSimulated?: true },
) {
  const id = newId('con')
  await db
    .insertInto('contacts')
    .values({ accountId, id, firstName: 'Ana', ...fields })
    .execute()
  return id
}

const attach = ({ db }: TestApp, accountId: AccountId, contactId: ContactId, channelId = channel) =>
  db.transaction().execute((tx) => attachPhone(tx, { accountId, contactId, channelId }))

const channel = newId('chn')

const kept = async ({ db }: TestApp) => ({
  addresses: await db.selectFrom('contactAddresses').select(['channelId', 'kind', 'address', 'contactId']).execute(),
  writtenTo: await db.selectFrom('contactChannels').select(['channelId', 'address', 'contactId']).execute(),
})

test('a phone number is attached once to whoever has it, however many write at the same time', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const ana = await makeContact(app, shop, { phone: number })
  const all = await Promise.all(Array.from({ length: 6 }, () => attach(app, shop.accountId, ana)))
  assert.deepEqual(new Set(all.map((one) => JSON.stringify(one))).size, 1)
  assert.deepEqual(all[0], { kind: 'phone', address: number })
  assert.deepEqual(await kept(app), {
    addresses: [{ channelId: channel, kind: 'phone', address: number, contactId: ana }],
    writtenTo: [{ channelId: channel, address: number, contactId: ana }],
  })
})

test('a number by which the channel knows somebody else is refused with who it is, and attached to nobody', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const [ana, ben] = [await makeContact(app, shop, { phone: number }), await makeContact(app, shop, {})]
  const { accountId } = shop
  const theirs = { accountId, channelId: channel, kind: 'phone', address: number, contactId: ben }
  await app.db.insertInto('contactAddresses').values(theirs).execute()
  assert.deepEqual(await attach(app, accountId, ana), { takenBy: ben })
  assert.deepEqual((await kept(app)).writtenTo, [])
  const other = newId('chn')
  assert.deepEqual(await attach(app, accountId, ana, other), { kind: 'phone', address: number })
  const neighbour = await app.makeAccount()
  const same = await makeContact(app, neighbour, { phone: number })
  assert.deepEqual(await attach(app, neighbour.accountId, same), { kind: 'phone', address: number })
})

test('who wrote there keeps the address that they wrote from, and who has no number, or is simulated, gets none', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount()
  const { accountId } = shop
  const ana = await makeContact(app, shop, { phone: number })
  const wrote = { accountId, channelId: channel, contactId: ana, addressKind: 'phone', address: '+447700900999' }
  await app.db.insertInto('contactChannels').values(wrote).execute()
  assert.deepEqual(await attach(app, accountId, ana), { kind: 'phone', address: '+447700900999' })
  assert.equal(await attach(app, accountId, await makeContact(app, shop, {})), 'no phone')
  const simulated = await makeContact(app, shop, { phone: '+447700900111', isSimulated: true })
  assert.equal(await attach(app, accountId, simulated), 'no phone')
  assert.deepEqual((await kept(app)).addresses, [])
})
