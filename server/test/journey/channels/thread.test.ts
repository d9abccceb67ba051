import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { readThread, untilShownAs } from '../../helpers/providers/channel-thread.ts'
import { type ChannelWorld, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { reply, startConversation } from '../../helpers/providers/conversations.ts'
import { untilShown } from '../../helpers/providers/telegram.ts'
import { until } from '../../helpers/until.ts'

/** Whether a word is in any column of any table. */
async function isAnywhere({ app }: ChannelWorld, word: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I', table_name) as name from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'
  `.execute(app.db)
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.raw(name)} as t where strpos(t::text, ${word}) > 0 limit 1`.execute(
      app.db,
    )
    if (rows.length > 0) found.push(name)
  }
  return found
}

test('an edit shows the new text with the first one, a reaction its message; one that is taken back is nowhere, and none is answered', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  const handedBack = await world.owner.call('POST', `/api/conversations/${contactId}/handback`, { answersOld: false })
  assert.equal(handedBack.status, 200)
  await sql`update accounts set bot_active = true`.execute(world.app.db)
  await sql`delete from turns`.execute(world.app.db)
  const first = (await readThread(world, contactId)).messages[0]
  ana.edit(1, 'Hello, are you open?')
  const edited = await untilShownAs(world, contactId, [({ details }) => details?.edited, 'it was not edited'])
  assert.deepEqual(
    [edited.id, edited.body, edited.details?.edited?.before],
    [first?.id, 'Hello, are you open?', 'Hello'],
  )
  const row = async () => (await world.owner.call('GET', `/api/conversations/${contactId}`)).body.conversation
  assert.equal((await row()).last.text, 'Hello, are you open?')
  await world.owner.call('POST', `/api/conversations/${contactId}/takeover`, {})
  const ours = (await reply(world, contactId, 'Until six.')).id
  await untilShown(ana, 1)
  const sent = ana.shown.at(-1)?.id ?? 0
  ana.react(sent, '🦩')
  const reaction = await untilShownAs(world, contactId, [({ kind }) => kind === 'reaction', 'it did not come'])
  assert.deepEqual([reaction.body, reaction.details?.replyTo?.messageId], ['🦩', ours])
  ana.react(sent, null)
  const taken = await untilShownAs(world, contactId, [({ details }) => details?.takenBackAt, 'it is still there'])
  assert.deepEqual([taken.id, taken.body, taken.details?.replyTo], [reaction.id, '', null])
  const { last } = await row()
  assert.deepEqual([last.text, last.isTakenBack], ['', true])
  assert.deepEqual(await isAnywhere(world, '🦩'), [])
  const { rows: turns } = await sql`select from turns`.execute(world.app.db)
  assert.equal(turns.length, 0)
})

test('what people send is told: what it answers, places, cards, polls, stickers, files with their names, and when it was written', async () => {
  await using world = await startChannelWorld()
  const { contactId, ana } = await startConversation(world)
  const ours = (await reply(world, contactId, 'Where are you?')).id
  await untilShown(ana, 1)
  const [sent] = ana.shown
  ana.write('Here', { reply_to_message: { message_id: sent?.id } })
  ana.write('As I said', { reply_to_message: { message_id: 1 } })
  ana.write('Long ago', { reply_to_message: { message_id: 99_999 } })
  ana.send({ location: { latitude: 51.4551, longitude: -2.5879 } })
  ana.send({ venue: { location: { latitude: 1.5, longitude: 2.5 }, title: 'Old Mill', address: 'Yard 4' } })
  ana.send({ contact: { first_name: 'Ben', phone_number: '+447700900342' } })
  ana.send({ poll: { question: 'Red or blue?' } })
  ana.send({ dice: { emoji: '🎲', value: 4 } })
  ana.send({ sticker: { file_id: 's', is_animated: true, emoji: '🐳' } })
  ana.send({ document: { file_id: 'big', file_name: 'plan.pdf', mime_type: 'application/pdf', file_size: 40_000_000 } })
  ana.write('Late', { date: Math.floor(Date.now() / 1_000) - 3_600 })
  await until(async () => (await readThread(world, contactId)).messages.length === 13, 'not all came')
  const { messages } = await readThread(world, contactId)
  const of = (body: string) => messages.find((message) => message.body === body)
  assert.deepEqual(of('Here')?.details?.replyTo, { messageId: ours, author: 'person', text: 'Where are you?' })
  const hello = of('Hello')
  assert.deepEqual(of('As I said')?.details?.replyTo, { messageId: hello?.id, author: 'contact', text: 'Hello' })
  assert.deepEqual(of('Long ago')?.details?.replyTo, { messageId: null, author: null, text: '' })
  const places = messages.flatMap(({ details }) => details?.place ?? [])
  assert.deepEqual(places, [
    { latitude: 51.4551, longitude: -2.5879, name: null },
    { latitude: 1.5, longitude: 2.5, name: 'Old Mill, Yard 4' },
  ])
  const described = messages.flatMap(({ details }) => details?.described ?? [])
  assert.deepEqual(described, ['location', 'location', 'contact', 'poll', 'dice', 'sticker'])
  const { file } = messages.find(({ file }) => file !== null) ?? {}
  assert.deepEqual([file?.state, file?.fileName, file?.sizeBytes], ['too large', 'plan.pdf', 40_000_000])
  const late = of('Late')
  assert.ok(Date.parse(late?.createdAt ?? '') - Date.parse(late?.details?.writtenAt ?? '') > 3_000_000)
  assert.equal(of('Hello')?.details, null)
})

test('a reply that waits for its channel has not failed: no list says so', async () => {
  await using world = await startChannelWorld()
  const { channel, contactId, ana } = await startConversation(world)
  assert.equal((await world.owner.call('POST', `/api/channels/${channel.id}/pause`)).status, 200)
  await reply(world, contactId, 'It waits')
  const waiting = await untilShownAs(world, contactId, [({ delivery }) => delivery?.fault, 'it was not held back'])
  assert.equal(waiting.delivery?.fault?.category, 'endpoint_paused')
  const { conversation, replies } = (await world.owner.call('GET', `/api/conversations/${contactId}`)).body
  assert.equal(conversation.hasFailed, false)
  assert.deepEqual(replies, { sent: 0, failed: 0, inDoubt: 0, waiting: 1 })
  assert.deepEqual((await world.owner.call('GET', '/api/conversations?filter=failed')).body.conversations, [])
  assert.equal((await world.owner.call('GET', '/api/counts')).body.failed, 0)
  assert.equal((await world.owner.call('POST', `/api/channels/${channel.id}/resume`)).status, 200)
  await untilShown(ana, 1)
})
