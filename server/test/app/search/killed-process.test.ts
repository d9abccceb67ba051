// Runs alone: takes long, another process looks through everything once a minute

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readReport } from '../../../src/app/reports/read/read-report.ts'
import { findLines, readWanted } from '../../../src/app/search/find-messages.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { startShared } from '../../helpers/shared-processes.ts'
import { until } from '../../helpers/until.ts'

const twoMinutes = 120_000

test('messages that a killed process had kept and told nobody of are found and counted by another one within two minutes', async () => {
  await using shared = await startShared()
  const { db, accountId, api } = shared
  await shared.start('worker')
  await db.updateTable('accounts').set({ botActive: false }).execute() // or its answers would tell of the messages
  const wanted = readWanted(accountId, 'lantern')
  assert.ok(wanted)
  const found = async () => (await findLines(db, accountId, wanted, { limit: 1_000 })).lines.length
  const counted = async () => (await readReport(db, accountId, { range: '7' })).total.messagesIn
  const send = (fromId: string) =>
    api.post(incomingPath, incoming({ fromId, messageSid: `of ${fromId}`, body: 'A lantern' }))

  // What it looks through at its start is behind it.
  await send('first')
  await until(async () => (await found()) === 1 && (await counted()) === 1, 'the first is not found')

  const sending = Array.from({ length: 40 }, (_, n) => send(`contact ${n}`).catch(() => undefined))
  await Promise.race(sending)
  api.child.kill('SIGKILL')
  await Promise.all(sending)
  const { length: kept } = await db.selectFrom('messages').select('id').where('author', '=', 'contact').execute()
  assert.ok(kept > 1)
  const isAll = async () => (await found()) === kept && (await counted()) === kept
  await until(isAll, `not all of ${kept} are found and counted`, twoMinutes)
})
