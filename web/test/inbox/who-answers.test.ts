import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConversationDetail } from '@patchbay/contract/app/conversations.ts'
import { whoAnswers } from '../../src/inbox/who-answers.ts'
import { sayWhoAnswers } from '../../src/inbox/who-answers-words.ts'
import { conversation, minute } from './helpers.ts'

function detail(fields: Partial<ConversationDetail> = {}): ConversationDetail {
  return {
    conversation: conversation('con_1', 1),
    contact: {
      id: 'con_1',
      firstName: 'Dev',
      lastName: null,
      phone: null,
      email: null,
      externalId: null,
      isSimulated: false,
      createdAt: minute(0),
      optedOutAt: null,
      optedOutBy: null,
    },
    handler: 'bot',
    handlerReason: null,
    handlerSince: null,
    handlerUser: null,
    askedToBeDeletedAt: null,
    tags: [],
    botResumesAt: null,
    botActive: true,
    campaign: null,
    lists: [],
    replies: { sent: 0, failed: 0, inDoubt: 0, waiting: 0 },
    readSeq: 0,
    replyBy: { usual: null, ways: [] },
    ...fields,
  }
}

const facts = { contact: 'Dev', since: '2 min ago', resumes: null, colleague: null, isMine: true, optedOutOn: '12 Nov' }
const say = (fields: Partial<ConversationDetail>) => {
  const { title, rest } = sayWhoAnswers(whoAnswers(detail(fields)), facts)
  return `${title} ${rest}`
}

test('every reason for which a person has a conversation has its sentence', () => {
  const person = (handlerReason: string) => say({ handler: 'person', handlerReason })
  assert.equal(person('requested'), 'Dev asked for a person 2 min ago. The bot is silent.')
  assert.equal(person('taken over'), 'Bot paused here. It resumes when you hand back.')
  assert.equal(person('engine_error'), 'Its engine failed, so it called you 2 min ago.')
  assert.match(person('stale'), /^Too old to answer by itself\./)
  assert.match(person('no_credits'), /^No credits left\./)
  assert.match(person('handover'), /^The bot called you/)
  assert.match(person('something new'), /^The bot called you/)
})

test('while somebody is awaited neither side is plugged; who typed or took over has it', () => {
  assert.equal(whoAnswers(detail({ handler: 'person', handlerReason: 'requested' })).plugged, null)
  assert.equal(whoAnswers(detail({ handler: 'person', handlerReason: 'typed' })).plugged, 'person')
  assert.equal(whoAnswers(detail()).plugged, 'bot')
})

test('the bot says why it waits although it has the conversation', () => {
  const waiting = (waitingReason: string) =>
    whoAnswers(detail({ conversation: conversation('c', 1, { waitingSince: minute(1), waitingReason }) })).state
  assert.deepEqual(
    ['misses', 'no_credits', 'no_campaign', 'campaign_paused', 'loop', 'daily_limit', 'bot_off', 'unknown'].map(
      waiting,
    ),
    [
      ...['bot, missed', 'bot, no credits', 'bot, no campaign', 'bot, campaign paused', 'bot, limit', 'bot, limit'],
      ...['bot switched off', 'bot'],
    ],
  )
  assert.equal(whoAnswers(detail({ botActive: false })).state, 'bot switched off')
})

test('the bot says what it cannot do on a built-in channel', () => {
  const waiting = (waitingReason: string) =>
    say({ conversation: conversation('c', 1, { waitingSince: minute(1), waitingReason }) })
  assert.equal(waiting('file_only'), 'A file came without a word. The bot reads text alone; a person is awaited.')
  assert.equal(waiting('stopped'), 'Dev has blocked this channel. Nothing can be sent until they write again.')
  const deletion = conversation('c', 1, { waitingSince: minute(1), waitingReason: 'asked_to_be_deleted' })
  assert.match(say({ conversation: deletion, botActive: false }), /^Dev asked to be deleted\. A person decides/)
  const had = detail({ conversation: deletion, handler: 'person', handlerReason: 'typed' })
  assert.deepEqual([whoAnswers(had).state, whoAnswers(had).plugged], ['deletion', 'person'])
  for (const reason of ['channel_removed', 'no_address'])
    assert.match(waiting(reason), /^Nothing can be sent over this channel\./)
})

test('an opt-out of the contact and a switch of ours are told apart', () => {
  const { contact } = detail()
  const optedOut = { ...contact, optedOutAt: minute(0), optedOutBy: 'contact' } as const
  assert.equal(say({ contact: optedOut }), 'Asked not to be written to on 12 Nov. You still can.')
  assert.equal(say({ handler: 'off', handlerReason: 'switched off' }), 'Bot is off for Dev. You can write.')
  assert.equal(say({ contact: { ...optedOut, optedOutBy: 'operator' } }), 'Bot is off for Dev. You can write.')
})
