import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deletedNotes, unsettledBefore, withMessage, withNewest, withOlder } from '../../src/inbox/data/thread-cache.ts'
import { delivery, event, message, note, sent } from './helpers.ts'

const pageOf = (seqs: number[], older: number | null) => ({
  messages: seqs.map((seq) => message(seq)),
  events: [],
  notes: [],
  older,
})
const seqsOf = ({ messages }: { messages: readonly { seq: number }[] }) => messages.map(({ seq }) => seq)

test('the newest page is put over what is loaded, and what was loaded before it stays', () => {
  const loaded = pageOf([1, 2, 3, 4], null)
  const changed = {
    messages: [message(3, { body: 'changed' }), message(4), message(5)],
    events: [event(5)],
    notes: [],
    older: 3,
  }
  const joined = withNewest(loaded, changed)
  assert.deepEqual(seqsOf(joined), [1, 2, 3, 4, 5])
  assert.equal(joined.messages[2]?.body, 'changed')
  assert.equal(joined.older, null)
  assert.equal(joined.events.length, 1)
})

test('a thread never has a gap: a page that does not reach down to the loaded messages replaces them', () => {
  const joined = withNewest(pageOf([1, 2], null), pageOf([9, 10], 9))
  assert.deepEqual(seqsOf(joined), [9, 10])
  assert.equal(joined.older, 9)
  assert.deepEqual(seqsOf(withNewest(pageOf([1, 2], null), pageOf([3, 4], 3))), [1, 2, 3, 4])
})

test('a reply that was acknowledged while the page was read stays in the thread', () => {
  const loaded = withMessage(pageOf([1, 2], null), sent(3))
  assert.deepEqual(seqsOf(withNewest(loaded, pageOf([1, 2], null))), [1, 2, 3])
  assert.deepEqual(seqsOf(withMessage(loaded, sent(3, { body: 'again' }))), [1, 2, 3])
})

test('an older page goes before what is loaded and says where the next one ends', () => {
  const joined = withOlder(pageOf([5, 6], 5), pageOf([3, 4], 3))
  assert.deepEqual(seqsOf(joined), [3, 4, 5, 6])
  assert.equal(joined.older, 3)
  assert.equal(withOlder(joined, pageOf([1, 2], null)).older, null)
})

test('a page read again in the middle updates its messages and keeps the beginning of the thread', () => {
  const open = sent(2, { delivery: delivery('Failed') })
  const loaded = { messages: [message(1), open, message(3), message(4)], events: [], notes: [], older: null }
  assert.equal(unsettledBefore(loaded, 4), 3)
  const joined = withOlder(loaded, { messages: [sent(2)], events: [], notes: [], older: 2 })
  assert.equal(joined.messages[1]?.delivery?.status, 'Sent')
  assert.equal(joined.older, null)
  assert.equal(unsettledBefore(joined, 4), undefined)
})

test('a note that the newest page lacks was deleted, unless it is before the page or was not known when it was read', () => {
  const known = { ...pageOf([1, 2, 3, 4], null), notes: [note(1), note(3), note(4)] }
  assert.deepEqual(deletedNotes(known, { ...pageOf([3, 4], 3), notes: [note(4)] }), ['note_3'])
  assert.deepEqual(deletedNotes(known, { ...pageOf([1, 2, 3, 4], null), notes: [] }), ['note_1', 'note_3', 'note_4'])
  assert.deepEqual(deletedNotes(undefined, pageOf([1], null)), [])
})
