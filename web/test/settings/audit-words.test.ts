import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acts } from '@patchbay/contract/app/audit.ts'
import { actWords, idsOf } from '../../src/settings/audit/words.ts'

test('the audit names people and accounts, and shows ids on hover only', () => {
  const ids = {
    accountId: 'acc_1',
    campaignId: 'cmp_1',
    contactId: 'con_1',
    entryId: 'led_1',
    importId: 'imp_1',
    listId: 'lst_1',
  }
  const email = 'sub@example.com'
  for (const act of acts) {
    assert.doesNotMatch(actWords[act]({ ...ids, email, of: 'a list', credits: -5 }), /[a-z]{3}_1/, act)
  }
  assert.equal(actWords['visit began']({ ...ids, email }), 'Opened sub@example.com as its agency')
  assert.equal(
    actWords['movement reversed']({ entryId: 'led_1', credits: -5, email }),
    'Took 5 credits back of sub@example.com',
  )
  const imported = { importId: 'imp_1', rows: 3 }
  assert.equal(actWords['contacts imported'](imported), 'Imported a file of 3 rows')
  assert.equal(actWords['contacts imported']({ ...imported, listId: 'lst_1' }), 'Imported a file of 3 rows onto a list')
  assert.equal(
    actWords['contacts imported']({ ...imported, file: 'people.csv', listId: 'lst_1', list: 'Fair in May' }),
    'Imported people.csv of 3 rows onto the list Fair in May',
  )
  const exported = { of: 'a list', listId: 'lst_1' }
  assert.equal(actWords['contacts exported'](exported), 'Exported a list')
  assert.equal(actWords['contacts exported']({ ...exported, list: 'Fair in May' }), 'Exported the list Fair in May')
  assert.equal(
    actWords['contacts exported']({ of: 'a search', listId: 'lst_1', list: 'Fair in May' }),
    'Exported contacts that were searched for on the list Fair in May',
  )
  assert.equal(idsOf({ importId: 'imp_1', rows: 3 }), 'imp_1')
  assert.equal(idsOf({ rows: 3 }), undefined)
})
