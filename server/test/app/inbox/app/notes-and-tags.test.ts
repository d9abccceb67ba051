import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { contactOf, makeCampaign, makeTurnsDue, startModel, untilAnswered, write } from '../../../helpers/bots.ts'
import { saveUrl, startDelivering, untilMessages } from '../../../helpers/deliveries.ts'
import { type Browser, replyOf, startInbox } from '../../../helpers/inbox.ts'
import { insertManyConversations } from '../../../helpers/many-conversations.ts'
import { startReceiver } from '../../../helpers/receivers.ts'
import { readSources } from '../../../helpers/sources.ts'

const secret = 'freehub on shelf C4'

test('a note is in the thread of every user, once however often it was sent, and changes nothing else', async () => {
  await using inbox = await startInbox()
  const { account, owner, member, pathOf } = inbox
  await write(account, 'Hello', { fromId: 'ana' })
  const ana = await pathOf('ana')
  await owner.ok('POST', `${ana}/close`, { seq: 1 })
  const before = await member.ok('GET', ana)
  const note = { body: 'She is Tom’s aunt', clientId: 'client-0123456789abcdef' }
  const first = await owner.ok('POST', `${ana}/notes`, note)
  assert.deepEqual(await owner.ok('POST', `${ana}/notes`, note), first)
  await member.ok('POST', `${ana}/notes`, note)
  const { notes } = await member.ok('GET', `${ana}/messages`)
  assert.deepEqual(
    notes.map(({ seq, body, userId }: typeof first) => [seq, body, userId]),
    [owner, member].map(({ userId }) => [1, note.body, userId]),
  )
  assert.deepEqual(await member.ok('GET', ana), before)
  for (const body of ['', '   ', '\u200b', 'x'.repeat(65_537), 'a\u0000b']) {
    assert.equal((await owner.call('POST', `${ana}/notes`, { ...note, body })).status, 400)
  }
})

test('a note is deleted by who has written it, once, and by nobody else', async () => {
  await using inbox = await startInbox()
  const { account, owner, member, pathOf } = inbox
  for (const fromId of ['ana', 'ben']) await write(account, 'Hello', { fromId })
  const [ana, ben] = [await pathOf('ana'), await pathOf('ben')]
  const { id } = await member.ok('POST', `${ana}/notes`, replyOf('Shelf C4'))
  for (const path of [`${ben}/notes/${id}`, `${ana}/notes/of-nobody`]) {
    assert.equal((await member.call('DELETE', path)).status, 404)
  }
  assert.equal((await owner.call('DELETE', `${ana}/notes/${id}`)).status, 404)
  assert.equal((await owner.ok('GET', `${ana}/messages`)).notes.length, 1)
  await member.ok('DELETE', `${ana}/notes/${id}`)
  assert.deepEqual((await owner.ok('GET', `${ana}/messages`)).notes, [])
  assert.equal((await member.call('DELETE', `${ana}/notes/${id}`)).status, 404)
})

test('a note never leaves the service: no model, webhook or public route gets it', async () => {
  await using model = await startModel()
  await using receiver = await startReceiver()
  await using inbox = await startInbox(startDelivering())
  const { app, account, owner, pathOf } = inbox
  await saveUrl(app, account, receiver.url)
  await makeCampaign(app, account, { ...model.file, isDefault: true })
  await write(account, 'Do you have a freewheel?', { fromId: 'ana' })
  await owner.ok('POST', `${await pathOf('ana')}/notes`, { ...replyOf(secret) })
  await makeTurnsDue(app.db)
  const asked = await model.next()
  asked.answer('Yes, we do.')
  await untilAnswered(app)
  await untilMessages(app, account, (all) => all.some(({ status }) => status === 'Sent'))
  assert.ok(!asked.text.includes(secret))
  assert.ok(receiver.requests.length > 0)
  assert.ok(receiver.requests.every(({ body }) => !String(body).includes(secret)))
  const contactId = await contactOf(app, 'ana')
  const publicRoutes = app.routes.filter((name) => name.startsWith('GET ') && name.includes('/v1/'))
  for (const name of publicRoutes) {
    const path = name.slice('GET /v1'.length).replace(/:\w+/g, contactId)
    const answer = await app.call('GET', path, { key: account.apiKey })
    assert.ok(!JSON.stringify(answer.body ?? '').includes(secret), name)
  }
})

test('only the inbox reads notes: no other part of the server names their table, but what removes old ones and visitors of whom there is none', async () => {
  const readers = (await readSources())
    .filter(({ file }) => file.startsWith('server/src/'))
    .filter(({ text }) => /conversation_notes|conversationNotes|note-store/.test(text))
    .map(({ file }) => file)
  assert.deepEqual(readers.toSorted(), [
    'server/src/app/inbox/teamwork/note-store.ts',
    'server/src/app/inbox/teamwork/notes.ts',
    'server/src/app/inbox/thread/show-thread.ts',
    'server/src/app/removal/retention/aged-store.ts',
    'server/src/app/removal/retention/visitor-store.ts',
    'server/src/platform/database/tables.ts',
  ])
})

const names = async (user: Browser, query: string) => {
  const { conversations } = await user.ok('GET', `/api/conversations${query}`)
  return conversations.map(({ externalId }: { externalId: string }) => externalId)
}

test('a tag is made by typing it, once however it is spelt, lists its conversations, and is gone when nothing has it', async () => {
  await using inbox = await startInbox()
  const { account, owner, member, pathOf } = inbox
  for (const fromId of ['ana', 'ben', 'eva']) await write(account, 'Hello', { fromId })
  for (const fromId of ['ben', 'ana']) await owner.ok('POST', `${await pathOf(fromId)}/tags`, { tag: 'Refund' })
  const { tags } = await owner.ok('POST', `${await pathOf('ana')}/tags`, { tag: '  refund ' })
  assert.deepEqual(tags, ['refund'])
  await owner.ok('POST', `${await pathOf('ana')}/tags`, { tag: 'very  urgent' })
  await owner.ok('POST', `${await pathOf('ana')}/close`, { seq: 1 })
  const filters = () => member.ok('GET', '/api/conversation-filters')
  assert.deepEqual((await filters()).tags, ['refund', 'very urgent'])
  assert.deepEqual(await names(member, '?tag=Refund'), ['ana', 'ben'])
  const { next } = await member.ok('GET', '/api/conversations?tag=refund&limit=1')
  assert.deepEqual(await names(member, `?tag=refund&limit=1&before=${next}`), ['ben'])
  const path = `${await pathOf('ana')}/tags/${encodeURIComponent('very urgent')}`
  assert.deepEqual((await member.ok('DELETE', path)).tags, ['refund'])
  assert.deepEqual((await member.ok('DELETE', path)).tags, ['refund'])
  const { tags: left, channels } = await filters()
  assert.deepEqual([left, channels.length], [['refund'], 1])
  for (const tag of ['', ' ', 'x'.repeat(41), 'a\u0007b']) {
    assert.equal((await owner.call('POST', `${await pathOf('ana')}/tags`, { tag })).status, 400, tag)
  }
  for (let n = 1; n < 20; n += 1) await owner.ok('POST', `${await pathOf('ana')}/tags`, { tag: `tag ${n}` })
  assert.equal((await owner.call('POST', `${await pathOf('ana')}/tags`, { tag: 'one more' })).status, 400)
  assert.equal((await owner.call('GET', '/api/conversations?tag=refund&filter=mine')).status, 400)
})

test('the open conversations of a channel are found page by page, also behind hundreds of others', async () => {
  await using inbox = await startInbox()
  const { app, account, owner, pathOf } = inbox
  for (const fromId of ['ana', 'ben', 'eva']) await write(account, 'Hello', { fromId, channel: 'Kiosk' })
  await owner.ok('POST', `${await pathOf('ben')}/close`, { seq: 1 })
  await sql`update conversations set active_at = active_at - interval '1 day', active_step = activity_step(active_at - interval '1 day')`.execute(
    app.db,
  )
  await insertManyConversations(app, account, 600)
  const found: string[] = []
  let next: string | null = null
  let pages = 0
  do {
    const page = await owner.ok('GET', `/api/conversations?channel=Kiosk&limit=1${next ? `&before=${next}` : ''}`)
    found.push(...page.conversations.map(({ externalId }: { externalId: string }) => externalId))
    next = page.next
    pages += 1
  } while (next !== null)
  assert.deepEqual(found, ['eva', 'ana'])
  assert.ok(pages >= 3, `${pages} pages`)
})
