import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOuterSources, readSources, type Source } from '../helpers/sources.ts'

const home = 'server/src/journey/messages/activity-store.ts'
const generated = 'server/src/platform/database/tables.ts'

/** What names the indexed part of a conversation's activity, and must not. */
function complaints(sources: Source[]): string[] {
  const naming = sources.filter(({ text }) => /\bactive_step\b|\bactiveStep\b/.test(text))
  const isProduct = ({ file }: Source) => file.startsWith('server/') && !file.startsWith('server/test/')
  return [
    ...naming
      .filter((source) => isProduct(source) && source.file !== home && source.file !== generated)
      .map(({ file }) => `${file} names the column itself: use ${home}`),
    ...naming
      .filter((source) => !isProduct(source) && !source.text.includes('activity_step('))
      .map(({ file }) => `${file} must take steps from the database: activity_step()`),
  ]
}

test('what is known of the steps of activity stands in one file of the product, and how long they are in the database', async () => {
  const sources = [...(await readSources()), ...(await readOuterSources())]
  assert.deepEqual(complaints(sources.filter(({ file }) => !file.endsWith('architecture/activity.test.ts'))), [])
})

test('the check finds a second home', () => {
  const found = (file: string, text: string) => complaints([{ file, text }]).length
  assert.equal(found(home, 'c.active_step desc'), 0)
  assert.equal(found('server/src/app/x/store.ts', 'where c.active_step >= now()'), 1)
  assert.equal(found('server/src/app/x/store.ts', `select('activeStep')`), 1)
  assert.equal(found('lab/bench/x.ts', `set active_step = date_trunc('minute', now())`), 1)
  assert.equal(found('lab/bench/x.ts', 'set active_step = activity_step(now())'), 0)
})
