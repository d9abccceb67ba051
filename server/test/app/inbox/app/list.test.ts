import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { contactOf, defaultCampaign, editCampaign, makeTurnsDue, startModel, write } from '../../../helpers/bots.ts'
import { sendOne, startDelivering } from '../../../helpers/deliveries.ts'
import type { TestAccount } from '../../../helpers/harness.ts'
import { type Browser, startInbox } from '../../../helpers/inbox.ts'

type Row = { contactId: string; externalId: string; unread: number; last: { text: string } }
type Page = { conversations: Row[]; next: string | null }

const list = (user: Browser, query = ''): Promise<Page> => user.ok('GET', `/api/conversations${query}`)
const names = ({ conversations }: Page) => conversations.map(({ externalId }) => externalId)

async function writeFrom(account: TestAccount, people: string[]): Promise<void> {
  for (const fromId of people) await write(account, `Hello from ${fromId}`, { fromId })
}

test('the conversation with the newest message comes first, with everything that a row shows', async () => {
  await using inbox = await startInbox()
  const { app, account, owner } = inbox
  await write(account, 'Hello', { fromId: 'ana', firstName: 'Ana', lastName: 'Lima', channel: 'WhatsApp' })
  await writeFrom(account, ['ben', 'eva'])
  assert.deepEqual(names(await list(owner)), ['eva', 'ben', 'ana'])
  await sendOne(account, { fromId: 'ana', customChannel: 'WhatsApp', body: 'x'.repeat(1_000) })
  const { conversations } = await list(owner)
  const { contactId, lastAt, ...ana } = conversations[0] as Row & { lastAt: string }
  assert.equal(contactId, await contactOf(app))
  assert.ok(Date.parse(lastAt) > Date.now() - 60_000)
  assert.deepEqual(ana, {
    name: 'Ana Lima',
    phone: null,
    externalId: 'ana',
    isSimulated: false,
    channel: { label: 'WhatsApp', name: 'WhatsApp', kind: null, colour: 2 },
    last: { author: 'api', userName: null, kind: 'text', text: 'x'.repeat(160), hasFile: false, isTakenBack: false },
    unread: 1,
    waitingSince: null,
    waitingReason: null,
    hasFailed: false,
    isInDoubt: false,
    botIsWriting: false,
    state: 'open',
    snoozedUntil: null,
    assignee: null,
  })
})

test('a row that waits shows what the contact said last, whatever the bot or the platform said after it', async () => {
  await using inbox = await startInbox()
  const { app, account, owner } = inbox
  await write(account, 'Is the gravel one in the window sold?', { fromId: 'ana' })
  await sendOne(account, { fromId: 'ana', body: 'Thank you. A person will answer.' })
  const shown = async (query: string) => (await list(owner, query)).conversations[0]?.last
  const said = { author: 'contact', userName: null, kind: 'text', hasFile: false, isTakenBack: false }
  assert.equal((await shown(''))?.text, 'Thank you. A person will answer.', 'nobody is waited for')
  await sql`update conversations set waiting_since = now(), waiting_reason = 'asked for a person'`.execute(app.db)
  for (const query of ['', '?filter=waiting', '?filter=unread']) {
    assert.deepEqual(await shown(query), { ...said, text: 'Is the gravel one in the window sold?' }, query)
  }
  await sql`delete from messages where direction = 'incoming'`.execute(app.db)
  await sql`update conversations set incoming_seq = 0`.execute(app.db)
  assert.equal((await shown('?filter=waiting'))?.text, 'Thank you. A person will answer.', 'what was said is removed')
})

test('pages have no gaps and no doubles, whatever arrives between them', async () => {
  await using inbox = await startInbox()
  const { account, owner } = inbox
  const people = Array.from({ length: 23 }, (_, n) => `person ${n}`)
  await Promise.all(people.map((fromId) => write(account, 'Hello', { fromId }))) // many of them in one commit
  const before = names(await list(owner))
  const seen: string[] = []
  const touched: string[] = []
  let page: Page = { conversations: [], next: null }
  do {
    page = await list(owner, `?limit=4${page.next === null ? '' : `&before=${page.next}`}`)
    seen.push(...names(page))
    // One that was shown and one that was not become active, and a new one begins.
    const active = [seen[0] ?? '', before.at(-1 - Math.floor(seen.length / 4)) ?? '', `late ${seen.length}`]
    await writeFrom(account, active)
    touched.push(...active)
  } while (page.next !== null)
  assert.equal(new Set(seen).size, seen.length, 'nothing is shown twice')
  const missed = before.filter((name) => !seen.includes(name))
  assert.ok(missed.length > 0 && missed.every((name) => touched.includes(name)))
  const top = names(await list(owner, '?limit=100')).slice(0, new Set(touched).size)
  assert.deepEqual(top.toSorted(), [...new Set(touched)].toSorted(), 'what became active is at the top')
})

test('messages that arrived before somebody was a user are read, and later ones are unread until that user reads them', async () => {
  await using inbox = await startInbox()
  const { app, account, owner, member, pathOf } = inbox
  await writeFrom(account, ['ana', 'ben'])
  await sql`update users set unread_since = now() where id = ${member.userId}`.execute(app.db)
  await sendOne(account, { fromId: 'ben', body: 'Good morning' }) // active, but nothing of the contact is new
  await write(account, 'One', { fromId: 'ana' })
  await write(account, 'Two', { fromId: 'ana' })
  const unread = async (user: Browser) => (await list(user)).conversations.map((row) => [row.externalId, row.unread])
  assert.deepEqual(await unread(owner), [
    ['ana', 3],
    ['ben', 1],
  ])
  assert.deepEqual(await unread(member), [
    ['ana', 2],
    ['ben', 0],
  ])
  assert.deepEqual(names(await list(member, '?filter=unread')), ['ana'])
  assert.equal((await member.ok('GET', await pathOf())).readSeq, 1)
  await owner.ok('PUT', `${await pathOf()}/read`, { seq: 2 })
  await owner.ok('PUT', `${await pathOf()}/read`, { seq: 1 }) // late, from another tab
  assert.deepEqual((await unread(owner))[0], ['ana', 1])
  await owner.ok('PUT', `${await pathOf()}/read`, { seq: 1_000_000 })
  assert.deepEqual(names(await list(owner, '?filter=unread')), ['ben'])
  assert.deepEqual(
    [(await owner.ok('GET', '/api/counts')).unread, (await member.ok('GET', '/api/counts')).unread],
    [1, 1],
  )
  await write(account, 'Three', { fromId: 'ana' })
  assert.deepEqual((await unread(owner))[0], ['ana', 1], 'nobody has read what comes later')
})

test('whoever has read the last message has read all, although numbers have gaps, and 100 unread means 100 or more', async () => {
  await using inbox = await startInbox()
  const { app, account, owner, pathOf } = inbox
  for (let n = 0; n < 120; n += 40) await Promise.all(Array.from({ length: 40 }, (_, i) => write(account, `${n + i}`)))
  assert.equal((await list(owner)).conversations[0]?.unread, 100)
  await sql`update conversations set last_seq = last_seq + 1, incoming_seq = incoming_seq + 1`.execute(app.db)
  const { messages } = await owner.ok('GET', `${await pathOf()}/messages?limit=1`)
  await owner.ok('PUT', `${await pathOf()}/read`, { seq: messages[0].seq })
  assert.deepEqual(await list(owner, '?filter=unread'), { conversations: [], next: null })
  assert.equal((await list(owner)).conversations[0]?.unread, 0)
})

test('who waits longest comes first, failed replies are found, and the counts agree with the lists', async () => {
  await using inbox = await startInbox()
  const { app, account, owner } = inbox
  await writeFrom(account, ['ana', 'ben', 'eva', 'zoe'])
  for (const fromId of ['ben', 'eva']) for (const body of ['1', '2']) await sendOne(account, { fromId, body })
  await sql`update deliveries set error_category = 'timeout', attempts = 1 where contact_id = ${await contactOf(app, 'ben')}`.execute(
    app.db,
  )
  for (const [name, minutes] of Object.entries({ eva: 5, ana: 20, zoe: 10 })) {
    await sql`update conversations set waiting_since = now() - ${minutes} * interval '1 minute', waiting_reason = 'person'
      where contact_id = ${await contactOf(app, name)}`.execute(app.db)
  }
  const first = await list(owner, '?filter=waiting&limit=2')
  assert.deepEqual(names(first), ['ana', 'zoe'])
  assert.deepEqual(names(await list(owner, `?filter=waiting&limit=2&before=${first.next}`)), ['eva'])
  assert.deepEqual(names(await list(owner, '?filter=failed')), ['ben'])
  const { longestWaitingSince, ...counts } = await owner.ok('GET', '/api/counts')
  assert.ok(Math.abs(Date.now() - Date.parse(longestWaitingSince) - 20 * 60_000) < 60_000)
  assert.deepEqual(counts, {
    mine: 0,
    unread: 4,
    waiting: 3,
    failed: 1,
    receiver: 'none',
    failuresInRow: 0,
    channelsInNeed: [],
  })
})

test('a page that cannot be asked for is refused, and an unknown conversation is not there', async () => {
  await using inbox = await startInbox()
  const { owner } = inbox
  for (const query of ['before=x', 'before=1', 'before=1.con_2', 'limit=0', 'limit=101', 'filter=none']) {
    assert.equal((await owner.call('GET', `/api/conversations?${query}`)).status, 400, query)
  }
  for (const id of [`con_${'0'.repeat(32)}`, 'nobody']) {
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/messages', undefined],
      ['PUT', '/read', { seq: 1 }],
      ['PUT', '/bot', { mayWrite: true }],
      ['PUT', '/bot', { mayWrite: false }],
      ['POST', '/takeover', undefined],
      ['POST', '/handback', { answersOld: true }],
      ['POST', '/replies', { body: 'Hi', clientId: 'a'.repeat(16) }],
    ] as const) {
      const answer = await owner.call(method, `/api/conversations/${id}${path}`, body)
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'CONTACT_NOT_FOUND'], `${method} ${path}`)
    }
  }
})

test('while the bot makes an answer, its conversation says so', async () => {
  await using model = await startModel()
  await using inbox = await startInbox(startDelivering())
  const { app, account, owner, pathOf } = inbox
  await editCampaign(app, await defaultCampaign(app, account), model.file)
  await write(account, 'Which colour?')
  await makeTurnsDue(app.db)
  const question = await model.next()
  assert.equal((await owner.ok('GET', await pathOf())).conversation.botIsWriting, true)
  question.answer('It is red.')
})
