import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { conversation, makeTurnsDue, startModel, untilAnswered, write } from '../../helpers/bots.ts'
import { startTalk, type Talk } from '../../helpers/providers/talk.ts'
import { type Person, untilShown } from '../../helpers/providers/telegram.ts'

const greeting = 'Hello! How can I help you?'
const settings = { introduction: 'I am the bot of {{businessName}}.', businessName: 'Bay Bicycles' }
const introduced = `I am the bot of Bay Bicycles.\n\n${greeting}`

const texts = ({ shown }: Person) => shown.map(({ text }) => text)
const timesIntroduced = (person: Person) => texts(person).filter((text) => text.startsWith('I am the bot')).length

/** All messages so far were sent so much earlier. */
const letPass = ({ app }: Talk, time: string) =>
  sql`update messages set created_at = created_at - ${time}::interval`.execute(app.db)

test('the bot says what it is before its first answer to somebody, and not again on the same day', async () => {
  await using talk = await startTalk({ settings })
  assert.equal((await talk.ask('Hello')).text, introduced)
  assert.equal((await talk.ask('Hello')).text, greeting)
  await letPass(talk, '23 hours')
  assert.equal((await talk.ask('Hello')).text, greeting, 'within a day of its last word')
  await letPass(talk, '25 hours')
  assert.equal((await talk.ask('Hello')).text, introduced, 'after a day without the bot')
  const stored = await talk.app.db
    .selectFrom('messages')
    .select('body')
    .where('author', '=', 'bot')
    .orderBy('seq')
    .execute()
  assert.deepEqual(
    stored.map(({ body }) => body),
    texts(talk.ana),
    'what is stored is what was said',
  )
})

test('when it follows a person it says so', async () => {
  await using talk = await startTalk({ settings })
  const { owner, ana } = talk
  await talk.ask('Hello')
  const path = `/api/conversations/${await talk.contactId()}`
  const reply = { body: 'Ben here.', clientId: 'client-id-of-the-reply' }
  assert.equal((await owner.call('POST', `${path}/replies`, reply)).status, 200)
  assert.equal((await owner.call('POST', `${path}/handback`, { answersOld: false })).status, 200)
  await untilShown(ana, 2)
  assert.equal((await talk.ask('Hello')).text, introduced)
  assert.equal((await talk.ask('Hello')).text, greeting)
})

test('a shop may leave the sentence out', async () => {
  await using talk = await startTalk({ settings: { introduction: null } })
  assert.equal((await talk.ask('Hello')).text, greeting)
})

test('the platform of the shop, which says who speaks, is not told', async () => {
  await using talk = await startTalk({ settings })
  const { app, shop } = talk
  await write(shop, 'Hello', { fromId: 'eve' })
  await untilAnswered(app)
  assert.deepEqual(await conversation(app, 'eve'), ['contact: Hello', `bot: ${greeting}`])
})

test('two processes that answer the same at once, and one that tries again, say it once', async () => {
  await using model = await startModel()
  await using talk = await startTalk({ settings: { ...settings, ...model.file } })
  const { ana, app } = talk
  ana.write('Do you deliver?')
  await talk.untilKept(1)
  await makeTurnsDue(app.db)
  const first = await model.next()
  // As if the lease had ended: another process answers too.
  await app.db.updateTable('turns').set({ leaseToken: null, leasedUntil: null }).execute()
  await makeTurnsDue(app.db)
  const second = await model.next()
  first.answer('Yes.')
  second.answer('Yes.')
  await untilAnswered(app)
  assert.deepEqual(texts({ ...ana, shown: await untilShown(ana, 1) }), ['I am the bot of Bay Bicycles.\n\nYes.'])
  ana.write('And on Sundays?')
  await talk.untilKept(2)
  await makeTurnsDue(app.db)
  ;(await model.next()).answer('')
  await makeTurnsDue(app.db)
  ;(await model.next()).answer('On Sundays, too.')
  assert.equal((await untilShown(ana, 2))[1]?.text, 'On Sundays, too.')
})

test('of answers that follow each other at once, to several people, each person is told once', async () => {
  await using talk = await startTalk({ settings })
  const { bot, app } = talk
  await app.db.updateTable('conversations').set({ quietMs: 0 }).execute()
  const people = Array.from({ length: 6 }, () => bot.addPerson())
  let isOver = false
  const answering = (async () => {
    while (!isOver) await makeTurnsDue(app.db)
  })()
  for (let n = 1; n <= 5; n++) {
    for (const person of people) person.write('Hello')
    await talk.untilKept(n * people.length)
  }
  await untilAnswered(app)
  isOver = true
  await answering
  for (const person of people) {
    const count = await app.db
      .selectFrom('messages as m')
      .innerJoin('contactAddresses as a', 'a.contactId', 'm.contactId')
      .select('m.id')
      .where('a.address', '=', String(person.chatId))
      .where('m.author', '=', 'bot')
      .execute()
    await untilShown(person, count.length)
    assert.equal(timesIntroduced(person), 1)
    assert.equal(person.shown[0]?.text, introduced)
  }
  assert.ok(people.some(({ shown }) => shown.length > 1))
})
