import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReplyWay } from '@patchbay/contract/app/messages.ts'
import { png } from '../../helpers/media-files.ts'
import { newClientId } from '../../helpers/providers/conversations.ts'
import { connectSms, type SmsWorld, startSmsWorld } from '../../helpers/providers/sms-world.ts'
import { addTexter, untilTexted } from '../../helpers/providers/twilio.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

const sender = '+447700900001'

async function startShop(world: SmsWorld) {
  const account = world.twilio.addAccount()
  account.addNumber(sender)
  return { account, channel: await connectSms(world.owner, account, { sender }) }
}

type Caller = Pick<SmsWorld, 'owner'>

async function makeContact({ owner }: Caller, fields: object): Promise<string> {
  const { status, body } = await owner.call('POST', '/api/contacts', fields)
  assert.equal(status, 200, JSON.stringify(body))
  return body.contact.id
}

const write = ({ owner }: Caller, contactId: string, given: object) =>
  owner.call('POST', `/api/conversations/${contactId}/replies`, { clientId: newClientId(), ...given })

async function waysTo({ owner }: Caller, query: string): Promise<{ contact: unknown; ways: ReplyWay[] }> {
  const { status, body } = await owner.call('GET', `/api/ways?${query}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const toNumber = (world: Caller, number: string) => waysTo(world, `phone=${encodeURIComponent(number)}`)

test('who has a number and never wrote is written to first, once for one reply, and their answer comes into the same conversation', async () => {
  await using world = await startSmsWorld()
  const { account, channel } = await startShop(world)
  const ana = addTexter(account, sender)
  const { contact, ways } = await toNumber(world, ana.phone)
  assert.deepEqual(
    [contact, ways.map((way) => [way.channelId, way.address, way.whyNot])],
    [null, [[channel.id, ana.phone, null]]],
  )
  const contactId = await makeContact(world, { phone: ana.phone })
  const first = { body: 'Your wheel is ready', channelId: channel.id, clientId: newClientId() }
  const answers = await Promise.all(Array.from({ length: 6 }, () => write(world, contactId, first)))
  for (const { status, body } of answers) assert.deepEqual([status, body.id], [200, answers[0]?.body.id])
  await untilTexted(ana, 1)
  ana.text('Thanks, I come at six')
  const said = world.app.db.selectFrom('messages').select(['contactId', 'body']).where('body', 'like', 'Thanks%')
  await until(async () => (await said.execute()).length > 0, 'the answer did not come')
  assert.equal((await said.executeTakeFirstOrThrow()).contactId, contactId)
  assert.equal((await write(world, contactId, { body: 'Until then' })).status, 200)
  assert.deepEqual(
    (await untilTexted(ana, 2)).map(({ body }) => body),
    ['Your wheel is ready', 'Until then'],
  )
  assert.equal((await world.app.db.selectFrom('contacts').select('id').execute()).length, 1)
})

test('a number by which the channel knows somebody else is refused with their name, and nothing is sent, kept or attached', async () => {
  await using world = await startSmsWorld()
  const { account, channel } = await startShop(world)
  const ben = addTexter(account, sender)
  ben.text('Hello')
  const known = world.app.db.selectFrom('contactAddresses').select('contactId').where('address', '=', ben.phone)
  await until(async () => (await known.execute()).length > 0, 'the message did not come')
  const { contactId: bens } = await known.executeTakeFirstOrThrow()
  const renamed = await world.owner.call('PATCH', `/api/contacts/${bens}`, {
    firstName: 'Ben',
    email: 'b@example.com',
    phone: null,
  })
  assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
  const anas = await makeContact(world, { firstName: 'Ana', phone: ben.phone })
  const refused = await write(world, anas, { body: 'Hello', channelId: channel.id })
  assert.deepEqual([refused.status, refused.body.error.message], [409, 'Ben has this phone number on this channel.'])
  const [way] = (await waysTo(world, `contactId=${anas}`)).ways
  assert.deepEqual([way?.whyNot, way?.takenBy, way?.address], ['number_taken', { contactId: bens, name: 'Ben' }, null])
  const outgoing = world.app.db.selectFrom('messages').select('id').where('direction', '=', 'outgoing')
  assert.deepEqual(
    [
      await outgoing.execute(),
      (await known.execute()).length,
      account.messages.filter((one) => one.to === ben.phone).length,
    ],
    [[], 1, 0],
  )
})

test('who has no number cannot be written to, and who has ended it by a word cannot either, whoever asks', async () => {
  await using world = await startSmsWorld()
  const { account, channel } = await startShop(world)
  const noNumber = await makeContact(world, { email: 'mia@example.com' })
  const refused = await write(world, noNumber, { body: 'Hello', channelId: channel.id })
  assert.deepEqual(
    [refused.status, refused.body.error.message],
    [409, 'They have no phone number to write to; add it to the contact first.'],
  )
  assert.equal((await waysTo(world, `contactId=${noNumber}`)).ways[0]?.whyNot, 'no_number')
  const kofi = addTexter(account, sender)
  const kofis = await makeContact(world, { firstName: 'Kofi', phone: kofi.phone })
  assert.equal((await write(world, kofis, { body: 'Your tubes are here', channelId: channel.id })).status, 200)
  await untilTexted(kofi, 1)
  kofi.text('STOP')
  const wayToKofi = async () => (await waysTo(world, `contactId=${kofis}`)).ways[0]
  await until(async () => (await wayToKofi())?.whyNot === 'stopped', 'the stop is not known')
  assert.equal((await wayToKofi())?.stopped?.by, 'word')
  const again = await write(world, kofis, { body: 'Are you there?', channelId: channel.id })
  assert.equal(again.status, 409)
  assert.match(again.body.error.message, /STOP/)
  assert.equal(kofi.shown().length, 1)
})

test('a file is attached for whoever has a number, before they are known on the channel', async () => {
  await using world = await startSmsWorld()
  const { account, channel } = await startShop(world)
  const ana = addTexter(account, sender)
  const contactId = await makeContact(world, { phone: ana.phone })
  const attach = (who: string) =>
    world.owner.call('POST', `/api/conversations/${who}/files?fileName=rim.png&contentType=image%2Fpng`, png)
  const kept = await attach(contactId)
  assert.equal(kept.status, 200, JSON.stringify(kept.body))
  const sent = await write(world, contactId, { body: 'The rim', channelId: channel.id, fileId: kept.body.id })
  assert.deepEqual([sent.status, sent.body.file?.fileName], [200, 'rim.png'], JSON.stringify(sent.body))
  assert.equal((await attach(await makeContact(world, { email: 'mia@example.com' }))).status, 409)
})

test('neither the channel nor the contact of another account is reached, and the same number is somebody else there', async () => {
  await using world = await startSmsWorld()
  const { account, channel } = await startShop(world)
  const ana = addTexter(account, sender)
  const own = await makeContact(world, { firstName: 'Ana', phone: ana.phone })
  const stranger = { owner: await signIn(world.app, await world.app.makeAccount()) }
  const theirs = await makeContact(stranger, { firstName: 'Lia', phone: ana.phone })
  assert.notEqual(theirs, own)
  assert.equal((await write(stranger, own, { body: 'Hello', channelId: channel.id })).status, 404)
  assert.equal((await write(stranger, theirs, { body: 'Hello', channelId: channel.id })).status, 404)
  assert.deepEqual(await toNumber(stranger, ana.phone), {
    contact: { id: theirs, name: 'Lia', phone: ana.phone },
    usual: null,
    ways: [],
  })
  const rows = await world.app.db.selectFrom('contactAddresses').selectAll().execute()
  assert.deepEqual([rows, account.messages], [[], []])
})
