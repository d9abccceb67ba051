import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillIn, matchReplies, slashBefore } from '../../src/inbox/compose/saved-text.ts'
import { snoozeTimes } from '../../src/inbox/team/snooze-times.ts'

test('a slash offers saved replies at the start of a word only, as far as it is typed before the caret', () => {
  assert.deepEqual(slashBefore('/', 1), { from: 0, typed: '' })
  assert.deepEqual(slashBefore('Hi /Lo and', 6), { from: 3, typed: 'lo' })
  assert.deepEqual(slashBefore('one\n/two', 8), { from: 4, typed: 'two' })
  for (const text of ['and/or', 'https://x', '/two words', 'Hi', '//'])
    assert.equal(slashBefore(text, text.length), null, text)
})

test('the first name is filled in as text; without one its comma goes too', () => {
  assert.equal(fillIn('Yes, {{firstName}}: a bike. Bye {{ firstName }}', '$& Ana'), 'Yes, $& Ana: a bike. Bye $& Ana')
  assert.equal(fillIn('Yes, {{firstName}}: a bike.', null), 'Yes: a bike.')
  assert.equal(fillIn('{{firstName}}, hello', '  '), ', hello')
})

test('shortcuts that begin as typed come before those that contain it', () => {
  const replies = ['hello', 'location', 'loan'].map((shortcut) => ({ id: shortcut, shortcut, body: '' }))
  assert.deepEqual(
    matchReplies(replies, 'lo').map(({ id }) => id),
    ['location', 'loan', 'hello'],
  )
  assert.deepEqual(matchReplies(replies, 'x'), [])
})

test('the offered times are later than now, in order, and in the morning', () => {
  for (let day = 0; day < 7; day += 1) {
    const now = new Date(2026, 10, 16 + day, 22, 30)
    const times = snoozeTimes(now).map(({ at }) => at)
    assert.ok(times.every((at) => at > now))
    assert.deepEqual(
      times.toSorted((a, b) => a.getTime() - b.getTime()),
      times,
    )
    assert.deepEqual(
      times.slice(1).map((at) => at.getHours()),
      times.slice(1).map(() => 9),
    )
    assert.ok(times.length === 2 || times[2]?.getDay() === 1)
  }
})
