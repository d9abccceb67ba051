import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storesWithStatements } from '../../../scripts/describe-statements.ts'
import { startApp } from '../../helpers/harness.ts'

/** Of an index scan: it goes by the account alone, and then leaves out all rows but one. */
const readsWholeAccount =
  /Index (?:Only )?Scan using (\w+).*\n *Index Cond: \(account_id = [^\n]*\n *Filter: \([^\n]*\b(?:contact_id|id|message_id) = /

test('in a new database, before any statistics, no prepared statement reads all rows of an account to find one', async () => {
  await using app = await startApp()
  const client = await app.pools.batch.connect()
  const offenders: string[] = []
  for (const [name, statement] of Object.values(storesWithStatements).flatMap((one) => Object.entries(one))) {
    const parameters = new Set(statement.match(/\$\d+/g)).size
    const nulls = Array.from({ length: parameters }, () => 'null').join()
    await client.query(`prepare planned as ${statement}`)
    const given = parameters === 0 ? '' : `(${nulls})`
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) execute planned ${given}`)
    await client.query('deallocate planned')
    const [, index] = readsWholeAccount.exec(rows.map((row) => row['QUERY PLAN']).join('\n')) ?? []
    if (index) offenders.push(`${name} by ${index}`)
  }
  client.release()
  assert.deepEqual(offenders, [])
})
