import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { endSnoozes } from '../../../../src/app/inbox/teamwork/end-snoozes.ts'
import { openDue } from '../../../../src/app/inbox/teamwork/state-store.ts'
import { removeMember } from '../../../../src/business/team/member-store.ts'
import { changeConversation } from '../../../../src/journey/conversations/conversation-store.ts'
import { contactOf, write } from '../../../helpers/bots.ts'
import { sendOne } from '../../../helpers/deliveries.ts'
import { type Browser, type Inbox, replyOf, startInbox } from '../../../helpers/inbox.ts'
import { openLive } from '../../../helpers/live-streams.ts'
import { untilLockWait } from '../../../helpers/rows.ts'

const names = async (user: Browser, query = '') => {
  const { conversations } = await user.ok('GET', `/api/conversations${query}`)
  return conversations.map(({ externalId }: { externalId: string }) => externalId)
}

const events = async (user: Browser, path: string) => {
  const { events: all } = await user.ok('GET', `${path}/messages`)
  return all.map(({ kind, userName, toUserName }: Record<string, string | null>) => [kind, userName, toUserName])
}

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

async function writeFrom({ account }: Inbox, people: string[]): Promise<void> {
  for (const fromId of people) await write(account, `Hello from ${fromId}`, { fromId })
}

test('a closed conversation leaves every list but "closed" and "failed", is read for all, and a new message brings it back', async () => {
  await using inbox = await startInbox()
  const { app, account, owner, member, pathOf } = inbox
  await writeFrom(inbox, ['ana', 'ben'])
  await sendOne(account, { fromId: 'ana', body: 'Hello' })
  const ana = await pathOf('ana')
  await owner.ok('PUT', `${ana}/assignee`, { userId: owner.userId })
  await sql`update conversations set waiting_since = now(), waiting_reason = 'requested'`.execute(app.db)
  await sql`update deliveries set error_category = 'timeout', attempts = 1`.execute(app.db)
  const closed = await owner.ok('POST', `${ana}/close`, { seq: 2 })
  assert.deepEqual(
    [closed.conversation.state, closed.conversation.waitingSince, closed.conversation.assignee.id],
    ['closed', null, owner.userId],
  )
  const shown = async (user: Browser) => {
    const filters = ['all', 'mine', 'unread', 'waiting', 'failed', 'closed', 'snoozed']
    return Object.fromEntries(
      await Promise.all(filters.map(async (filter) => [filter, await names(user, `?filter=${filter}`)])),
    )
  }
  const others = { all: ['ben'], mine: [], unread: ['ben'], waiting: ['ben'], snoozed: [] }
  assert.deepEqual(await shown(owner), { ...others, failed: ['ana'], closed: ['ana'] })
  assert.deepEqual(await shown(member), { ...others, failed: ['ana'], closed: ['ana'] })
  const counts = await owner.ok('GET', '/api/counts')
  assert.deepEqual([counts.mine, counts.unread, counts.waiting, counts.failed], [0, 1, 1, 1])

  await sendOne(account, { fromId: 'ana', body: 'Your order has left' })
  assert.deepEqual(await names(owner, '?filter=closed'), ['ana'], 'what a platform sends does not open it')
  await write(account, 'One more question', { fromId: 'ana' })
  assert.deepEqual(await names(owner), ['ana', 'ben'])
  assert.deepEqual(await names(member, '?filter=unread'), ['ana', 'ben'])
  assert.deepEqual(await names(owner, '?filter=mine'), ['ana'], 'it is still assigned')
})

test('who closes, opens, puts off and assigns is told in the thread, once', async () => {
  await using inbox = await startInbox()
  const { owner, member, pathOf } = inbox
  await writeFrom(inbox, ['ana'])
  const ana = await pathOf('ana')
  const { users } = await owner.ok('GET', '/api/assignees')
  const [mine, mias] = [owner.userId, member.userId].map(
    (id) => users.find((user: { id: string }) => user.id === id).name,
  )
  for (let twice = 0; twice < 2; twice += 1) {
    await owner.ok('PUT', `${ana}/assignee`, { userId: member.userId })
  }
  for (let twice = 0; twice < 2; twice += 1) await member.ok('POST', `${ana}/close`, { seq: 1 })
  for (let twice = 0; twice < 2; twice += 1) await owner.ok('POST', `${ana}/reopen`)
  const until = inAnHour()
  const snoozed = await member.ok('POST', `${ana}/snooze`, { seq: 1, until })
  assert.deepEqual([snoozed.conversation.state, snoozed.conversation.snoozedUntil], ['snoozed', until])
  await member.ok('PUT', `${ana}/assignee`, { userId: null })
  assert.deepEqual(await events(owner, ana), [
    ['assigned', mine, mias],
    ['closed', mias, null],
    ['reopened', mine, null],
    ['snoozed', mias, null],
    ['unassigned', mias, null],
  ])
})

test('a message that comes while somebody closes or puts off leaves the conversation open, whichever is first', async () => {
  await using inbox = await startInbox()
  const { account, owner, pathOf } = inbox
  await writeFrom(inbox, ['ana'])
  const ana = await pathOf('ana')
  for (let round = 0; round < 10; round += 1) {
    const { messages } = await owner.ok('GET', `${ana}/messages`)
    const seq = messages.at(-1).seq
    const putAside =
      round % 2 === 0
        ? owner.call('POST', `${ana}/close`, { seq })
        : owner.call('POST', `${ana}/snooze`, { seq, until: inAnHour() })
    const [answer] = await Promise.all([putAside, write(account, `Round ${round}`, { fromId: 'ana' })])
    assert.ok(answer.status === 200 || (answer.status === 409 && answer.body.error.code === 'CONFLICT'))
    const { conversation } = await owner.ok('GET', ana)
    assert.deepEqual([conversation.state, conversation.snoozedUntil], ['open', null], `round ${round}`)
  }
  const late = await owner.call('POST', `${ana}/close`, { seq: 1 })
  assert.deepEqual([late.status, late.body.error.code], [409, 'CONFLICT'])
})

test('what was put off comes back when its time has come, once, as it was before; a message brings it back earlier', async () => {
  await using inbox = await startInbox()
  const { app, account, owner, pathOf } = inbox
  await writeFrom(inbox, ['ana', 'ben', 'eva'])
  await sql`update conversations set waiting_since = now(), waiting_reason = 'requested'`.execute(app.db)
  for (const name of ['ana', 'ben'])
    await owner.ok('POST', `${await pathOf(name)}/snooze`, { seq: 1, until: inAnHour() })
  assert.deepEqual(await names(owner), ['eva'])
  assert.deepEqual(await names(owner, '?filter=snoozed'), ['ben', 'ana'])
  assert.equal((await owner.ok('GET', '/api/counts')).waiting, 1)
  await write(account, 'Still there?', { fromId: 'ben' })
  const hinted: string[] = []
  assert.equal(await endSnoozes(app.db, (_, changed) => void hinted.push(changed)), 0, 'it is not time yet')
  await sql`update conversations set snoozed_until = now() - interval '1 s' where snoozed_until is not null`.execute(
    app.db,
  )
  const opened = await Promise.all(Array.from({ length: 4 }, () => openDue(app.db, 10)))
  assert.deepEqual(
    opened.flat().map(({ contactId }) => contactId),
    [await contactOf(app, 'ana')],
  )
  assert.deepEqual(await names(owner), ['ben', 'eva', 'ana'])
  assert.equal((await owner.ok('GET', '/api/counts')).waiting, 3)
  assert.deepEqual(
    (await events(owner, await pathOf('ana'))).map(([kind]: string[]) => kind),
    ['snoozed', 'snooze ended'],
  )
  await owner.ok('POST', `${await pathOf('eva')}/snooze`, { seq: 1, until: inAnHour() })
  await sql`update conversations set snoozed_until = now() - interval '1 s' where snoozed_until is not null`.execute(
    app.db,
  )
  assert.equal(await endSnoozes(app.db, (_, changed) => void hinted.push(changed)), 1)
  assert.deepEqual(hinted, [await contactOf(app, 'eva')])
})

test('a reply opens the conversation and assigns it to who wrote it, unless it is assigned to a colleague', async () => {
  await using inbox = await startInbox()
  const { app, owner, member, pathOf } = inbox
  await writeFrom(inbox, ['ana', 'ben'])
  const [ana, ben] = [await pathOf('ana'), await pathOf('ben')]
  const stateOf = async (path: string) => {
    const { conversation } = await owner.ok('GET', path)
    return [conversation.state, conversation.assignee?.id ?? null]
  }
  await owner.ok('POST', `${ana}/close`, { seq: 1 })
  await member.ok('POST', `${ana}/replies`, replyOf('One more thing'))
  assert.deepEqual(await stateOf(ana), ['open', member.userId])
  await owner.ok('POST', `${ana}/replies`, replyOf('And another'))
  assert.deepEqual(await stateOf(ana), ['open', member.userId])
  await owner.ok('POST', `${ben}/takeover`)
  assert.deepEqual(await stateOf(ben), ['open', owner.userId])
  await sql`update users set removed_at = now(), email = null where id = ${member.userId}`.execute(app.db)
  assert.deepEqual(await stateOf(ana), ['open', null], 'who was removed has nothing')
  await owner.ok('POST', `${ana}/replies`, replyOf('I look after it'))
  assert.deepEqual(await stateOf(ana), ['open', owner.userId])
})

test('what was assigned to a member who is removed is assigned to nobody, in every list and state, at once and for good', async () => {
  await using inbox = await startInbox()
  const { app, account, owner, member, pathOf } = inbox
  const people = ['ana', 'ben', 'eva']
  await writeFrom(inbox, people)
  const [ana, ben, eva] = [await pathOf('ana'), await pathOf('ben'), await pathOf('eva')]
  for (const path of [ana, ben, eva]) await owner.ok('PUT', `${path}/assignee`, { userId: member.userId })
  await owner.ok('POST', `${ben}/close`, { seq: 1 })
  await owner.ok('POST', `${eva}/snooze`, { seq: 1, until: inAnHour() })
  using stream = await openLive(app, owner.cookie)
  await owner.ok('DELETE', `/api/team/members/${member.userId}`)
  await stream.untilAnnounced('conversations')

  const assignees = async (query: string) => {
    const { conversations } = await owner.ok('GET', `/api/conversations?${query}`)
    return conversations.map((row: { assignee: unknown }) => row.assignee)
  }
  for (const filter of ['all', 'closed', 'snoozed']) assert.deepEqual(await assignees(`filter=${filter}`), [null])
  assert.equal((await owner.ok('GET', ana)).conversation.assignee, null)
  await write(account, 'Back again', { fromId: 'ben' })
  assert.equal((await owner.ok('GET', ben)).conversation.assignee, null, 'a message opens it, for nobody')
  const before = await events(owner, ana)
  await owner.ok('PUT', `${ana}/assignee`, { userId: null })
  assert.deepEqual(await events(owner, ana), before, 'it was nobody already')
  await owner.ok('PUT', `${ana}/assignee`, { userId: owner.userId })
  assert.deepEqual(await names(owner, '?filter=mine'), ['ana'])
})

test('an assignment and the removal of its user at the same moment both end, and the removed user has nothing', async () => {
  await using inbox = await startInbox()
  const { app, owner, member, pathOf } = inbox
  await writeFrom(inbox, ['ana'])
  const ana = await pathOf('ana')
  const removal = Promise.withResolvers<void>()
  const removed = app.db.transaction().execute(async (tx) => {
    await removeMember(tx, { accountId: inbox.account.accountId, userId: member.userId })
    await removal.promise
  })
  const assigning = owner.call('PUT', `${ana}/assignee`, { userId: member.userId })
  await untilLockWait(app)
  removal.resolve()
  await removed
  assert.equal((await assigning).status, 404)
  assert.equal((await owner.ok('GET', ana)).conversation.assignee, null)
})

test('what cannot be is refused and changes nothing: unknown users, removed ones, guests, and times that are past or far', async () => {
  await using inbox = await startInbox()
  const { app, owner, member, pathOf } = inbox
  await writeFrom(inbox, ['ana'])
  const ana = await pathOf('ana')
  const stranger = await app.makeAccount()
  await sql`update users set removed_at = now(), email = null where id = ${member.userId}`.execute(app.db)
  const before = await owner.ok('GET', ana)
  for (const userId of [stranger.userId, member.userId, `usr_${'0'.repeat(32)}`, 'somebody']) {
    const answer = await owner.call('PUT', `${ana}/assignee`, { userId })
    assert.deepEqual([answer.status, answer.body.error.code], [404, 'NOT_FOUND'], userId)
  }
  const far = new Date(Date.now() + 400 * 86_400_000).toISOString()
  for (const until of [new Date(Date.now() - 1_000).toISOString(), far, 'tomorrow', '2027-02-31T10:00:00Z', '']) {
    const answer = await owner.call('POST', `${ana}/snooze`, { seq: 1, until })
    assert.deepEqual([answer.status, answer.body.error.code], [400, 'INVALID_REQUEST'], until)
  }
  assert.deepEqual(await owner.ok('GET', ana), before)
  assert.equal((await owner.ok('GET', '/api/assignees')).users.length, 1)
})

test('closing while a person has the conversation ends what the bot owed, and asking for a person opens a closed one', async () => {
  await using inbox = await startInbox()
  const { app, owner, pathOf } = inbox
  await writeFrom(inbox, ['ana'])
  const ana = await pathOf('ana')
  const turns = async () => (await app.db.selectFrom('turns').select('contactId').execute()).length
  await owner.ok('POST', `${ana}/takeover`)
  await write(inbox.account, 'Thanks, that is all', { fromId: 'ana' })
  assert.equal(await turns(), 1)
  await owner.ok('POST', `${ana}/close`, { seq: 2 })
  assert.equal(await turns(), 0)
  const ref = { accountId: inbox.account.accountId, contactId: await contactOf(app, 'ana') }
  await app.db.transaction().execute((tx) => changeConversation(tx, ref, { waiting: 'requested' }))
  assert.deepEqual(await names(owner, '?filter=waiting'), ['ana'])
})
