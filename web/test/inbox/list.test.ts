import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Conversation } from '@patchbay/contract/app/conversations.ts'
import { followingOf, messagesOf, newestOf, nextOf } from '../../src/data/search-pages.ts'
import { withFirstPage, withNextPage, withRow } from '../../src/inbox/data/list-cache.ts'
import type { View } from '../../src/inbox/filters.ts'
import { leftWaiting } from '../../src/inbox/list/left-waiting.ts'
import { headings, listKeys } from '../../src/inbox/list/list-keys.ts'
import { steadyOrder } from '../../src/inbox/list/steady-order.ts'
import { conversation, minute } from './helpers.ts'

const rows = (...minutes: number[]) => minutes.map((at) => conversation(`c${at}`, at))
const looking = (view: View) => ({ view, userId: 'usr_1' })
const ids = ({ rows }: { rows: readonly { contactId: string }[] }) => rows.map(({ contactId }) => contactId)

test('the first page, read again, moves rows up and keeps those after it', () => {
  const loaded = { rows: rows(9, 8, 7, 6, 5), next: 'after 5' }
  const up = conversation('c6', 10)
  const joined = withFirstPage(loaded, { rows: [up, ...rows(9, 8)], next: 'after 8' })
  assert.deepEqual(ids(joined), ['c6', 'c9', 'c8', 'c7', 'c5'])
  assert.equal(joined.next, 'after 5')
})

test('a row that the first page should contain and does not is gone', () => {
  const joined = withFirstPage({ rows: rows(9, 8, 7, 6), next: null }, { rows: rows(9, 7), next: 'after 7' })
  assert.deepEqual(ids(joined), ['c9', 'c7', 'c6'])
  assert.deepEqual(ids(withFirstPage({ rows: rows(9, 8), next: null }, { rows: rows(9), next: null })), ['c9'])
})

test('when the page does not reach down to the loaded rows, they are read anew', () => {
  const joined = withFirstPage({ rows: rows(3, 2), next: 'after 2' }, { rows: rows(9, 8), next: 'after 8' })
  assert.deepEqual(ids(joined), ['c9', 'c8'])
  assert.equal(joined.next, 'after 8')
})

test('a conversation that moved up between two pages is listed once', () => {
  const joined = withNextPage({ rows: rows(9, 8), next: 'after 8' }, { rows: rows(8, 7), next: null })
  assert.deepEqual(ids(joined), ['c9', 'c8', 'c7'])
})

test('one row is updated in its place, moved when it is newer, and leaves a filter that no longer applies', () => {
  const loaded = { rows: rows(9, 8, 7), next: null }
  assert.deepEqual(ids(withRow(loaded, conversation('c7', 10), looking('all'))), ['c7', 'c9', 'c8'])
  assert.deepEqual(ids(withRow(loaded, conversation('c8', 8, { unread: 2 }), looking('unread'))), ['c9', 'c8', 'c7'])
  assert.deepEqual(ids(withRow(loaded, conversation('c8', 8), looking('unread'))), ['c9', 'c7'])
  assert.deepEqual(ids(withRow(loaded, conversation('c1', 1), looking('all'))), ['c9', 'c8', 'c7'])
})

test('a row is in the lists of its state only, in "mine" if it is, and in "failed" whatever its state', () => {
  const mine = { id: 'usr_1', name: 'Tom' }
  const views: View[] = ['all', 'mine', 'unread', 'waiting', 'failed', 'closed', 'snoozed', 'channel:Web chat', 'tag:x']
  const fields = { unread: 1, waitingSince: minute(1), hasFailed: true, assignee: mine }
  const viewsOf = (more: Partial<Conversation>) =>
    views.filter((view) => {
      const loaded = { rows: [conversation('c1', 1)], next: null }
      return ids(withRow(loaded, conversation('c1', 1, { ...fields, ...more }), looking(view))).length > 0
    })
  assert.deepEqual(viewsOf({}), ['all', 'mine', 'unread', 'waiting', 'failed', 'channel:Web chat', 'tag:x'])
  assert.deepEqual(viewsOf({ state: 'closed' }), ['failed', 'closed', 'tag:x'])
  assert.deepEqual(viewsOf({ state: 'snoozed', snoozedUntil: minute(9) }), ['failed', 'snoozed', 'tag:x'])
  assert.ok(!viewsOf({ assignee: { id: 'usr_2', name: 'Mia' } }).includes('mine'))
})

test('"All" begins with those who wait for a person, and lists nobody twice', () => {
  const waiting = [conversation('c8', 8, { waitingSince: minute(8) })]
  assert.deepEqual(listKeys('all', rows(9, 8, 7), waiting), [headings.waiting, 'c8', headings.newest, 'c9', 'c7'])
  assert.deepEqual(listKeys('all', rows(9, 8), []), ['c9', 'c8'])
  assert.deepEqual(listKeys('waiting', waiting, []), [headings.waiting, 'c8'])
  assert.deepEqual(listKeys('failed', rows(9), waiting), ['c9'])
})

test('nothing moves under the pointer: rows keep their places, and only rows of the next page are added', () => {
  const held = { isHeld: true, keep: undefined }
  assert.deepEqual(steadyOrder(['a', 'b', 'c'], ['new', 'c', 'a', 'd'], held), ['a', 'b', 'c', 'd'])
  assert.deepEqual(steadyOrder(['a', 'b'], ['new', 'b'], { ...held, isHeld: false }), ['new', 'b'])
})

test('the open conversation stays in "Unread" where it was, until another is opened', () => {
  const free = { isHeld: false, keep: 'b' }
  assert.deepEqual(steadyOrder(['a', 'b', 'c'], ['a', 'c'], free), ['a', 'b', 'c'])
  assert.deepEqual(steadyOrder(['a', 'b', 'c'], ['a', 'c'], { ...free, keep: 'a' }), ['a', 'c'])
})

/** A page of a search with the messages of these ids. */
const page = (ids: number[], next: number | null) => ({
  people: [],
  hasMorePeople: false,
  lists: [],
  hasMoreLists: false,
  next: next === null ? null : idOf(next),
  messages: ids.map((n) => ({ ...said, messageId: idOf(n) })),
})
const idOf = (n: number) => `msg_${String(n).padStart(32, '0')}`
const said = {
  contactId: 'c1',
  contactName: null,
  channel: { label: 'Web chat', name: 'Web chat', kind: null, colour: 1 },
  text: '',
  marks: [],
  at: minute(1),
}
const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from - n)

test('a search goes on until all is searched, or the newest twenty cannot be other ones', () => {
  assert.equal(nextOf([page([], 90)]), idOf(90))
  assert.equal(nextOf([page(range(99, 19), 70)]), idOf(70))
  assert.equal(nextOf([page(range(99, 12), 70), page(range(69, 8), 50)]), undefined)
  assert.equal(
    nextOf([page(range(99, 12), 70), page([...range(69, 7), 10], 50)]),
    idOf(50),
    'one between 50 and 10 is newer',
  )
  assert.equal(nextOf([page([99], 70), page([], null)]), undefined)
})

test('messages of several pages are shown once each, the newest first', () => {
  const found = newestOf([page([99, 40], 70), page([60, 40], 50), page(range(49, 30), null)])
  assert.deepEqual(found?.map(({ messageId }) => messageId).slice(0, 5), [99, 60, 49, 48, 47].map(idOf))
  assert.equal(found?.length, 20)
  assert.equal(new Set(found?.map(({ messageId }) => messageId)).size, 20)
})

test('after the newest twenty a search goes on when somebody wants more, from the oldest that is shown', () => {
  const first = { pages: [page(range(99, 12), 70), page(range(69, 8), 50)], params: [{}, { before: idOf(70) }] }
  assert.deepEqual(followingOf(first), { param: { older: idOf(62) }, isByItself: false })
  const second = {
    pages: [...first.pages, page(range(61, 5), 40)],
    params: [...first.params, { older: idOf(62) }],
  }
  assert.deepEqual(followingOf(second), { param: { older: idOf(62), before: idOf(40) }, isByItself: true })
  const all = {
    pages: [...second.pages, page(range(39, 3), null)],
    params: [...second.params, { older: idOf(62), before: idOf(40) }],
  }
  assert.equal(followingOf(all), undefined)
  const shown = [...range(99, 12), ...range(69, 8), ...range(61, 5), ...range(39, 3)]
  assert.deepEqual(
    messagesOf(all)?.map(({ messageId }) => messageId),
    shown.map(idOf),
  )
})

test('from a conversation that was answered in "All", the next one is who waited after it', () => {
  const { waiting, newest } = headings
  const was = [waiting, 'a', 'b', 'c', newest, 'd']
  const is = [waiting, 'a', 'c', newest, 'b', 'd']
  const left = leftWaiting(undefined, 'b', { was, is })
  assert.deepEqual(left, { id: 'b', nextId: 'c' })
  assert.deepEqual(leftWaiting(left, 'b', { was: is, is: [waiting, 'a', 'c', newest, 'd', 'b'] }), left, 'it stays so')
  const answered = { was: is, is: [waiting, 'a', newest, 'c', 'b', 'd'] }
  assert.deepEqual(leftWaiting(left, 'b', answered), { id: 'b', nextId: 'a' }, 'the next was answered meanwhile')
  assert.equal(leftWaiting(left, 'b', { was: is, is: ['c', 'b', 'd'] }), undefined, 'nobody waits any more')
  assert.equal(leftWaiting(left, 'd', { was: is, is }), undefined, 'until another one is opened')
  const last = leftWaiting(undefined, 'c', { was: is, is: [waiting, 'a', newest, 'c', 'b', 'd'] })
  assert.deepEqual(last, { id: 'c', nextId: 'a' }, 'after the last of them, the first')
  assert.equal(leftWaiting(undefined, 'a', { was: [waiting, 'a', newest, 'd'], is: ['a', 'd'] }), undefined)
})
