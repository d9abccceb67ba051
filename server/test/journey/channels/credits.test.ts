import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setRecharge } from '../../../src/business/credits/recharge.ts'
import { createList } from '../../../src/people/lists/change.ts'
import type { ContactId, ListId } from '../../../src/platform/ids.ts'
import { makeTurnsDue, untilAnswered } from '../../helpers/bots.ts'
import { newsOver, putOnList } from '../../helpers/broadcasts.ts'
import { assertLedgerHolds } from '../../helpers/credits.ts'
import { passTime } from '../../helpers/deliveries.ts'
import { connectBot } from '../../helpers/providers/channel-world.ts'
import { untilSent } from '../../helpers/providers/conversations.ts'
import { type PricedWorld, startPricedChannel } from '../../helpers/providers/priced-channel.ts'
import type { Person } from '../../helpers/providers/telegram.ts'
import { faults } from '../../helpers/providers/telegram-faults.ts'
import { until } from '../../helpers/until.ts'

/** They write, and the bot is asked at once. */
async function ask({ app }: PricedWorld, person: Person, text: string): Promise<void> {
  const count = () => app.db.selectFrom('turns').select('contactId').execute()
  const before = (await count()).length
  person.write(text)
  await until(async () => (await count()).length > before, 'no answer is owed')
  await makeTurnsDue(app.db)
}

const waitingOf = async ({ app }: PricedWorld) =>
  (await app.db.selectFrom('conversations').select('waitingReason').orderBy('contactId').execute()).map(
    ({ waitingReason }) => waitingReason,
  )

const untilParked = ({ app }: PricedWorld, count: number) =>
  until(async () => {
    const parked = await app.db.selectFrom('turns').select('contactId').where('parkedUnits', 'is not', null).execute()
    return parked.length === count
  }, `${count} turns were never parked`)

const outgoingOf = ({ app }: PricedWorld) =>
  app.db.selectFrom('messages').select(['id', 'body', 'seq', 'contactId']).where('direction', '=', 'outgoing').execute()

test('each message over a channel with a price is one movement in its words, by whoever wrote it, beside that of an answer', async () => {
  await using world = await startPricedChannel({ price: 0.5, settings: { creditsPerReply: 2 } })
  const { app, sub, owner, model, channel, balance, used, grant, meet, type } = world
  await grant(10)
  const ana = world.bot.addPerson({ first_name: 'Ana' })
  const [contactId = ''] = await meet([ana])
  assert.equal((await type(contactId, 'From a person')).status, 200)
  const words = `Message over Telegram · ${channel.name}`
  assert.deepEqual(await used(), [[0.5, words]])
  const back = await owner.call('POST', `/api/conversations/${contactId}/handback`, { answersOld: false })
  assert.equal(back.status, 200, JSON.stringify(back.body))
  await ask(world, ana, 'A question')
  const question = await model.next()
  assert.deepEqual(await balance(), { balance: 9.5, held: 2.5 }, 'the answer and its message are held together')
  question.answer('An answer.')
  await untilAnswered(app)
  assert.deepEqual(await used(), [
    [0.5, words],
    [2, null],
    [0.5, words],
  ])
  assert.deepEqual(await balance(), { balance: 7, held: 0 })
  const charged = await app.db
    .selectFrom('ledger as l')
    .innerJoin('messages as m', (join) =>
      join
        .onRef('m.accountId', '=', 'l.accountId')
        .onRef('m.contactId', '=', 'l.contactId')
        .onRef('m.seq', '=', 'l.fromSeq'),
    )
    .select(['m.direction', 'm.author', 'l.actor'])
    .orderBy('l.n')
    .execute()
  assert.deepEqual(charged, [
    { direction: 'outgoing', author: 'person', actor: owner.userId },
    { direction: 'incoming', author: 'contact', actor: 'bot' },
    { direction: 'outgoing', author: 'bot', actor: 'bot' },
  ])
  const own = (await owner.call('GET', '/api/credits/history')).body.movements
  assert.deepEqual(
    own.map(({ description, by, contact }: (typeof own)[0]) => [description, by.kind, contact?.name ?? null]),
    [
      [words, 'bot', 'Ana'],
      [null, 'bot', 'Ana'],
      [words, 'user', 'Ana'],
      [null, 'key', null],
    ],
  )
  assert.equal(own[2].by.name, sub.email.split('@')[0], 'their own people they know by name')
})

test('a person is refused what the balance does not cover, in a sentence that says why, and nothing of it is kept', async () => {
  await using world = await startPricedChannel({ price: 2 })
  const { app, grant, meet, type, used, balance } = world
  await grant(1.5)
  const [contactId = ''] = await meet([world.bot.addPerson()])
  const handler = () => app.db.selectFrom('conversations').select(['handler', 'lastSeq']).execute()
  const before = await handler()
  const refused = await type(contactId, 'Too dear')
  assert.equal(refused.status, 409)
  assert.equal(refused.body.error.message, 'There are not enough credits: a message costs 2. Ask your agency for more.')
  assert.deepEqual([await outgoingOf(world), await used(), await handler()], [[], [], before])
  assert.deepEqual(await balance(), { balance: 1.5, held: 0 })
  await grant(0.5)
  assert.equal((await type(contactId, 'Now it goes')).status, 200)
  assert.deepEqual(await balance(), { balance: 0, held: 0 })
})

test('the same reply again, "send again" and what is tried again are charged once; what failed stays charged until it is reversed', async () => {
  await using world = await startPricedChannel()
  const { app, office, owner, sub, grant, meet, type, used, balance, telegram } = world
  await grant(5)
  const [contactId = ''] = await meet([world.bot.addPerson()])
  const clientId = 'client-id-of-one-reply-only'
  const [first, second] = await Promise.all([type(contactId, 'Once', clientId), type(contactId, 'Once', clientId)])
  assert.deepEqual([first.status, second.status, first.body.id], [200, 200, second.body.id])
  assert.equal((await used()).length, 1)
  await untilSent(world, 1)
  telegram.plan('sendMessage', faults.badRequest)
  const { status, body: failing } = await type(contactId, 'Fails')
  assert.equal(status, 200, JSON.stringify(failing))
  const failed = () =>
    app.db
      .selectFrom('deliveries')
      .select('id')
      .where('errorCategory', 'is not', null)
      .where('dueAt', 'is', null)
      .execute()
  await until(async () => (await failed()).length === 1, 'it did not fail')
  assert.equal((await used()).length, 2, 'a message that failed is not given back by itself')
  const again = await owner.call('POST', `/api/conversations/${contactId}/messages/${failing.id}/again`, {})
  assert.equal(again.status, 200, JSON.stringify(again.body))
  await untilSent(world, 2)
  assert.equal((await used()).length, 2, 'the same message is not paid for twice')
  const { movements } = (await office.call('GET', `/api/agency/subaccounts/${sub.accountId}/history`)).body
  const reversal = { movementId: movements[0].id, description: 'It had failed' }
  assert.equal((await office.call('POST', `/api/agency/subaccounts/${sub.accountId}/reversals`, reversal)).status, 200)
  assert.deepEqual(await balance(), { balance: 4, held: 0 })
})

test('the answer of the bot waits for credits that cover it and its message, and is given with a grant', async () => {
  await using world = await startPricedChannel({ price: 0.5, settings: { creditsPerReply: 1 } })
  const { app, model, grant, meet, used, balance } = world
  await grant(1.25)
  const ana = world.bot.addPerson()
  await meet([ana])
  await ask(world, ana, 'A question')
  await untilParked(world, 1)
  assert.deepEqual(
    [model.asked.length, await waitingOf(world), await balance()],
    [0, ['no_credits'], { balance: 1.25, held: 0 }],
  )
  await grant(0.25)
  ;(await model.next()).answer('An answer.')
  await untilAnswered(app)
  assert.deepEqual(
    (await used()).map(([credits]) => credits),
    [1, 0.5],
  )
  assert.deepEqual([await waitingOf(world), await balance()], [[null], { balance: 0, held: 0 }])
})

test('a price that goes up while an answer is made parks it: nothing is held meanwhile, and the message costs what it costs then', async () => {
  await using world = await startPricedChannel({ price: 1 })
  const { app, model, grant, meet, used, balance, setPrice } = world
  await grant(1)
  const ana = world.bot.addPerson()
  await meet([ana])
  await ask(world, ana, 'A question')
  const question = await model.next()
  assert.deepEqual(await balance(), { balance: 1, held: 1 })
  assert.equal((await setPrice(3)).status, 200)
  question.answer('Made too early.')
  await untilParked(world, 1)
  await until(async () => (await balance()).held === 0, 'something is still held')
  assert.deepEqual([await outgoingOf(world), await used()], [[], []])
  await grant(2)
  ;(await model.next()).answer('An answer.')
  await untilAnswered(app)
  assert.deepEqual(
    (await used()).map(([credits]) => credits),
    [3],
  )
  assert.deepEqual(
    (await outgoingOf(world)).map(({ body }) => body),
    ['An answer.'],
  )
})

test('whoever asks for a person gets one without credits: only it is not said', async () => {
  await using world = await startPricedChannel({ settings: { handoverText: 'A person will write to you.' } })
  const { app, grant, meet, used } = world
  const [ana, ben] = [world.bot.addPerson(), world.bot.addPerson()]
  const [anas = '', bens = ''] = await meet([ana, ben])
  await ask(world, ana, 'I want to speak to a human')
  await untilAnswered(app)
  const stateOf = (contactId: string) =>
    app.db
      .selectFrom('conversations')
      .select(['handler', 'waitingReason'])
      .where('contactId', '=', contactId as ContactId)
      .executeTakeFirst()
  assert.deepEqual(await stateOf(anas), { handler: 'person', waitingReason: 'requested' })
  assert.deepEqual([await outgoingOf(world), await used()], [[], []])
  await grant(1)
  await ask(world, ben, 'I want to speak to a human')
  await untilAnswered(app)
  assert.deepEqual(await stateOf(bens), { handler: 'person', waitingReason: 'requested' })
  assert.deepEqual((await used()).length, 1, 'where it can be paid for, it is said')
})

test('an answer that waits for credits until it is stale is left to a person, also where the text for that costs too much', async () => {
  await using world = await startPricedChannel({ settings: { noCreditText: 'Later.' } })
  const { app, meet, used } = world
  const ana = world.bot.addPerson()
  await meet([ana])
  await ask(world, ana, 'A question')
  await untilParked(world, 1)
  await passTime(app.db, '16 minutes')
  await untilAnswered(app)
  assert.deepEqual([await outgoingOf(world), await used(), await waitingOf(world)], [[], [], ['no_credits']])
  const [answer] = await app.db.selectFrom('answers').select(['outcome', 'reason', 'messageId']).execute()
  assert.deepEqual(answer, { outcome: 'handed over', reason: 'no_credits', messageId: null })
})

test('a balance for three messages pays for three of those that people, the bot and a broadcast make at once; the others are refused, or wait', async () => {
  await using world = await startPricedChannel()
  const { app, sub, model, channel, grant, meet, type, used, balance, owner } = world
  await grant(3)
  const people = Array.from({ length: 6 }, () => world.bot.addPerson())
  const contactIds = await meet(people)
  const listId = (await createList(app.db, sub.accountId, 'Two of them')) as ListId
  await putOnList(app.db, { accountId: sub.accountId, listId }, contactIds.slice(4))
  for (const person of people.slice(0, 2)) person.write('A question')
  const owed = () => app.db.selectFrom('turns').select('parkedUnits').execute()
  await until(async () => (await owed()).length === 2, 'not every answer is owed')
  const [typed, cast] = await Promise.all([
    Promise.all(contactIds.slice(2, 4).map((contactId) => type(contactId, 'From a person'))),
    app.call('POST', '/broadcasts', { key: sub.apiKey, body: { listId, ...newsOver(channel.id) } }),
    makeTurnsDue(app.db),
  ])
  assert.equal(cast.status, 201, JSON.stringify(cast.body))
  const get = (path: string) => app.call('GET', path, { key: sub.apiKey })
  const castOf = async () => (await get(`/broadcasts/${cast.body.id}`)).body
  const isSettled = async () => {
    for (let next = model.asked.length; answered < next; answered += 1) model.asked[answered]?.answer('An answer.')
    const { waitingReason, state } = await castOf()
    const isParked = (await owed()).every(({ parkedUnits }) => parkedUnits !== null)
    return isParked && (waitingReason === 'no_credits' || state === 'finished')
  }
  let answered = 0
  await until(isSettled, 'they have not come to an end')
  const made = await outgoingOf(world)
  assert.deepEqual([made.length, (await used()).length, await balance()], [3, 3, { balance: 0, held: 0 }])
  const sent = typed.filter(({ status }) => status === 200).length
  assert.equal(typed.filter(({ status }) => status === 409).length, 2 - sent, 'people are told')
  const [byBot, byCast] = [2 - (await owed()).length, (await castOf()).counts.sent + (await castOf()).counts.waiting]
  assert.equal(byCast, 2, 'nobody is left out for want of credits')
  assert.ok(byBot + sent <= 3)
  assert.equal((await owner.call('GET', '/api/credits')).body.state, 'empty')
  await assertLedgerHolds(app.db)
})

test('a person who is refused, and a broadcast that waits, ask the agency for a recharge, once for each balance', async () => {
  await using world = await startPricedChannel({ price: 5 })
  const { app, agency, sub, channel, grant, meet, type } = world
  const [contactId = '', other = ''] = await meet([world.bot.addPerson(), world.bot.addPerson()])
  await grant(4)
  const account = { id: sub.accountId, kind: 'subaccount' as const, agencyId: agency.accountId }
  await setRecharge(app.db, account, { threshold: 1, amount: 10 })
  const askedAt = async () => {
    const events = await app.db
      .selectFrom('deliveries')
      .select('payload')
      .where('receiverId', '=', 'recharge')
      .orderBy('id')
      .execute()
    return events.map(({ payload }) => JSON.parse(payload).balance)
  }
  for (const text of ['One', 'Two']) assert.equal((await type(contactId, text)).status, 409)
  assert.deepEqual(await askedAt(), [4], 'the balance is above the threshold, and no charge comes below it')
  await grant(0.5)
  const listId = (await createList(app.db, sub.accountId, 'One of them')) as ListId
  await putOnList(app.db, { accountId: sub.accountId, listId }, [other])
  const cast = await app.call('POST', '/broadcasts', { key: sub.apiKey, body: { listId, ...newsOver(channel.id) } })
  assert.equal(cast.status, 201, JSON.stringify(cast.body))
  await until(async () => (await askedAt()).length === 2, 'the agency was not asked')
  assert.deepEqual(await askedAt(), [4, 4.5])
})

test('a channel that is removed and connected again keeps its price', async () => {
  await using world = await startPricedChannel({ price: 2 })
  const { owner, bot, channel } = world
  assert.equal((await owner.call('DELETE', `/api/channels/${channel.id}`)).status, 200)
  const again = await connectBot(owner, bot)
  assert.deepEqual([again.id, again.creditsPerMessage], [channel.id, 2])
})

test('a channel without a price, and an account that no agency meters, use no credits', async () => {
  await using world = await startPricedChannel({ price: 0 })
  const [contactId = ''] = await world.meet([world.bot.addPerson()])
  assert.equal((await world.type(contactId, 'Free')).status, 200)
  assert.deepEqual(await world.used(), [])
  assert.deepEqual(await world.app.db.selectFrom('balances').selectAll().execute(), [])
})
