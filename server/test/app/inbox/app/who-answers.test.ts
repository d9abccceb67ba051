import assert from 'node:assert/strict'
import { test } from 'node:test'
import { optOut } from '../../../../src/journey/conversations/consent.ts'
import { takeOver } from '../../../../src/journey/conversations/take-over.ts'
import {
  contactOf,
  conversation,
  defaultCampaign,
  editCampaign,
  makeTurnsDue,
  startModel,
  untilAnswered,
  write,
} from '../../../helpers/bots.ts'
import { passTime, startDelivering } from '../../../helpers/deliveries.ts'
import { type Browser, type Inbox, replyOf, startInbox } from '../../../helpers/inbox.ts'

async function startWithBot(): Promise<Inbox> {
  const inbox = await startInbox(startDelivering())
  const { app, account } = inbox
  await editCampaign(app, await defaultCampaign(app, account), {
    fallbackText: 'I do not know.',
    handoverText: 'Wait.',
  })
  return inbox
}

async function events(user: Browser, path: string): Promise<[kind: string, seq: number, userName: string | null][]> {
  const thread = await user.ok('GET', `${path}/messages`)
  return thread.events.map(({ kind, seq, userName }: Record<string, unknown>) => [kind, seq, userName])
}

test('taking over stops an answer that the bot is making, and handing back lets it answer what is left', async () => {
  await using model = await startModel()
  await using inbox = await startInbox(startDelivering())
  const { app, account, member, pathOf } = inbox
  await editCampaign(app, await defaultCampaign(app, account), model.file)
  await write(account, 'Which colour?')
  await makeTurnsDue(app.db)
  const question = await model.next()
  const path = await pathOf()
  const taken = await member.ok('POST', `${path}/takeover`)
  assert.deepEqual([taken.handler, taken.handlerReason, taken.handlerUser.name], ['person', 'taken over', 'Mia Member'])
  assert.equal(taken.botResumesAt, null, 'only a person who has written is replaced after a while')
  question.answer('It is red.')
  await untilAnswered(app)
  assert.deepEqual(await conversation(app), ['contact: Which colour?'])
  const back = await member.ok('POST', `${path}/handback`, { answersOld: true })
  assert.deepEqual([back.handler, back.handlerUser], ['bot', null])
  ;(await model.next()).answer('It is blue.')
  await untilAnswered(app)
  assert.deepEqual(await conversation(app), ['contact: Which colour?', 'bot: It is blue.'])
})

test('the thread tells who took over, handed back and switched off, each once, also from the command line', async () => {
  await using inbox = await startWithBot()
  const { app, account, owner, member, pathOf } = inbox
  await write(account, 'Hello')
  const path = await pathOf()
  await untilAnswered(app)
  await owner.ok('POST', `${path}/takeover`)
  await owner.ok('POST', `${path}/takeover`)
  await owner.ok('POST', `${path}/replies`, replyOf('I am here'))
  await member.ok('POST', `${path}/replies`, replyOf('Me too'))
  await member.ok('POST', `${path}/handback`, { answersOld: false })
  await member.ok('POST', `${path}/handback`, { answersOld: false })
  await member.ok('PUT', `${path}/bot`, { mayWrite: false })
  await owner.ok('PUT', `${path}/bot`, { mayWrite: false })
  await owner.ok('PUT', `${path}/bot`, { mayWrite: true })
  await takeOver(app.db, { accountId: account.accountId, contactId: await contactOf(app) })
  assert.deepEqual(await events(owner, path), [
    ['taken over', 2, 'owner1'],
    ['taken over', 3, 'Mia Member'],
    ['handed back', 4, 'Mia Member'],
    ['switched off', 4, 'Mia Member'],
    ['handed back', 4, 'owner1'],
    ['taken over', 4, null],
  ])
})

test('a contact who asks for a person, and a bot that comes back by itself, are told in the thread', async () => {
  await using inbox = await startWithBot()
  const { app, account, owner, pathOf } = inbox
  await write(account, 'I want to talk to a human please')
  await untilAnswered(app)
  const path = await pathOf()
  const { handler, handlerReason, conversation: row } = await owner.ok('GET', path)
  assert.deepEqual([handler, handlerReason, row.waitingReason], ['person', 'requested', 'requested'])
  await owner.ok('POST', `${path}/replies`, replyOf('I am a human'))
  await passTime(app.db, '25 hours')
  await write(account, 'Thank you. And what is the meaning of life?')
  await untilAnswered(app)
  assert.deepEqual(await events(owner, path), [
    ['asked for a person', 1, null],
    ['taken over', 2, 'owner1'],
    ['handed back', 4, null],
  ])
})

test('a bot that is switched off for a contact stays off whoever writes, and answers new messages once it is on', async () => {
  await using inbox = await startWithBot()
  const { app, account, owner, pathOf } = inbox
  await write(account, 'Hello')
  await untilAnswered(app)
  const path = await pathOf()
  assert.equal((await owner.ok('PUT', `${path}/bot`, { mayWrite: false })).handler, 'off')
  const before = (await conversation(app)).length
  await owner.ok('POST', `${path}/replies`, replyOf('A person writes'))
  await write(account, 'What is the meaning of life?')
  await passTime(app.db, '25 hours')
  await write(account, 'Are you there?')
  await untilAnswered(app)
  const detail = await owner.ok('GET', path)
  assert.deepEqual([detail.handler, detail.botResumesAt, detail.contact.optedOutAt], ['off', null, null])
  assert.equal((await conversation(app)).length, before + 3, 'the bot wrote nothing')
  assert.equal((await owner.ok('PUT', `${path}/bot`, { mayWrite: true })).handler, 'bot')
  await untilAnswered(app)
  assert.equal((await conversation(app)).length, before + 3, 'old messages are not answered')
  await write(account, 'What is the sense of it all?')
  await untilAnswered(app)
  assert.equal((await conversation(app)).at(-1), 'bot: I do not know.')
})

test('a contact who has opted out is written to by the bot once a user allows it, and a person keeps the conversation', async () => {
  await using inbox = await startWithBot()
  const { app, account, owner, pathOf } = inbox
  await write(account, 'stop')
  await untilAnswered(app)
  const path = await pathOf()
  const { contact } = await owner.ok('GET', path)
  assert.ok(contact.optedOutAt !== null && contact.optedOutBy === 'contact')
  await owner.ok('POST', `${path}/replies`, replyOf('As you wish'))
  const allowed = await owner.ok('PUT', `${path}/bot`, { mayWrite: true })
  assert.deepEqual([allowed.contact.optedOutAt, allowed.handler], [null, 'person'])
  await owner.ok('PUT', `${path}/bot`, { mayWrite: true })
  await optOut(app.db, { accountId: account.accountId, contactId: await contactOf(app) })
  assert.deepEqual(await events(owner, path), [
    ['opted out', 1, null],
    ['taken over', 1, 'owner1'],
    ['opted in', 2, 'owner1'],
    ['opted out', 2, null],
  ])
})
