import assert from 'node:assert/strict'
import { mkdtempDisposable, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AttachedFile } from '@patchbay/contract/app/messages.ts'
import { limits } from '@patchbay/contract/limits.ts'
import { sql } from 'kysely'
import { eraseContact } from '../../../src/app/removal/erasure/erase-contact.ts'
import { pruneOutgoingFiles } from '../../../src/journey/media/outgoing/outgoing-store.ts'
import { assertRefusedCommand, commandsOn, readDocument } from '../../helpers/commands.ts'
import { secretKey } from '../../helpers/harness.ts'
import { png } from '../../helpers/media-files.ts'
import { incoming, incomingPath } from '../../helpers/message-requests.ts'
import { type ChannelWorld, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { newClientId, reply, startConversation } from '../../helpers/providers/conversations.ts'
import { untilShown } from '../../helpers/providers/telegram.ts'
import { faults, tooMany } from '../../helpers/providers/telegram-faults.ts'
import { until } from '../../helpers/until.ts'

type Given = { fileName: string; contentType?: string; bytes: Buffer }

const pathOf = (contactId: string, { fileName, contentType }: Omit<Given, 'bytes'>) =>
  `/api/conversations/${contactId}/files?${new URLSearchParams({ fileName, ...(contentType && { contentType }) })}`

async function attach({ owner }: ChannelWorld, contactId: string, given: Given): Promise<AttachedFile> {
  const { status, body } = await owner.call('POST', pathOf(contactId, given), given.bytes)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const picture = { fileName: 'rim.png', contentType: 'image/png', bytes: png }
const ogg = Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from('OpusHead and the rest of it')])
const text = { fileName: 'Prices 2026.txt', contentType: 'text/plain', bytes: Buffer.from('Brake pads 18') }

const bytesOf = async (file: File | undefined) => (file ? Buffer.from(await file.arrayBuffer()) : undefined)

const rowsOf = async ({ app }: ChannelWorld) => {
  const { rows } = await sql<{ files: number; media: number; chunks: number; attachments: number }>`
    select (select count(*)::integer from outgoing_files) as files, (select count(*)::integer from media) as media,
      (select count(*)::integer from media_chunks) as chunks, (select count(*)::integer from attachments) as attachments
  `.execute(app.db)
  return rows[0]
}

test('each file arrives as what it is, with its name, its bytes and the text beside it', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  const long = Array.from({ length: 200 }, (_, n) => `Sentence ${n}.`).join(' ')
  const sent: [Given, string | undefined][] = [
    [picture, 'The rim'],
    [text, undefined],
    [{ fileName: 'memo.ogg', contentType: 'audio/ogg', bytes: ogg }, undefined],
    [picture, long],
  ]
  for (const [given, body] of sent) {
    const { id: fileId } = await attach(world, contactId, given)
    await reply(world, contactId, body, { fileId })
  }
  const shown = await untilShown(ana, 5)
  assert.deepEqual(
    shown.map(({ method, text: said, file }) => [method, said, file?.name, file?.type]),
    [
      ['sendPhoto', 'The rim', 'rim.png', 'image/png'],
      ['sendDocument', '', 'Prices 2026.txt', 'text/plain'],
      ['sendVoice', '', 'memo.ogg', 'audio/ogg'],
      ['sendPhoto', '', 'rim.png', 'image/png'], // the text is too long for a caption, and follows
      ['sendMessage', long, undefined, undefined],
    ],
  )
  assert.deepEqual(await bytesOf(shown[0]?.file), png)
  assert.deepEqual(await rowsOf(world), { files: 0, media: 3, chunks: 3, attachments: 4 })
  const { body } = await world.owner.call('GET', `/api/conversations/${contactId}/messages`)
  const [, first, second] = body.messages
  assert.deepEqual([first.body, first.file.contentType, first.file.sizeBytes], ['The rim', 'image/png', png.length])
  assert.deepEqual([first.file.isPicture, second.body, second.file.isPicture], [true, '', false])
  const page = await world.owner.call('GET', `/api/media/${second.id}`)
  assert.match(String(page.headers['content-disposition']), /^attachment/)
})

test('a reply with a file is one message however often it is asked for, and the file goes with no other', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  const { id: fileId } = await attach(world, contactId, picture)
  const path = `/api/conversations/${contactId}/replies`
  const asked = { body: 'The rim', fileId, clientId: newClientId() }
  const answers = await Promise.all([1, 2, 3].map(() => world.owner.call('POST', path, asked)))
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.id]),
    answers.map(() => [200, answers[0]?.body.id]),
  )
  const without = await world.owner.call('POST', path, { ...asked, fileId: undefined })
  assert.equal(without.status, 400, 'the file is part of what was asked for')
  const again = await world.owner.call('POST', path, { ...asked, clientId: newClientId() })
  assert.equal(again.status, 404)
  assert.match(again.body.error.message, /Attach it again/)
  await untilShown(ana, 1)
  await reply(world, contactId, 'After')
  await untilShown(ana, 2)
  assert.deepEqual(
    ana.shown.map(({ method }) => method),
    ['sendPhoto', 'sendMessage'],
  )
})

test('a file whose answer was lost leaves once more, marked; one that was refused is tried again with its bytes', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  world.telegram.plan('sendPhoto', tooMany(1))
  world.telegram.plan('sendPhoto', faults.cut, { isDone: true })
  const { id: fileId } = await attach(world, contactId, picture)
  await reply(world, contactId, 'The rim', { fileId })
  const shown = await untilShown(ana, 2)
  for (const { file } of shown) assert.deepEqual(await bytesOf(file), png)
  const parts = () => world.app.db.selectFrom('deliveryParts').select(['resentAt', 'acceptedAt']).execute()
  await until(async () => (await parts())[0]?.acceptedAt != null, 'it was not settled')
  assert.ok((await parts())[0]?.resentAt)
})

test('what is empty, is too large, or goes to somebody without a built-in channel is refused with a sentence', async () => {
  await using world = await startChannelWorld()
  const { contactId } = await startConversation(world)
  const refusal = async (path: string, body: unknown, headers?: Record<string, string>) => {
    const answer = await world.owner.call('POST', path, body, headers)
    return [answer.status, answer.body.error?.message]
  }
  assert.deepEqual(await refusal(pathOf(contactId, picture), Buffer.alloc(0)), [400, 'The file is empty.'])
  const [tooLarge] = await refusal(pathOf(contactId, text), Buffer.alloc(limits.mediaBytes + 1, 'x'))
  assert.equal(tooLarge, 413)
  const [asForm] = await refusal(pathOf(contactId, text), png, { 'content-type': 'text/plain' })
  assert.equal(asForm, 400, 'what another site could send without asking is not taken')
  await world.shop.post(incomingPath, incoming({ fromId: 'ben' }))
  const ben = await world.app.db.selectFrom('contacts').select('id').where('externalId', '=', 'ben').executeTakeFirst()
  assert.deepEqual(await refusal(pathOf(String(ben?.id), picture), png), [
    409,
    'Files are sent over built-in channels, and this contact is known on none that is connected.',
  ])
  assert.deepEqual(await rowsOf(world), { files: 0, media: 0, chunks: 0, attachments: 0 })
})

test('a file is of the type that its bytes have, whatever it is called, and its name is one that a phone can show', async () => {
  await using world = await startChannelWorld()
  const { contactId } = await startConversation(world)
  const page = Buffer.from('<!doctype html><script>alert(1)</script>')
  const typeOf = async (given: Given) => {
    const { fileName, contentType, isPicture } = await attach(world, contactId, given)
    return [fileName, contentType, isPicture]
  }
  assert.deepEqual(await typeOf({ ...picture, contentType: 'image/jpeg' }), ['rim.png', 'image/png', true])
  assert.deepEqual(await typeOf({ fileName: 'rim.png', contentType: 'image/png', bytes: page }), [
    'rim.png',
    'application/octet-stream',
    false,
  ])
  assert.deepEqual(await typeOf({ fileName: '../..\\a\u202Eb.png', bytes: png }), ['ab.png', 'image/png', true])
  assert.deepEqual(await typeOf({ ...text, fileName: '/', contentType: 'none' }), [
    'file',
    'application/octet-stream',
    false,
  ])
})

test('a file over the custom channel is refused, and stays attached for another way', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  const given = await world.owner.call('PATCH', `/api/contacts/${contactId}`, { externalId: 'ana' })
  assert.equal(given.status, 200)
  const { id: fileId } = await attach(world, contactId, picture)
  const asked = { fileId, channelId: 'custom', clientId: newClientId() }
  const { status, body } = await world.owner.call('POST', `/api/conversations/${contactId}/replies`, asked)
  assert.deepEqual(
    [status, body.error?.message],
    [409, 'A file is sent over a built-in channel only; choose one for this reply.'],
  )
  await reply(world, contactId, undefined, { fileId })
  await untilShown(ana, 1)
})

test('a file that nobody sends goes: at once when it is taken away, else after an hour; bytes that a message has stay', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  const taken = await attach(world, contactId, text)
  const remove = () => world.owner.call('DELETE', `/api/conversations/${contactId}/files/${taken.id}`)
  assert.deepEqual([(await remove()).status, (await remove()).status], [200, 404])
  assert.deepEqual(await rowsOf(world), { files: 0, media: 0, chunks: 0, attachments: 0 })
  const { id: fileId } = await attach(world, contactId, picture)
  await reply(world, contactId, undefined, { fileId })
  await untilShown(ana, 1)
  const [left] = [await attach(world, contactId, picture), await attach(world, contactId, text)]
  await sql`update outgoing_files set created_at = now() - interval '61 minutes'`.execute(world.app.db)
  const late = { fileId: left.id, clientId: newClientId() }
  assert.equal((await world.owner.call('POST', `/api/conversations/${contactId}/replies`, late)).status, 404)
  assert.equal(await pruneOutgoingFiles(world.app.db), 2)
  assert.deepEqual(await rowsOf(world), { files: 0, media: 1, chunks: 1, attachments: 1 })
})

test('with the contact go the files that were sent to them, and those that were not yet', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  const { id: fileId } = await attach(world, contactId, picture)
  await reply(world, contactId, undefined, { fileId })
  await untilShown(ana, 1)
  await attach(world, contactId, text)
  const { accountId } = world.shop
  await eraseContact({ db: world.app.db, secretKey }, { accountId, contactId: contactId as `con_${string}` })
  assert.deepEqual(await rowsOf(world), { files: 0, media: 0, chunks: 0, attachments: 0 })
})

test('a file that was removed before it could leave fails its message, in words', async () => {
  await using world = await startChannelWorld()
  const { contactId, channel } = await startConversation(world)
  assert.equal((await world.owner.call('POST', `/api/channels/${channel.id}/pause`)).status, 200)
  const { id: fileId } = await attach(world, contactId, picture)
  await reply(world, contactId, undefined, { fileId })
  await sql`update attachments set state = 'removed', media_id = null`.execute(world.app.db)
  assert.equal((await world.owner.call('POST', `/api/channels/${channel.id}/resume`)).status, 200)
  const failed = () => world.app.db.selectFrom('deliveries').select(['errorCategory', 'errorDetail']).execute()
  await until(async () => (await failed())[0]?.errorCategory === 'file_removed', 'it did not fail')
})

test('the command sends a file, and leaves nothing of one that cannot be sent', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  await using commands = await commandsOn(world.app)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'files-'))
  const path = join(folder.path, 'rim.png')
  await writeFile(path, png)
  const send = (...words: string[]) =>
    commands.run('reply', '--account', world.shop.email, '--contact', contactId, '--json', '--file', path, ...words)
  readDocument(await send('--body', 'The rim'))
  const [shown] = await untilShown(ana, 1)
  assert.deepEqual([shown?.method, shown?.text, shown?.file?.name], ['sendPhoto', 'The rim', 'rim.png'])
  assertRefusedCommand(await send('--channel', 'custom'), /over a built-in channel only/)
  await writeFile(path, Buffer.alloc(limits.mediaBytes + 1))
  assertRefusedCommand(await send(), /at most 10 MiB/)
  await rm(path)
  assertRefusedCommand(await send(), /Cannot read/)
  assert.deepEqual(await rowsOf(world), { files: 0, media: 1, chunks: 1, attachments: 1 })
})

test('so many files of an account may wait to be sent, and no more', async () => {
  await using world = await startChannelWorld()
  const { contactId } = await startConversation(world)
  for (let n = 0; n < limits.unsentFiles; n += 1) await attach(world, contactId, text)
  const { status, body } = await world.owner.call('POST', pathOf(contactId, text), text.bytes)
  assert.equal(status, 409)
  assert.match(body.error.message, /^At most 50 files/)
  assert.equal((await rowsOf(world))?.media, 1, 'the same bytes are kept once')
})
