import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { openWorkDb } from '../../../../src/platform/database/db.ts'
import { write } from '../../../helpers/bots.ts'
import { assertRefusedCommand, readDocument, startShopWithCommands } from '../../../helpers/commands.ts'
import { sharedApp, startApp } from '../../../helpers/harness.ts'
import { startInbox } from '../../../helpers/inbox.ts'
import { makeOlder, removeOld } from '../../../helpers/retention.ts'

const path = '/api/account/retention'

test('an owner keeps messages for a shorter time than the installation, never for longer, and it is written down', async () => {
  await using inbox = await startInbox(startApp({ KEEP_MESSAGES_DAYS: '90' }))
  const { app, account, owner, member } = inbox
  const ruleOf = ({ rules }: { rules: { kind: string }[] }) => rules.find(({ kind }) => kind === 'messages')
  assert.deepEqual(ruleOf(await owner.ok('GET', path)), { kind: 'messages', days: null, most: 90 })
  assert.equal((await member.call('PUT', path, { kind: 'messages', keepDays: 30 })).status, 403)
  const longer = await owner.call('PUT', path, { kind: 'messages', keepDays: 91 })
  assert.deepEqual(
    [longer.status, longer.body.error.message],
    [400, 'This installation keeps messages for 90 days at most.'],
  )
  for (const keepDays of [0, 1.5, '30', 36_501]) {
    assert.equal((await owner.call('PUT', path, { kind: 'messages', keepDays })).status, 400)
  }
  assert.equal((await owner.call('PUT', path, { kind: 'audit', keepDays: 1 })).status, 400, 'the audit is not theirs')

  const other = await app.makeAccount()
  const old = await write(account, 'Old')
  await write(account, 'New')
  await write(other, 'Old')
  await makeOlder(app.db, 31, [old])
  assert.deepEqual(await owner.ok('GET', `${path}/preview?keepDays=30`), { messages: 1, hasMore: false })
  assert.deepEqual(await owner.ok('GET', `${path}/preview?keepDays=32`), { messages: 0, hasMore: false })
  const saved = await owner.ok('PUT', path, { kind: 'messages', keepDays: 30 })
  assert.deepEqual(ruleOf(saved), { kind: 'messages', days: 30, most: 90 })
  const [line] = (await owner.ok('GET', '/api/audit')).events
  assert.deepEqual([line.act, line.details], ['retention changed', { kind: 'messages', days: 30 }])

  await makeOlder(app.db, 31)
  await write(account, 'Today')
  for (const _ of [1, 2]) await removeOld(app.db, { messages: 90 })
  const bodies = async (accountId: string) =>
    (await app.db.selectFrom('messages').select(['accountId', 'body']).execute())
      .filter((one) => one.accountId === accountId)
      .map(({ body }) => body)
  assert.deepEqual(await bodies(account.accountId), ['Today'])
  assert.deepEqual(await bodies(other.accountId), ['Old'], 'of another account')
  assert.deepEqual(ruleOf(await owner.ok('PUT', path, { kind: 'messages', keepDays: null })), {
    kind: 'messages',
    days: null,
    most: 90,
  })
})

test('the command keeps things of an account for a shorter time, and refuses what is no kind or no number of days', async () => {
  await using world = await startShopWithCommands()
  const { shop, commands } = world
  const set = (...args: string[]) => commands.run('account', 'retention', '--account', shop.email, ...args)
  const { rules } = readDocument(await set('--kind', 'attachments', '--days', '7', '--json'))
  assert.deepEqual(rules[1], { kind: 'attachments', days: 7, most: null })
  assert.deepEqual(readDocument(await set('--json')).rules[1], { kind: 'attachments', days: 7, most: null })
  assertRefusedCommand(await set('--kind', 'audit', '--days', '7'), /--kind must be one of messages/)
  assertRefusedCommand(await set('--kind', 'messages', '--days', 'x', '--yes'), /whole number from 1 to 36500/)
  assertRefusedCommand(await set('--kind', 'attempts', '--days', '31'), /keeps attempts for 30 days at most/)
  assertRefusedCommand(await set('--kind', 'messages'), /go together/)
})

test('a worker removes with the check that every query names its account', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const old = await write(account, 'Old')
  await makeOlder(app.db, 31, [old])
  await using db = openWorkDb(app.database.address, pino({ level: 'silent' }))
  await removeOld(db, { messages: 30, answers: 1, calls: 1 })
  assert.equal((await removeOld(db, { messages: 30 })).removed, 1)
})
