import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runTests } from '../../server/test/helpers/test-runs.ts'

test('a set-up of the browser tests whose browser does not start leaves neither PostgreSQL running nor its folder', async () => {
  const run = await runTests('web/test/setup.ts', { CHROMIUM: '/there/is/no/browser' })
  assert.match(run.output, /there\/is\/no\/browser/)
  assert.notEqual(run.code, 0)
  assert.deepEqual([run.processes, run.folders], [[], []])
})
