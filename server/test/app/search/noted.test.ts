import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pino } from 'pino'
import { indexNewMessages } from '../../../src/app/search/index-messages.ts'
import type { ContactId } from '../../../src/platform/ids.ts'
import { openListener } from '../../../src/platform/notify/listen.ts'
import { type NotedConversations, openNotedConversations } from '../../../src/platform/notify/noted-conversations.ts'
import { contactOf, write } from '../../helpers/bots.ts'
import { sharedApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { until } from '../../helpers/until.ts'

/** A worker of another process: it hears what the server says has changed. */
async function openOther(
  app: TestApp,
): Promise<{ noted: NotedConversations; [Symbol.asyncDispose]: () => Promise<void> }> {
  const listener = openListener(app.database.address, pino({ enabled: false }))
  let isListening = false
  listener.listen('patchbay_live', { onNotification: () => {}, onListening: () => (isListening = true) })
  const noted = openNotedConversations(listener)
  await until(() => isListening, 'it does not listen')
  noted.take()
  return { noted, [Symbol.asyncDispose]: listener.stop }
}

/** Waits until the conversation was noted, and leaves it noted. */
async function untilNoted(noted: NotedConversations, contactId: ContactId): Promise<void> {
  await until(() => {
    const all = noted.take()
    for (const [accountId, contactIds] of all ?? []) noted.note(accountId, contactIds)
    return [...(all?.values() ?? [])].some((contactIds) => contactIds?.has(contactId))
  }, 'it was not noted')
}

const found = async ({ db }: TestApp) =>
  (await db.selectFrom('searchMarks').select('contactId').execute()).map(({ contactId }) => contactId)

test('messages are added that another process has said are there, and what nobody said when everything is looked through', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  await using other = await openOther(app)
  await write(account, 'A lantern', { fromId: 'ana' })
  const ana = await contactOf(app, 'ana')
  await untilNoted(other.noted, ana)
  await write(account, 'A boat', { fromId: 'bo' })
  const bo = await contactOf(app, 'bo')
  await untilNoted(other.noted, bo)
  other.noted.take() // a process that dies loses what it had noted
  other.noted.note(account.accountId, [ana])
  await indexNewMessages(app.db, { noted: other.noted })
  assert.deepEqual(await found(app), [ana])
  other.noted.noteAll()
  await indexNewMessages(app.db, { noted: other.noted })
  assert.deepEqual((await found(app)).sort(), [ana, bo].sort())
})

test('what cannot be added stays noted: another process is at it, the round is over, or it fails', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  await using other = await openOther(app)
  const { noted } = other
  await write(account, 'A lantern', { fromId: 'ana' })
  const ana = await contactOf(app, 'ana')
  await untilNoted(noted, ana)

  await app.db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('message search', 0))`.execute(tx)
    await indexNewMessages(app.db, { noted })
    assert.deepEqual(await found(app), [])
  })
  await indexNewMessages(app.db, { noted, stopping: AbortSignal.abort() })
  await sql`alter table search_marks add constraint fails check (false)`.execute(app.db)
  await assert.rejects(indexNewMessages(app.db, { noted }), /fails/)
  await sql`alter table search_marks drop constraint fails`.execute(app.db)
  await indexNewMessages(app.db, { noted })
  assert.deepEqual(await found(app), [ana])
  assert.deepEqual(noted.take(), new Map())
})

/** Seven people write, and it is noted that any conversation of the account may have changed. */
async function noteAsWhole(app: TestApp, account: TestAccount, noted: NotedConversations): Promise<void> {
  for (let n = 0; n < 7; n += 1) await write(account, `Lantern ${n}`, { fromId: `person ${n}` })
  await untilNoted(noted, await contactOf(app, 'person 6'))
  noted.take()
  noted.note(account.accountId, undefined)
}

test('of an account that is noted as a whole all conversations are added, however many are kept in mind at once', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  await using other = await openOther(app)
  await noteAsWhole(app, account, other.noted)
  await indexNewMessages(app.db, { noted: other.noted, conversations: 3 })
  assert.equal((await found(app)).length, 7)
  assert.deepEqual(other.noted.take(), new Map())
})
