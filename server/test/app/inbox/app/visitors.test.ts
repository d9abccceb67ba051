import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { indexNewMessages } from '../../../../src/app/search/index-messages.ts'
import type { ChannelId, ContactId } from '../../../../src/platform/ids.ts'
import { sendHints } from '../../../../src/platform/notify/hints.ts'
import { sharedApp } from '../../../helpers/harness.ts'
import { type Inbox, replyOf, startInbox } from '../../../helpers/inbox.ts'
import { openLive } from '../../../helpers/live-streams.ts'
import { makeChat } from '../../../helpers/own-channels.ts'
import { openVisitor, type Visitor } from '../../../helpers/providers/visitors.ts'
import { until } from '../../../helpers/until.ts'

type Chat = Inbox & {
  channelId: ChannelId
  open: (who: { key: string } | { sub: string }) => Visitor
}

async function startChat(): Promise<Chat> {
  const inbox = await startInbox(sharedApp({ PUBLIC_URL: 'https://patchbay.kettlelane.example' }))
  const { app, account, owner } = inbox
  await app.db.updateTable('accounts').set({ botActive: false }).where('id', '=', account.accountId).execute()
  const channelId = (await makeChat(owner, { pages: ['kettlelane.example'] })).id as ChannelId
  const open: Chat['open'] = (who) => openVisitor(app, { accountId: account.accountId, channelId }, who)
  return { ...inbox, channelId, open }
}

const of = (contactId: string) => `/api/conversations/${contactId}`
const shortOf = (address: string) => `Visitor ${address.slice(0, 4).toUpperCase()}`

/** What is written of a contact on the channel, as the room of website chats does. */
async function setOnChannel({ app }: Chat, contactId: ContactId, set: Record<string, unknown>): Promise<void> {
  await app.db.updateTable('contactChannels').set(set).where('contactId', '=', contactId).execute()
}

test('a visitor has one name in list, thread, search, contacts, and export until a name is known, and no hash is shown', async () => {
  await using chat = await startChat()
  const { app, member, owner, open } = chat
  const visitor = open({ key: 'a' })
  const contactId = await visitor.write('Do you have gravel bikes?')
  await indexNewMessages(app.db)
  const name = shortOf(visitor.address)
  const everywhere = async () => {
    const list = await member.ok('GET', '/api/conversations')
    const detail = await member.ok('GET', of(contactId))
    const bySigns = await member.ok('GET', `/api/search?q=${visitor.address.slice(0, 4)}`)
    const byWords = await member.ok('GET', '/api/search?q=gravel')
    const contact = await member.ok('GET', `/api/contacts/${contactId}`)
    const export_ = await app.call('GET', '/api/contacts/export', { headers: { cookie: owner.cookie } })
    return {
      names: [
        list.conversations[0].name,
        detail.conversation.name,
        bySigns.people[0]?.name,
        byWords.messages[0]?.contactName,
        contact.name,
      ],
      ways: [detail.replyBy.ways.at(0).address, contact.addresses[0].address],
      csv: String(export_.body),
      all: JSON.stringify([list, detail, bySigns, byWords, contact, export_.body]),
    }
  }
  const before = await everywhere()
  assert.deepEqual(before.names, Array(5).fill(name))
  assert.deepEqual(before.ways, [name, name])
  assert.match(before.csv, new RegExp(name))
  assert.equal(before.all.includes(visitor.address), false, 'the hash of the key was shown')
  assert.equal((await member.ok('GET', `/api/contacts?q=${encodeURIComponent(name)}`)).contacts[0]?.id, contactId)
  assert.equal((await member.ok('GET', `/api/contacts/${contactId}`)).firstName, null, 'it is no name that is kept')
  await member.ok('PATCH', `/api/contacts/${contactId}`, { firstName: 'Ana' })
  const after = await everywhere()
  assert.deepEqual(after.names, Array(5).fill('Ana'))
  assert.deepEqual(after.ways, [name, name])
})

test('a customer is found by the id that the shop gave, and called by the name that it signed', async () => {
  await using chat = await startChat()
  const { member, open } = chat
  const nameless = await open({ sub: 'customer-1' }).write('Hello')
  const named = await open({ sub: 'customer-2' }).write('Hello', {}, { firstName: 'Ines', lastName: 'Moreno' })
  const { people } = await member.ok('GET', '/api/search?q=customer-1')
  assert.deepEqual(
    people.map((person: { contactId: string }) => person.contactId),
    [nameless],
  )
  assert.match(people[0].name, /^Visitor [0-9A-F]{4}$/)
  assert.equal((await member.ok('GET', of(named))).conversation.name, 'Ines Moreno')
})

test('a message says who vouches for it, the page, the language and the button; only a page of the channel is said to be ours', async () => {
  await using chat = await startChat()
  const { member, open, owner, channelId } = chat
  const visitor = open({ key: 'a' })
  const page = 'https://kettlelane.example/bikes/gravel'
  const contactId = await visitor.write('Hello', { page, language: 'de' })
  await visitor.write('It is me', { page, language: 'de', signed: true })
  await visitor.write('Open now?', { page: 'https://kettlelane.example.evil.example/', choice: 'ent_1' })
  await visitor.write('Nothing else')
  const details = async () =>
    (await member.ok('GET', `${of(contactId)}/messages`)).messages.map(
      ({ details: told }: { details: Record<string, unknown> | null }) =>
        told && [told.page, told.language, told.isSigned, told.choice],
    )
  const ours = { url: page, isOurs: true }
  const evil = { url: 'https://kettlelane.example.evil.example/', isOurs: false }
  assert.deepEqual(await details(), [
    [ours, 'de', false, null],
    [ours, 'de', true, null],
    [evil, null, false, 'ent_1'],
    null,
  ])
  const { version } = (await owner.ok('GET', `/api/channels/${channelId}`)) as { version: number }
  await owner.ok('PATCH', `/api/channels/${channelId}`, { version, settings: { pages: ['*.kettlelane.example'] } })
  assert.deepEqual((await details())[0][0], { url: page, isOurs: false }, 'it was taken off the list')
})

test('what a visitor left and when they looked is with the way to them; a person makes the e-mail theirs', async () => {
  await using chat = await startChat()
  const { member, open } = chat
  const contactId = await open({ key: 'a' }).write('Hello')
  const visitorOf = async () => (await member.ok('GET', of(contactId))).replyBy.ways[0].visitor
  assert.deepEqual(await visitorOf(), { seenAt: null, leftEmail: null, closedAt: null })
  const at = new Date('2026-11-19T10:31:00Z')
  await setOnChannel(chat, contactId, { seenAt: at, leftEmail: 'Ana@Example.com', leftEmailAt: at })
  const iso = at.toISOString()
  assert.deepEqual(await visitorOf(), {
    seenAt: iso,
    leftEmail: { address: 'Ana@Example.com', at: iso },
    closedAt: null,
  })
  assert.equal((await member.ok('GET', of(contactId))).contact.email, null, 'it names nobody by itself')
  await member.ok('PATCH', `/api/contacts/${contactId}`, { email: 'Ana@Example.com' })
  assert.equal((await member.ok('GET', of(contactId))).contact.email, 'ana@example.com')
})

test('signing in names the other contact of the same browser in both threads, of several browsers the right one', async () => {
  await using chat = await startChat()
  const { app, member, open } = chat
  const [first, second, customer] = [open({ key: 'a' }), open({ key: 'b' }), open({ sub: 'customer-1' })]
  const browsers = [await first.write('Hello'), await second.write('Hello')]
  const contactId = await customer.write('Hello', { signed: true }, { firstName: 'Ana' })
  const note = (of: ContactId, at: string) =>
    sql`
      insert into conversation_events (account_id, contact_id, seq, kind, at)
      values (${chat.account.accountId}, ${of}, 1, 'signed in', ${at}::timestamptz)
    `.execute(app.db)
  for (const [n, browser] of browsers.entries()) {
    await setOnChannel(chat, browser, { signedInAs: contactId })
    await note(browser, `2026-11-19T1${n}:00:00.1Z`)
    await note(contactId, `2026-11-19T1${n}:00:00.2Z`)
  }
  const others = async (of_: ContactId) =>
    (await member.ok('GET', `${of(of_)}/messages`)).events.map(({ kind, other }: Record<string, unknown>) => [
      kind,
      other,
    ])
  const ana = ['signed in', { contactId, name: 'Ana' }]
  assert.deepEqual(await others(browsers[0] as ContactId), [ana])
  assert.deepEqual(await others(browsers[1] as ContactId), [ana])
  assert.deepEqual(await others(contactId), [
    ['signed in', { contactId: browsers[0], name: shortOf(first.address) }],
    ['signed in', { contactId: browsers[1], name: shortOf(second.address) }],
  ])
})

test('blocked: nothing is sent, nobody waits, no message of theirs opens it; event and audit say who; unblocked by a person', async () => {
  await using chat = await startChat()
  const { app, member, owner, open, channelId } = chat
  const visitor = open({ key: 'a' })
  const contactId = await visitor.write('Buy followers')
  const path = of(contactId)
  await app.db.updateTable('conversations').set({ waitingSince: new Date(), waitingReason: 'bot_off' }).execute()
  const blocked = await member.ok('POST', `${path}/block`, { channelId, alsoNetwork: false })
  await member.ok('POST', `${path}/block`, { channelId, alsoNetwork: false })
  const [way] = blocked.replyBy.ways
  assert.deepEqual([way.whyNot, way.visitor.closedAt !== null], ['closed', true])
  assert.equal(blocked.conversation.waitingSince, null)
  const refused = await member.call('POST', `${path}/replies`, replyOf('Hello'))
  assert.equal(refused.status, 409)
  assert.match(refused.body.error.message, /closed/)
  await visitor.write('Buy more') // it was under way
  assert.equal((await member.ok('GET', path)).replyBy.ways[0].whyNot, 'closed')
  assert.equal((await member.ok('GET', `/api/contacts/${contactId}`)).addresses[0].whyNot, 'closed')
  const opened = await member.ok('POST', `${path}/unblock`, { channelId })
  assert.deepEqual([opened.replyBy.ways[0].whyNot, opened.replyBy.ways[0].visitor.closedAt], [null, null])
  const { events } = await member.ok('GET', `${path}/messages`)
  assert.deepEqual(
    events.map(({ kind, userName }: Record<string, unknown>) => [kind, userName]),
    [
      ['blocked', 'Mia Member'],
      ['unblocked', 'Mia Member'],
    ],
  )
  const audit = await owner.ok('GET', '/api/audit?group=erasures')
  assert.deepEqual(
    audit.events.map(({ act, details }: { act: string; details: Record<string, unknown> }) => [act, details.contactId]),
    [
      ['contact unblocked', contactId],
      ['contact blocked', contactId],
    ],
  )
})

test('only a website chat of this contact can be blocked or be shown that somebody writes', async () => {
  await using chat = await startChat()
  const { member, open, channelId } = chat
  const contactId = await open({ key: 'a' }).write('Hello')
  for (const act of ['block', 'unblock', 'typing']) {
    for (const other of ['chn_unknown', 'custom', '019a0000-0000-7000-8000-000000000000']) {
      const body = { channelId: other, ...(act === 'block' && { alsoNetwork: true }) }
      assert.equal((await member.call('POST', `${of(contactId)}/${act}`, body)).status, 404, `${act} ${other}`)
    }
    const body = { channelId, ...(act === 'block' && { alsoNetwork: true }) }
    const stranger = `/api/conversations/con_019a0000000070008000000000000000/${act}`
    assert.equal((await member.call('POST', stranger, body)).status, 404, act)
  }
})

test('a channel that is paused takes nothing and says so', async () => {
  await using chat = await startChat()
  const { member, owner, open, channelId } = chat
  const contactId = await open({ key: 'a' }).write('Hello')
  await owner.ok('POST', `/api/channels/${channelId}/pause`)
  const [way] = (await member.ok('GET', of(contactId))).replyBy.ways
  assert.deepEqual([way.whyNot, way.waits], ['channel_paused', null])
  assert.equal((await member.call('POST', `${of(contactId)}/replies`, replyOf('Hello'))).status, 409)
})

test('who writes is passed on both ways without a row, and no screen fetches anything for it', async () => {
  await using chat = await startChat()
  const { app, account, member, open, channelId } = chat
  const contactId = await open({ key: 'a' }).write('Hello')
  using live = await openLive(app, member.cookie)
  live.forget()
  await member.ok('POST', `${of(contactId)}/typing`, { channelId })
  await sendHints(app.db, account.accountId, [`visitor-writes:${contactId}`])
  await until(
    async () => live.events.some((event) => event.kind === 'typing' && event.contactId === contactId),
    'nobody was told that they write',
  )
  assert.equal(live.announced().has(contactId), false, 'the conversation was announced')
})

test('that somebody asked to be deleted stays with the conversation until somebody decides that they stay, which thread and audit say', async () => {
  await using chat = await startChat()
  const { app, account, member, owner, open } = chat
  const contactId = await open({ key: 'a' }).write('Hello')
  assert.equal((await member.ok('GET', of(contactId))).askedToBeDeletedAt, null)
  await sql`
    insert into conversation_events (account_id, contact_id, seq, kind, at)
    values (${account.accountId}, ${contactId}, 1, 'asked to be deleted', '2026-11-19T10:31:00Z')
  `.execute(app.db)
  assert.equal((await member.ok('GET', of(contactId))).askedToBeDeletedAt, '2026-11-19T10:31:00.000Z')
  await member.ok('POST', `${of(contactId)}/replies`, replyOf('We look at it.'))
  assert.equal((await member.ok('GET', of(contactId))).askedToBeDeletedAt, '2026-11-19T10:31:00.000Z')
  const wait = (waitingReason: string) =>
    app.db.updateTable('conversations').set({ waitingSince: new Date(), waitingReason }).execute()
  await wait('asked_to_be_deleted')
  const counts = async () => (await member.ok('GET', '/api/counts')).waiting
  assert.equal(await counts(), 1)
  await Promise.all(Array.from({ length: 3 }, () => member.ok('POST', `${of(contactId)}/keep`)))
  const kept = await member.ok('GET', of(contactId))
  assert.deepEqual([kept.askedToBeDeletedAt, kept.conversation.waitingSince, await counts()], [null, null, 0])
  const { events } = await member.ok('GET', `${of(contactId)}/messages`)
  assert.deepEqual(events.map(({ kind, userName }: Record<string, unknown>) => [kind, userName]).slice(-1), [
    ['not deleted', 'Mia Member'],
  ])
  assert.equal(events.filter(({ kind }: Record<string, unknown>) => kind === 'not deleted').length, 1)
  const audit = await owner.ok('GET', '/api/audit?group=erasures')
  assert.deepEqual(
    audit.events.map(({ act, details }: { act: string; details: object }) => [act, details]),
    [['deletion refused', { contactId }]],
  )

  // What they wait for besides goes on, and who asks again is asked about again.
  await wait('misses')
  await member.ok('POST', `${of(contactId)}/keep`)
  assert.equal(await counts(), 1)
  await sql`
    insert into conversation_events (account_id, contact_id, seq, kind, at)
    values (${account.accountId}, ${contactId}, 2, 'asked to be deleted', now())
  `.execute(app.db)
  assert.notEqual((await member.ok('GET', of(contactId))).askedToBeDeletedAt, null)
  await member.ok('POST', `${of(contactId)}/keep`)
  assert.equal(await counts(), 1)
})

test('no broadcast goes over a website chat, named by its id or its name, from the app or by the API; campaigns may name it', async () => {
  await using chat = await startChat()
  const { account, owner, channelId } = chat
  const { name } = await owner.ok('GET', `/api/channels/${channelId}`)
  for (const channel of [channelId, name, ` ${name.toUpperCase()} `]) {
    const broadcast = { listId: account.listId, body: 'We are open on Sunday.' }
    const preview = await owner.call('POST', '/api/broadcasts/preview', { ...broadcast, channel })
    const sent = await account.post('/broadcasts', { ...broadcast, customChannel: channel })
    for (const { status, body } of [preview, sent]) {
      assert.deepEqual([status, /is a website chat/.test(body.error.message)], [400, true], JSON.stringify(body))
    }
  }
  const preview = { listId: account.listId, body: 'We are open on Sunday.', channel: 'Our platform' }
  assert.equal((await owner.call('POST', '/api/broadcasts/preview', preview)).status, 200)
  const { campaigns } = await owner.ok('GET', '/api/campaigns')
  const campaign = await owner.ok('GET', `/api/campaigns/${campaigns[0].id}`)
  assert.ok(campaign.channels.some(({ label }: { label: string }) => label === channelId))
})
