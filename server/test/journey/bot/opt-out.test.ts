import assert from 'node:assert/strict'
import { createHmac, hkdfSync } from 'node:crypto'
import { test } from 'node:test'
import { eraseContact, showContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { optIn, optOut } from '../../../src/journey/conversations/consent.ts'
import { handBack, reply, switchOff, takeOver } from '../../../src/journey/conversations/take-over.ts'
import { summarizeLists } from '../../../src/people/lists/store.ts'
import {
  contactOf,
  conversation,
  defaultCampaign,
  editCampaign,
  holdTurnsBack,
  makeCampaign,
  makeTurnsDue,
  outcomes,
  startModel,
  untilAnswered,
  write,
} from '../../helpers/bots.ts'
import { readDocument, startBeside } from '../../helpers/commands.ts'
import { passTime, sendOne, startDelivering } from '../../helpers/deliveries.ts'
import { secretKey } from '../../helpers/harness.ts'

const noDelivery = { wakeDelivery: () => {} }
const greeting = 'bot: Hello! How can I help you?'

async function startWorld() {
  const app = await startDelivering()
  const account = await app.makeAccount()
  await holdTurnsBack(app)
  const ref = async (fromId?: string) => ({ accountId: account.accountId, contactId: await contactOf(app, fromId) })
  const say = async (text: string, over?: Record<string, unknown>) => {
    await write(account, text, over)
    await untilAnswered(app)
  }
  const optedOutBy = async (fromId?: string) => (await showContact(app.db, await ref(fromId))).optedOutBy
  return { app, account, ref, say, optedOutBy, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

test('the bot never writes to a contact who opted out, whoever takes or hands back the conversation', async () => {
  await using world = await startWorld()
  const { app, account, ref, say, optedOutBy } = world
  await say('STOP')
  assert.equal(await optedOutBy(), 'contact')
  const changes = [
    async () => reply({ db: app.db, ...noDelivery }, await ref(), { body: 'A person wrote this.' }),
    async () => passTime(app.db, '25 hours'), // a person who typed has the conversation for a day
    async () => takeOver(app.db, await ref()),
    async () => handBack(app.db, await ref(), { answersOld: true }),
    async () => switchOff(app.db, await ref()),
    async () => handBack(app.db, await ref()),
    async () => sendOne(account, { body: 'Our own system wrote this.' }),
  ]
  for (const change of changes) {
    await change()
    await say('Hello')
    assert.equal(await optedOutBy(), 'contact')
  }
  const texts = await conversation(app)
  assert.deepEqual(
    texts.filter((text) => text.startsWith('bot')),
    [],
  )
  assert.ok(texts.includes('person: A person wrote this.') && texts.includes('api: Our own system wrote this.'))
})

test('a stop word opts out while a person has the conversation, inside a burst, and while the bot is off', async () => {
  await using world = await startWorld()
  const { app, account, ref, say, optedOutBy } = world
  await say('Hello')
  await takeOver(app.db, await ref())
  await say('please stop')
  assert.equal(await optedOutBy(), 'contact')

  for (const text of ['Hello', 'stop', 'where is my order?']) await write(account, text, { fromId: 'ben' })
  await untilAnswered(app)
  assert.equal(await optedOutBy('ben'), 'contact')
  assert.equal((await conversation(app, 'ben')).length, 3)

  await write(account, 'unsubscribe', { fromId: 'eva' })
  await reply({ db: app.db, ...noDelivery }, await ref('eva'), { body: 'One moment.' }) // before the bot has looked at it
  assert.equal(await optedOutBy('eva'), 'contact')

  await app.db.updateTable('accounts').set({ botActive: false }).execute()
  await new Promise((resolve) => setTimeout(resolve, 600)) // a key and its account are cached for half a second
  await say('stop', { fromId: 'leo' })
  assert.equal(await optedOutBy('leo'), 'contact')
})

test('a start word of the contact ends the opt-out, and no other text does', async () => {
  await using world = await startWorld()
  const { app, account, say, optedOutBy } = world
  await say('stop')
  await say('how do I start the machine')
  await say('Hello')
  assert.equal(await optedOutBy(), 'contact')
  await say('Start!')
  assert.equal(await optedOutBy(), null)
  await say('Hello')
  assert.deepEqual((await conversation(app)).slice(3), ['contact: Start!', 'contact: Hello', greeting])
  await say('abmelden')
  for (const text of ['stop', 'anmelden bitte', 'Hello']) await write(account, text)
  await untilAnswered(app)
  assert.equal(await optedOutBy(), null, 'the last request counts')
  assert.equal((await conversation(app)).at(-1), greeting)
})

test("a campaign's own stop phrase opts out, and an operator's opt-in is not undone by an old message", async () => {
  await using world = await startWorld()
  const { app, account, ref, say, optedOutBy } = world
  await editCampaign(app, await defaultCampaign(app, account), { stopPhrases: ['Genug davon'] })
  await say('genug davon!')
  assert.equal(await optedOutBy(), 'contact')
  await optIn({ db: app.db, secretKey }, await ref())
  await handBack(app.db, await ref(), { answersOld: true })
  await untilAnswered(app)
  assert.equal(await optedOutBy(), null, 'an old message is not checked again')
  await optOut(app.db, await ref())
  await say('Hello')
  assert.equal(await optedOutBy(), 'operator')
  assert.equal((await conversation(app)).at(-1), 'contact: Hello')
  assert.equal((await outcomes(app)).at(-1), 'skipped, opted_out')
})

test('an answer that is being generated while its contact opts out is never sent', async () => {
  await using model = await startModel()
  await using world = await startWorld()
  const { app, account, ref } = world
  const { campaignId } = await makeCampaign(app, account, { ...model.file, quietSeconds: 0 })
  await write(account, 'What do you sell?', { campaignId })
  await makeTurnsDue(app.db)
  const question = await model.next()
  await optOut(app.db, await ref())
  question.answer('Lamps.')
  await untilAnswered(app)
  assert.deepEqual(await conversation(app), ['contact: What do you sell?'])
})

test('a contact who opted out and was erased is still opted out when they come back, by any identifier', async () => {
  await using world = await startWorld()
  const { app, account, ref, say, optedOutBy } = world
  await say('stop', { email: 'ana@example.com' })
  await say('Hello', { fromId: 'ben' })
  const erase = async (fromId: string) => eraseContact({ db: app.db, secretKey }, await ref(fromId))
  await erase('ana')
  await erase('ben')
  const kept = await app.db.selectFrom('optOuts').selectAll().execute()
  assert.equal(kept.length, 2, 'one for each identifier of the contact who opted out, none for the other')
  // Written out: another way to make them would forget everybody who was erased before.
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', 'patchbay opt-outs', 32))
  const hashOf = (kind: string, value: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([account.accountId, kind, value]))
      .digest('hex')
  assert.deepEqual(
    new Set(kept.map(({ hash }) => hash.toString('hex'))),
    new Set([hashOf('externalId', 'ana'), hashOf('email', 'ana@example.com')]),
  )

  for (const fromId of ['ana', 'ben']) await say('Hello', { fromId })
  assert.deepEqual([await optedOutBy('ana'), await optedOutBy('ben')], ['returned', null])
  assert.deepEqual(await conversation(app, 'ana'), ['contact: Hello'])
  assert.equal((await conversation(app, 'ben')).length, 2)

  const made = await account.post('/contacts', { email: 'ANA@example.com' })
  const listed = { accountId: account.accountId, contactId: made.body.id }
  assert.equal((await showContact(app.db, listed)).optedOutBy, 'returned')
  await sendOne(account, { fromId: 'ana at home', email: 'ana@example.com' })
  const { contactId } = await ref('ana at home')
  await account.post(`/lists/${account.listId}/contacts`, { contactId })
  assert.equal(await optedOutBy('ana at home'), 'returned', 'being added to a list recognizes them')
  const other = await app.makeAccount()
  const stranger = await other.post('/contacts', { email: 'ana@example.com' })
  const elsewhere = { accountId: other.accountId, contactId: stranger.body.id }
  assert.equal((await showContact(app.db, elsewhere)).optedOutBy, null, 'an opt-out counts in its own account only')

  await say('start', { fromId: 'ana' })
  await erase('ana')
  await say('Hello', { fromId: 'ana' })
  assert.equal((await conversation(app, 'ana')).at(-1), greeting)
})

test('commands opt a contact out and in, and show it, also in lists', async () => {
  await using beside = await startBeside()
  const { app, run } = beside
  const shop = await app.makeAccount()
  const { body } = await shop.post('/contacts', { phone: '+15551234567' })
  await shop.post(`/lists/${shop.listId}/contacts`, { contactId: body.id })
  assert.deepEqual(readDocument(await run(shop, 'contact', 'opt-out', '--contact', body.id)), {
    optedOut: true,
    optedOutBy: 'operator',
  })
  const shown = readDocument(await run(shop, 'contact', 'show', '--contact', body.id))
  assert.deepEqual([typeof shown.optedOutAt, shown.optedOutBy], ['string', 'operator'])
  assert.equal((await summarizeLists(app.db, shop.accountId))[0]?.optedOut, 1)
  assert.deepEqual(readDocument(await run(shop, 'contact', 'opt-in', '--contact', body.id)), {
    optedOut: false,
    optedOutBy: null,
  })
  assert.equal(readDocument(await run(shop, 'list', 'show')).lists[0].optedOut, 0)
})
