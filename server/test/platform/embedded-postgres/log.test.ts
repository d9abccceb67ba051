import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { embeddedPostgres } from '../../../src/platform/embedded-postgres/embedded-postgres.ts'
import { makeDataFolder } from '../../helpers/server-process.ts'
import { until } from '../../helpers/until.ts'

test('the log of the embedded database says what failed, without parameters, rows and statements', async () => {
  await using folder = await makeDataFolder()
  const embedded = embeddedPostgres(join(folder.path, 'postgres'))
  await embedded.ensureRunning()
  const client = new Client(embedded.connection)
  await client.connect()
  const ask = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows[0]
  const { size: from } = await ask('select size from pg_stat_file(pg_current_logfile())')
  await ask('create table people (phone text constraint one_each_in_the_log unique)')
  const insert = () => ask('insert into people (phone) values ($1)', ['+15550001111'])
  await insert()
  await assert.rejects(insert(), { code: '23505' })
  const read = async (): Promise<string> =>
    (await ask('select pg_read_file(pg_current_logfile(), $1, 1000000) as text', [from])).text
  await until(async () => (await read()).includes('one_each_in_the_log'), 'the error is not in the log')
  assert.doesNotMatch(await read(), /15550001111|insert into people/)
  await client.end()
  await embedded.stop('fast')
})
