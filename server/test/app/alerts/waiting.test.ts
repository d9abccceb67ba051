import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { changeConversation } from '../../../src/journey/conversations/conversation-store.ts'
import { alertsOf, beginToWait, setWaiting, startAlerting } from '../../helpers/alerts.ts'
import { write } from '../../helpers/bots.ts'
import { passTime, saveUrl } from '../../helpers/deliveries.ts'
import { until } from '../../helpers/until.ts'

test('a conversation that begins to wait is told once, and again when it begins anew', async () => {
  await using world = await startAlerting()
  const { app, account, look, told } = world
  const { accountId } = account
  const contactId = await beginToWait(app, account, 'ana', { firstName: 'Ana' })
  await look()
  await look()
  const [alert = assert.fail(), ...more] = await told()
  assert.equal(more.length, 0)
  assert.deepEqual([alert.event, alert.accountId, alert.details.count], ['conversation.waiting', accountId, 1])
  assert.equal(alert.link, `https://chat.example.com/inbox/${contactId}?filter=waiting`)
  assert.equal(alert.text, `Somebody waits for a person. ${alert.link}`)
  assert.equal(alert.content, alert.text)
  for (const minutes of [1, 2, 5, 60]) {
    await passTime(app.db, `${minutes} minutes`)
    await look()
    await setWaiting(app, { accountId, contactId }, true) // it asks again, and waits since the first time
  }
  assert.equal((await told()).length, 1)
  await setWaiting(app, { accountId, contactId }, false)
  await setWaiting(app, { accountId, contactId }, true)
  await look()
  assert.equal((await told()).length, 2)
  const { rows } = await sql`select from alert_states where condition = 'conversation'`.execute(app.db)
  assert.equal(rows.length, 1, 'what was told long ago is not kept')
})

test('many that begin to wait within a minute are told together: the first at once, the rest in the next alert', async () => {
  await using world = await startAlerting()
  const { app, account, look, told } = world
  await beginToWait(app, account, 'first')
  await look()
  for (let n = 0; n < 30; n += 1) await write(account, 'Hello?', { fromId: `from ${n}`, firstName: `Name${n}` })
  await sql`update conversations set waiting_since = clock_timestamp(), waiting_reason = 'asked_for_person'
    where waiting_since is null`.execute(app.db)
  await look()
  assert.equal((await told()).length, 1)
  await sql`update conversations set waiting_since = null where contact_id = (select min(id) from contacts
    where first_name = 'Name29')`.execute(app.db)
  await passTime(app.db, '61 seconds')
  await look()
  await look()
  const [, second = assert.fail(), ...more] = await told()
  assert.equal(more.length, 0)
  assert.equal(second.text, `29 conversations wait for a person. https://chat.example.com/inbox?filter=waiting`)
  assert.equal((second.details.conversations as unknown[]).length, 5)
})

test('two processes that look at the same moment tell once, and one that dies before its commit has told nothing', async () => {
  await using world = await startAlerting()
  const { app, account, look, lookBeside, told } = world
  await beginToWait(app, account, 'ana')
  await Promise.all([look(), lookBeside(), look(), lookBeside()])
  assert.equal((await told()).length, 1)

  await passTime(app.db, '2 minutes')
  await beginToWait(app, account, 'ben')
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const blocking = app.db.transaction().execute(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx)
    await sql`lock table deliveries in share mode`.execute(tx)
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const killed = assert.rejects(look())
  await until(async () => {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%enqueued as materialized%'
    `.execute(app.db)
    return rows.length > 0
  }, 'it does not write the alert')
  await killed
  released.resolve()
  await blocking
  assert.equal((await told()).length, 1)
  await Promise.all([look(), lookBeside()])
  assert.equal((await told()).length, 2)
})

test('one whose transaction commits after a later one was told is not missed', async () => {
  await using world = await startAlerting()
  const { app, account, look, told } = world
  const { accountId } = account
  const late = await beginToWait(app, account, 'late')
  await setWaiting(app, { accountId, contactId: late }, false)
  await app.db.transaction().execute(async (tx) => {
    await changeConversation(tx, { accountId, contactId: late }, { waiting: 'asked_for_person' })
    await beginToWait(app, account, 'early')
    await look()
    assert.equal((await told()).length, 1)
  })
  await passTime(app.db, '61 seconds')
  await look()
  const [, second = assert.fail()] = await told()
  assert.deepEqual(
    (second.details.conversations as { contactId: string }[]).map(({ contactId }) => contactId),
    [late],
  )
})

test('those that waited before the address was saved, or while they were not wanted, are not told', async () => {
  await using world = await startAlerting()
  const { app, look } = world
  const account = await app.makeAccount()
  await beginToWait(app, account, 'before')
  await saveUrl(app, account, 'http://127.0.0.1:9/alerts', 'alert')
  await look()
  assert.deepEqual(await alertsOf(app, account.accountId), [])
})

const hostile = [
  '@everyone <!channel> <@U123> @here',
  '<https://evil.example|click> [click](https://evil.example) www.evil.example',
  '**bold** _it_ ~~no~~ `code` ||spoiler|| # head > quote',
  '\u202eevil\u0007\u200b\n\nfake line\r:rotating_light:',
  `Z${'\u0301'.repeat(120)}algo ${'x'.repeat(120)}`,
]

test('a name that a stranger chose is plain text in an alert: it mentions nobody, links nowhere and covers nothing', async () => {
  await using world = await startAlerting()
  const { app, account, look, told } = world
  await sql`insert into alert_settings (account_id, names_contacts) values (${account.accountId}, true)`.execute(app.db)
  for (const [n, firstName] of hostile.entries()) await beginToWait(app, account, `from ${n}`, { firstName })
  await look()
  const [alert = assert.fail()] = await told()
  const text = alert.text.replace(alert.link ?? '', '').trim()
  assert.match(text, /^5 conversations wait for a person: everyone channel U123 here, /)
  assert.doesNotMatch(text, /[^\p{L}\p{M}\p{N} '’,.:;!?()%+…-]|\S\.\S|\p{M}{4,}/u)
  assert.ok(text.length < 400, text)
  assert.deepEqual([alert.mrkdwn, alert.allowed_mentions], [false, { parse: [] }])
  assert.ok(alert.content.length <= 2_000)
})

test('without the switch no alert names a contact, and none ever has a word of a message', async () => {
  await using world = await startAlerting()
  const { app, account, look, told } = world
  await beginToWait(app, account, 'from-zebulonia', { firstName: 'Zebulonia' })
  await look()
  const text = JSON.stringify(await told())
  for (const word of ['Zebulonia', 'zebulonia', 'anybody']) assert.ok(!text.includes(word), word)
})
