import assert from 'node:assert/strict'
import { test } from 'node:test'
import { broadcastWords } from '../src/broadcasts/words.ts'
import { sayDecision } from '../src/inbox/thread/why-words.ts'
import { reachWords } from '../src/lists/reach-words.ts'
import { reportWords } from '../src/reports/words.ts'

test('how many of a list can be reached is said in sentences that hold for none, one and many', () => {
  const say = (...[contacts, optedOut, withId, byPhone, byEmail]: [number, number, number, number, number]) =>
    reachWords.reach({ contacts, optedOut, withId, byPhone, byEmail })
  assert.equal(say(5, 0, 5, 0, 0), 'All 5 can be reached by their ID.')
  assert.equal(say(5, 1, 4, 0, 0), 'All 4 can be reached by their ID. 1 opted out.')
  assert.equal(say(1, 0, 1, 0, 0), 'The one contact can be reached by their ID.')
  assert.equal(say(2, 2, 0, 0, 0), 'Nobody can be reached: everybody has opted out.')
  assert.equal(
    say(3, 0, 0, 0, 0),
    'Nobody can be reached: no ID, and no phone number or e-mail address that could become one.',
  )
  assert.equal(
    say(3, 0, 0, 3, 1),
    'None of 3 has an ID yet. A broadcast can reach 3 by phone number, or 1 by e-mail address.',
  )
  assert.equal(
    say(2, 1, 0, 1, 1),
    'The one contact has no ID yet. A broadcast can reach them by phone number, or by e-mail address. 1 opted out.',
  )
  assert.equal(say(5, 0, 1, 4, 0), '1 of 5 can be reached by their ID. A broadcast can reach 4 more by phone number.')
  assert.equal(
    say(5, 0, 4, 0, 1),
    '4 of 5 can be reached by their ID. A broadcast can reach the other by e-mail address.',
  )
  assert.equal(
    say(6, 1, 4, 0, 0),
    '4 of 5 can be reached by their ID. The other cannot be reached: no ID, and no phone number or e-mail address that could become one. 1 opted out.',
  )
})

test('why nobody gets a broadcast, and why some do not, is what was chosen and what is so', () => {
  const { nobodySays, idFromNone, leftOutWhy, leftOutReasons } = broadcastWords
  const all = { contacts: 2, optedOut: 2, noId: 0, idFrom: undefined, isOverChannel: false }
  assert.equal(nobodySays(all), 'Everybody has opted out.')
  assert.equal(nobodySays({ ...all, contacts: 0, optedOut: 0 }), 'Nobody is on it yet.')
  assert.match(nobodySays({ ...all, optedOut: 1, noId: 1 }), /Change it, and choose what becomes their ID/)
  assert.equal(
    nobodySays({ ...all, optedOut: 1, idFrom: 'phone' }),
    'Everybody has opted out, or can get no ID.',
    'it was chosen',
  )
  assert.deepEqual([idFromNone(1), idFromNone(2)], ['1 gets no message', '2 get no message'])
  const custom = { channelId: null }
  assert.equal(leftOutWhy('noAddress', { ...custom, idFrom: 'email' }), 'Have no ID and no e-mail address')
  assert.equal(leftOutReasons('no_address', { ...custom, idFrom: 'phone' }), 'No phone number')
  assert.equal(leftOutReasons('no_id', { ...custom, idFrom: null }), 'No ID')
  const builtIn = { channelId: 'chn_1', idFrom: null }
  assert.equal(leftOutReasons('no_id', builtIn), 'Not known there', 'nobody needs an ID there')
  assert.equal(leftOutWhy('noId', builtIn), 'Not known on the channel, and no number for it')
  assert.doesNotMatch(nobodySays({ ...all, optedOut: 1, noId: 1, isOverChannel: true }), /ID/)
})

test('what is said of a miss and of a resolved day is true of every campaign, as it is counted', () => {
  const answer = { outcome: 'fell back', reason: 'misses', engine: 'builtin' } as Parameters<typeof sayDecision>[0]
  assert.doesNotMatch(sayDecision(answer).rest, /again/, 'the first miss may be the one that calls')
  assert.match(reportWords.about.resolved(null), /the bot handed over to none/)
})
