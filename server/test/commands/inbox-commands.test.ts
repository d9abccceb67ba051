import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { importKnowledge } from '../../src/answers/knowledge/entries/import.ts'
import { takeOver } from '../../src/journey/conversations/take-over.ts'
import { type CampaignId, type ContactId, newId } from '../../src/platform/ids.ts'
import { defaultCampaign, write } from '../helpers/bots.ts'
import { assertRefusedCommand, type Document, readDocument, startShopWithCommands } from '../helpers/commands.ts'

async function startWorld() {
  const world = await startShopWithCommands()
  return { ...world, run: (...words: string[]) => world.commands.run(...words, '--json') }
}

test('entries are listed page by page, and the bot no longer uses a deleted one', async () => {
  await using world = await startWorld()
  const { app, shop, run } = world
  const { accountId } = shop
  const id = (await defaultCampaign(app, shop)) as CampaignId // as the store returned it
  const campaign = { accountId, campaignId: id }
  await importKnowledge(app.db, campaign, [
    { questions: ['Open?', 'Hours?'], answer: 'From 9 to 6.' },
    { questions: ['Ship?'], answer: 'Yes.', isOn: false },
    { questions: ['Dogs?'], answer: 'On a leash.', handsOver: true },
  ])
  const version = async () =>
    (await app.db.selectFrom('campaigns').select('knowledgeVersion').where('id', '=', id).executeTakeFirstOrThrow())
      .knowledgeVersion

  const { entries, total, next } = readDocument(await run('knowledge', 'show', '--campaign', id))
  assert.deepEqual([total, next], [3, null])
  const { entryId, ...first } = entries.find(({ answer }: { answer: string }) => answer === 'From 9 to 6.')
  assert.deepEqual(first, { isOn: true, handsOver: false, questions: ['Open?', 'Hours?'], answer: 'From 9 to 6.' })
  const pages: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const page = readDocument(await run('knowledge', 'show', '--campaign', id, '--limit', '2', `--after=${after}`))
    pages.push(...page.entries.map(({ answer }: { answer: string }) => answer))
    after = page.next
  }
  assert.deepEqual(pages.sort(), ['From 9 to 6.', 'On a leash.', 'Yes.'])

  const before = await version()
  const remove = (entry: string) => run('knowledge', 'delete', '--campaign', id, '--entry', entry)
  assert.deepEqual(readDocument(await remove(entryId)), { campaignId: id, deleted: entryId })
  assert.equal(await version(), before + 1, 'so every process reads what is known anew')
  assert.deepEqual(await app.db.selectFrom('entryTexts').selectAll().where('entryId', '=', entryId).execute(), [])
  assertRefusedCommand(await remove(entryId), /has no entry/)
  assertRefusedCommand(await remove('nonsense'), /has no entry nonsense/)
  const other = (await defaultCampaign(app, await app.makeAccount())) as CampaignId
  const foreign = readDocument(await run('knowledge', 'show', '--campaign', id)).entries[0].entryId
  assertRefusedCommand(await run('knowledge', 'delete', '--campaign', other, '--entry', foreign), /has no entry/)
  assertRefusedCommand(await run('knowledge', 'show', '--campaign', newId('cmp')), /no campaign/)
  assert.equal(readDocument(await run('knowledge', 'show', '--campaign', id)).total, 2)
})

test('conversations are listed by their last message, page by page, with --waiting only those that wait for a person', async () => {
  await using world = await startWorld()
  const { app, shop, run } = world
  const list = async (...words: string[]) => readDocument(await run('conversations', '--account', shop.email, ...words))
  assert.deepEqual(await list(), { next: null, conversations: [] })
  for (const fromId of ['ana', 'ben', 'cleo']) await write(shop, `Hello of ${fromId}`, { fromId, firstName: fromId })
  await write(shop, 'And again', { fromId: 'ana' })
  const customData = { fromId: 'ben', customChannel: 'web', body: 'Hello Ben' }
  await shop.post('/send_custom_channel_message', { customData })
  await write(await app.makeAccount(), 'Not yours', { fromId: 'eve' })

  const { conversations } = await list()
  const facts = conversations.map((one: Record<string, unknown>) => [
    one.fromId,
    one.unanswered,
    one.lastText,
    one.handler,
  ])
  assert.deepEqual(facts, [
    ['ben', 0, 'Hello Ben', 'bot'],
    ['ana', 2, 'And again', 'bot'],
    ['cleo', 1, 'Hello of cleo', 'bot'],
  ])
  const pages: string[] = []
  for (let before: string[] | null = []; before !== null; ) {
    const page: Document = await list('--limit', '1', ...before)
    pages.push(...page.conversations.map(({ fromId }: { fromId: string }) => fromId))
    before = page.next === null ? null : ['--before', page.next]
  }
  assert.deepEqual(pages, ['ben', 'ana', 'cleo'])
  assertRefusedCommand(await run('conversations', '--account', shop.email, '--before', 'msg_0'), /before must be/)

  const contactId: ContactId = conversations[1].contactId
  await takeOver(app.db, { accountId: shop.accountId, contactId })
  const change = { waitingSince: new Date(Date.now() - 90_000), waitingReason: 'asked for a person' }
  await app.db.updateTable('conversations').set(change).where('contactId', '=', contactId).execute()
  const waiting = await list('--waiting')
  assert.equal(waiting.conversations.length, 1)
  const [one] = waiting.conversations
  assert.deepEqual([one.contactId, one.handler, one.waitingReason], [contactId, 'person', 'asked for a person'])
  assert.ok(one.waitingSeconds >= 90 && one.waitingSeconds < 3_600)
  assert.equal(one.optedOutAt, null)
  await run('contact', 'opt-out', '--account', shop.email, '--contact', contactId)
  assert.ok((await list('--waiting')).conversations[0].optedOutAt)

  const states = app.db.updateTable('conversations').where('accountId', '=', shop.accountId)
  await states.set({ state: 'closed' }).where('contactId', '=', conversations[2].contactId).execute()
  assert.equal((await list()).conversations.length, 3, 'closed ones too')
  const longer = { waitingSince: new Date(Date.now() - 200_000), waitingReason: 'asked for a person' }
  await states.set(longer).where('contactId', '=', conversations[0].contactId).execute()
  const first = await list('--waiting', '--limit', '1')
  const second = await list('--waiting', '--limit', '1', '--before', first.next)
  const waits = [...first.conversations, ...second.conversations].map((each: { fromId: string }) => each.fromId)
  assert.deepEqual([waits, second.next], [['ben', 'ana'], null], 'who has waited longest comes first')
  assertRefusedCommand(await run('conversations', '--account', shop.email, '--limit', '0'), /--limit must be/)
})

test('lists of conversations and entries print no escape sequences that strangers wrote', async () => {
  await using world = await startWorld()
  const { shop, commands } = world
  await write(shop, 'Hi\u001b[2J\nmsg_2', { fromId: 'a\u001b]0;x\u0007', firstName: '\u202egnp' })
  const { stdout } = await commands.run('conversations', '--account', shop.email)
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\u202a-\u202e]/u)
  assert.equal(stdout.trimEnd().split('\n').length, 4, 'next, a blank line, the names and one conversation')
})

test('the attachment of a message is saved completely to a new file, and nothing is overwritten', async () => {
  await using world = await startWorld()
  const { app, shop, run } = world
  const folder = await mkdtemp(join(tmpdir(), 'patchbay-save-'))
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
  const bytes = Buffer.from('line of text, ünïcode\n'.repeat(40_000))
  const mediaUrl = `data:text/plain;base64,${bytes.toString('base64')}`
  const message = await write(shop, 'See file', { mediaUrl, mediaContentType: 'text/plain' })
  const save = (to: string, id = message) => run('media', 'save', '--account', shop.email, '--message', id, '--to', to)

  const path = join(folder, 'saved.txt')
  const saved = readDocument(await save(path))
  assert.deepEqual([saved.path, saved.sizeBytes, saved.contentType], [path, bytes.length, 'text/plain'])
  assert.ok((await readFile(path)).equals(bytes))
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal(readDocument(await save(folder)).path, join(folder, `${message}.txt`))

  assertRefusedCommand(await save(path), /saved.txt; it exists already/)
  assertRefusedCommand(await save(folder), /it exists already/)
  const victim = join(folder, 'victim')
  await writeFile(victim, 'mine')
  await symlink(victim, join(folder, 'link'))
  assertRefusedCommand(await save(join(folder, 'link')), /it exists already/)
  assert.equal(await readFile(victim, 'utf8'), 'mine')
  assertRefusedCommand(await save(join(folder, 'no/such/folder')), /Cannot write/)
  const plain = await write(shop, 'No file')
  assertRefusedCommand(await save(join(folder, 'x'), plain), /no file with a message/)
  const later = { mediaUrl: 'https://files.example.com/a.png', mediaContentType: 'image/png' }
  assertRefusedCommand(await save(join(folder, 'x'), await write(shop, 'Later', later)), /not stored: not fetched yet/)
  const other = await app.makeAccount()
  const foreign = await write(other, 'Theirs', { mediaUrl, mediaContentType: 'text/plain' })
  assertRefusedCommand(await save(join(folder, 'x'), foreign), /no file with a message/)

  await app.db.deleteFrom('mediaChunks').where('n', '=', 2).execute()
  assertRefusedCommand(await save(join(folder, 'half')), /incomplete file was removed/)
  assert.deepEqual((await readdir(folder)).sort(), ['link', `${message}.txt`, 'saved.txt', 'victim'])
})
