import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDrafts } from '../../src/inbox/compose/drafts.ts'
import { openKeptRecords } from '../../src/inbox/compose/kept-records.ts'
import { openBrowser } from './helpers.ts'

test('a draft survives a reload, and is gone once it is emptied', () => {
  const browser = openBrowser()
  openDrafts(browser.openTab()).set('con_1', 'Also, bring the')
  const again = openDrafts(browser.openTab())
  assert.equal(again.get('con_1'), 'Also, bring the')
  assert.equal(again.get('con_2'), '')
  again.set('con_1', '')
  assert.equal(browser.records.size, 0)
})

test('a draft written in one tab shows in the other', () => {
  const browser = openBrowser()
  const [one, other] = [openDrafts(browser.openTab()), openDrafts(browser.openTab())]
  let told = 0
  other.subscribe(() => {
    told += 1
  })
  one.set('con_1', 'half a wo')
  assert.equal(other.get('con_1'), 'half a wo')
  one.set('con_1', '')
  assert.equal(other.get('con_1'), '')
  assert.equal(told, 2)
})

test('records of other accounts and other things are not touched', () => {
  const storage = fakeStorage({ 'draft/acc_2/usr_1/con_1': 'theirs', theme: 'dark' })
  const kept = openKeptRecords('draft/acc_1/usr_1/', storage)
  assert.deepEqual([...kept.readAll()], [])
  kept.write('con_1', 'mine')
  assert.deepEqual([...kept.readAll()], [['con_1', 'mine']])
  assert.equal(storage.getItem('draft/acc_2/usr_1/con_1'), 'theirs')
})

test('without storage drafts last until the page is left', () => {
  const blocked = new Proxy({} as Storage, {
    get: () => {
      throw new Error('blocked')
    },
  })
  const drafts = openDrafts(openKeptRecords('draft/', blocked))
  drafts.set('con_1', 'kept')
  assert.equal(drafts.get('con_1'), 'kept')
})

function fakeStorage(initial: Record<string, string>): Storage {
  const records = new Map(Object.entries(initial))
  return {
    get length() {
      return records.size
    },
    key: (index) => [...records.keys()][index] ?? null,
    getItem: (key) => records.get(key) ?? null,
    setItem: (key, value) => void records.set(key, value),
    removeItem: (key) => void records.delete(key),
    clear: () => records.clear(),
  }
}
