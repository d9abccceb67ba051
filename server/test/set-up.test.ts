import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runTests } from './helpers/test-runs.ts'

for (const statement of ['create database', 'schema_migrations']) {
  test(`a set-up of the tests that fails at "${statement}" leaves neither PostgreSQL running nor its folder`, async () => {
    const run = await runTests('server/test/refused-setup.ts', { REFUSED_STATEMENT: statement })
    assert.match(run.output, new RegExp(`refused: ${statement}`))
    assert.notEqual(run.code, 0)
    assert.deepEqual([run.processes, run.folders], [[], []])
  })
}
