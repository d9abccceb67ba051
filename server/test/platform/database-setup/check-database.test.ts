import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDbForLongStatements } from '../../../src/platform/database/db.ts'
import { checkDatabase } from '../../../src/platform/database-setup/check-database.ts'
import { makeDatabase, runStatement } from '../../helpers/databases.ts'
import { silentLog } from '../../helpers/knowledge.ts'
import { startReplicated } from '../../helpers/replica.ts'

test('a database that acknowledges before its own disk, or before its synchronous standby, is refused', async () => {
  await using world = new AsyncDisposableStack()
  const { primary } = world.use(await startReplicated())
  const address = { host: primary.folder, user: 'patchbay', database: 'postgres' }
  const checkWith = async (synchronousCommit: string) => {
    await runStatement(address, `alter role patchbay set synchronous_commit = ${synchronousCommit}`)
    await using db = openDbForLongStatements(address, silentLog)
    await checkDatabase(db, 'shared')
  }
  await checkWith('on')
  await assert.rejects(checkWith('off'), /synchronous_commit off/)
  await assert.rejects(checkWith('local'), /synchronous_commit = local, so a failover to its synchronous standby/)
})

test('without a synchronous standby there is nothing else to wait for than the disk', async () => {
  await using database = await makeDatabase()
  const setting = `alter database %I set synchronous_commit = local`
  await runStatement(database.address, `do $$ begin execute format('${setting}', current_database()); end $$`)
  await using db = openDbForLongStatements(database.address, silentLog)
  await checkDatabase(db, 'shared')
})
