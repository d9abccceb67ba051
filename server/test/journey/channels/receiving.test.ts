import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Bot as Stranger } from 'grammy'
import { sql } from 'kysely'
import { startApp } from '../../helpers/harness.ts'
import { png } from '../../helpers/media-files.ts'
import { type ChannelWorld, connectBot, readChannel, startChannelWorld } from '../../helpers/providers/channel-world.ts'
import { type Person, putFile } from '../../helpers/providers/telegram.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

const incoming = ({ app }: ChannelWorld) =>
  app.db
    .selectFrom('messages as m')
    .leftJoin('messageDetails as d', (join) =>
      join.onRef('d.accountId', '=', 'm.accountId').onRef('d.messageId', '=', 'm.id'),
    )
    .select(['m.id', 'm.contactId', 'm.kind', 'm.body', 'm.messageSid', 'm.seq'])
    .select(['d.data', 'd.replyTo', 'd.editedBody', 'd.removedAt', 'd.providerAt'])
    .where('m.direction', '=', 'incoming')
    .orderBy('m.createdAt')
    .orderBy('m.seq')
    .execute()

const untilKept = (world: ChannelWorld, count: number) =>
  until(async () => (await incoming(world)).length === count, `there are not ${count} messages`)

async function startConnected() {
  const world = await startChannelWorld()
  const bot = world.telegram.addBot()
  const channel = await connectBot(world.owner, bot)
  return { ...world, world, bot, channel, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

test('an update that comes again is a copy, and the cursor moves only when everything before it is kept', async () => {
  await using connected = await startConnected()
  const { world, bot, app } = connected
  const ana = bot.addPerson()
  for (const text of ['1', '2', '3']) ana.write(text)
  await untilKept(world, 3)
  await app.db.updateTable('channelPolls').set({ cursor: '0', leaseToken: null, leasedUntil: null }).execute()
  ana.write('4')
  await untilKept(world, 4)
  assert.deepEqual(
    (await incoming(world)).map(({ body }) => body),
    ['1', '2', '3', '4'],
  )
  const { rows } = await sql<{ n: number }>`select count(*)::integer as n from contacts`.execute(app.db)
  assert.equal(rows[0]?.n, 1)
})

test('what comes together is numbered by the times that the provider gives', async () => {
  await using world = await startChannelWorld()
  const bot = world.telegram.addBot()
  const ana = bot.addPerson()
  const now = Math.floor(Date.now() / 1_000)
  for (const [text, ago] of [
    ['third', 1],
    ['first', 60],
    ['second', 30],
  ] as const)
    ana.send({ text, date: now - ago })
  await connectBot(world.owner, bot)
  await untilKept(world, 3)
  const rows = (await incoming(world)).toSorted((one, other) => Number(one.seq) - Number(other.seq))
  assert.deepEqual(
    rows.map(({ body }) => body),
    ['first', 'second', 'third'],
  )
})

test('each person is a contact of their own, with the names that they have there, which overwrite nothing', async () => {
  await using connected = await startConnected()
  const { world, bot, app } = connected
  const ana = bot.addPerson({ first_name: 'Ana', last_name: 'Lima', username: 'ana' })
  const ben = bot.addPerson({ first_name: 'Ben' })
  ana.write('I am Ana')
  ben.write('I am Ben')
  await untilKept(world, 2)
  const contacts = await app.db
    .selectFrom('contacts')
    .select(['firstName', 'lastName', 'phone', 'externalId'])
    .orderBy('firstName')
    .execute()
  assert.deepEqual(contacts, [
    { firstName: 'Ana', lastName: 'Lima', phone: null, externalId: null },
    { firstName: 'Ben', lastName: null, phone: null, externalId: null },
  ])
  await app.db.updateTable('contacts').set({ firstName: 'Anna' }).where('firstName', '=', 'Ana').execute()
  ana.write('Again')
  await untilKept(world, 3)
  const names = await app.db.selectFrom('contacts').select('firstName').orderBy('firstName').execute()
  assert.deepEqual(
    names.map(({ firstName }) => firstName),
    ['Anna', 'Ben'],
  )
})

test('an edit, a reaction and its removal are kept with the message, and owe no answer', async () => {
  await using connected = await startConnected()
  const { world, bot, app } = connected
  const ana = bot.addPerson()
  const id = ana.write('Helo')
  await untilKept(world, 1)
  await app.db.deleteFrom('turns').execute()
  ana.edit(id, 'Hello')
  ana.react(id, '👍')
  await untilKept(world, 2)
  await until(async () => (await incoming(world))[0]?.editedBody === 'Hello', 'the edit did not come')
  const [message, reaction] = await incoming(world)
  assert.equal(message?.body, 'Helo', 'what was written first is kept')
  assert.deepEqual([reaction?.kind, reaction?.body, reaction?.replyTo], ['reaction', '👍', `${ana.chatId}/${id}`])
  ana.react(id, null)
  await until(async () => (await incoming(world))[1]?.removedAt != null, 'the reaction was not taken back')
  assert.deepEqual(await app.db.selectFrom('turns').selectAll().execute(), [])
})

test('a file is kept by its reference and fetched, without a secret in any row', async () => {
  await using connected = await startConnected()
  const { world, bot, app } = connected
  const ana = bot.addPerson()
  ana.send({ document: { ...putFile(bot, 'look', png), mime_type: 'image/png' }, caption: 'Look' })
  ana.send({ document: { file_id: 'gone', mime_type: 'application/pdf', file_name: 'bill.pdf' } })
  ana.send({ video: { file_id: 'big', file_size: 30 * 1_048_576 } })
  await untilKept(world, 3)
  const files = () =>
    app.db
      .selectFrom('attachments')
      .select(['state', 'contentType', 'fileName', 'reference', 'url'])
      .orderBy('messageId')
      .execute()
  await until(
    async () => (await files()).every(({ state }) => state !== 'not fetched yet'),
    'not every file was fetched',
  )
  assert.deepEqual(
    (await files()).map(({ state, fileName }) => [state, fileName]),
    [
      ['stored', null],
      ['unreachable', 'bill.pdf'],
      ['too large', null],
    ],
  )
  assert.ok(!JSON.stringify(await files()).includes(bot.token))
})

test('what nobody can read is kept as it came, what is written in groups is counted, and neighbours are not concerned', async () => {
  await using connected = await startConnected()
  const { world, bot, app } = connected
  const ana = bot.addPerson()
  ana.write('before')
  bot.updates.add({ purchased_paid_media: { secret: 'x\0y' } } as never)
  bot.updates.add({ message: { text: 'no chat', date: 1 } } as never)
  for (const n of [1, 2]) {
    const chat = { id: -n, type: 'group', title: 'a group' }
    bot.updates.add({ message: { message_id: n, chat, date: 1, text: 'to all' } } as never)
  }
  ana.write('after\0\ud800')
  await untilKept(world, 2)
  assert.deepEqual(
    (await incoming(world)).map(({ body }) => body),
    ['before', 'after\ufffd\ufffd'],
  )
  const events = await app.db.selectFrom('providerEvents').select(['why', 'times', 'body']).orderBy('why').execute()
  assert.deepEqual(
    events.map(({ why, times, body }) => [why, times, body !== null]),
    [
      ['an update of an unknown kind', 1, true],
      ['message without what it should have', 1, true],
      ['what is written in groups and channels', 2, false],
    ],
  )
})

test('another program that fetches is shown, keeps nobody from receiving for good, and is over when it ends', async () => {
  await using connected = await startConnected()
  const { world, bot, app, channel, owner } = connected
  const { api } = new Stranger(bot.token, { client: { apiRoot: world.telegram.origin } })
  let isReading = true
  const other = (async () => {
    while (isReading) await api.getUpdates({ timeout: 1 }).catch(() => {}) // whichever comes later ends the other's
  })()
  const found = () => app.db.selectFrom('channels').select(['state', 'attentionReason']).executeTakeFirstOrThrow()
  await until(async () => (await found()).attentionReason === 'other reader', 'nobody noticed')
  assert.match(
    (await readChannel(owner, channel.id)).checks[0]?.sentence ?? '',
    /Another program reads this bot|answers/,
  )
  isReading = false
  await other
  await app.db.updateTable('channelPolls').set({ dueAt: sql`now()` }).execute() // a minute passes
  await until(async () => (await found()).state === 'working', 'it did not recover by itself', 40_000)
  bot.addPerson().write('Hello')
  await untilKept(world, 1)
})

test('a bot that reports to another tool is left alone until somebody takes it over', async () => {
  await using world = await startChannelWorld()
  const bot = world.telegram.addBot()
  bot.hook.set({ url: 'https://other-tool.example/hook' })
  const { id, state, checks } = await connectBot(world.owner, bot)
  assert.equal(state, 'connecting')
  assert.match(checks.find(({ name }) => name === 'receiving')?.sentence ?? '', /another tool, at other-tool.example/)
  assert.equal(bot.hook.info().url, 'https://other-tool.example/hook')
  const taken = await world.owner.call('POST', `/api/channels/${id}/check`, { takesOver: true })
  assert.deepEqual([taken.body.state, bot.hook.info().url], ['working', ''])
  bot.addPerson().write('Hello')
  await untilKept(world, 1)
  const acts = await world.app.db.selectFrom('auditEvents').select('act').orderBy('id').execute()
  assert.deepEqual(
    acts.map(({ act }) => act),
    ['channel connected', 'channel taken over'],
  )
})

test('a bot is of one account: another one is refused once it has shown that it has the token, and may have it when it is free', async () => {
  await using world = await startChannelWorld()
  const bot = world.telegram.addBot('shop_bot')
  const { id } = await connectBot(world.owner, bot)
  const rival = await signIn(world.app, await world.app.makeAccount())
  const connect = (token: string) => rival.call('POST', '/api/channels', { kind: 'telegram', credentials: { token } })
  const wrong = await connect(`${bot.me.id}:${'A'.repeat(35)}`)
  assert.equal(wrong.status, 400)
  assert.match(wrong.body.error.message, /does not know this token\./)
  assert.equal(wrong.body.error.quote, '401 Unauthorized')
  const refused = await connect(bot.token)
  assert.equal(refused.status, 409)
  assert.match(refused.body.error.message, /@shop_bot is connected on this installation already, by another account/)
  assert.equal((await world.owner.call('DELETE', `/api/channels/${id}`)).status, 200)
  assert.equal((await connect(bot.token)).status, 200)
})

test('a channel that was removed and is connected again is the same one, with its people and copies', async () => {
  await using connected = await startConnected()
  const { world, bot, owner, channel } = connected
  const ana = bot.addPerson()
  ana.write('one')
  await untilKept(world, 1)
  assert.equal((await owner.call('DELETE', `/api/channels/${channel.id}`)).status, 200)
  const rows = await world.app.db.selectFrom('channels').select(['state', 'credentials', 'name']).execute()
  assert.deepEqual(rows, [{ state: 'removed', credentials: null, name: 'The shop' }])
  const again = await connectBot(owner, bot)
  assert.equal(again.id, channel.id)
  ana.write('two')
  await untilKept(world, 2)
  const contacts = new Set((await incoming(world)).map(({ contactId }) => contactId))
  assert.equal(contacts.size, 1)
})

test('two processes fetch one bot in turns, never at once, and a killed one is followed by the other', async () => {
  await using connected = await startConnected()
  const { world, bot, app } = connected
  const second = await startApp({ ROLE: 'all', CHANNEL_ORIGINS: `telegram=${world.telegram.origin}` }, app.database)
  const people: Person[] = Array.from({ length: 5 }, () => bot.addPerson())
  for (let n = 0; n < 10; n += 1) {
    for (const person of people) person.write(`${n}`)
    await sleep(20)
  }
  await untilKept(world, 50)
  await second[Symbol.asyncDispose]()
  for (const person of people) person.write('last')
  await untilKept(world, 55)
  assert.equal(bot.updates.polls.most, 1)
  for (const person of people) {
    const rows = (await incoming(world)).filter(({ messageSid }) => messageSid?.includes(`:${person.chatId}/`))
    assert.deepEqual(
      rows.map(({ body }) => body),
      ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'last'],
    )
  }
})

test('labels of callers cannot name a built-in channel, and may be the name of a provider', async () => {
  await using connected = await startConnected()
  const { shop, channel } = connected
  const message = (label: string) => ({
    customData: { messageSid: label, fromId: 'a', toId: 'b', body: 'x', channel: label },
  })
  const refused = await shop.post('/incoming_custom_channel_message', message(channel.id))
  assert.equal(refused.status, 400)
  assert.match(refused.body.error, /names a built-in channel/)
  const sent = await shop.post('/send_custom_channel_message', {
    customData: { fromId: 'a', body: 'x', customChannel: channel.id },
  })
  assert.deepEqual([sent.status, typeof sent.body.error], [400, 'string'])
  assert.equal((await shop.post('/incoming_custom_channel_message', message('telegram'))).status, 200)
})

test('of an erased contact nothing is left in any table of channels', async () => {
  await using connected = await startConnected()
  const { world, bot, owner, app } = connected
  const ana = bot.addPerson({ first_name: 'Ana', username: 'ana_lima' })
  const id = ana.write('Helo')
  ana.edit(id, 'Hello')
  ana.send({ something_new: { from: 'ana' } })
  await untilKept(world, 1)
  await until(
    async () => (await app.db.selectFrom('providerEvents').selectAll().execute()).length === 1,
    'it was not kept',
  )
  const contactId = (await incoming(world))[0]?.contactId ?? ''
  await owner.call('POST', `/api/conversations/${contactId}/replies`, {
    body: 'Yes?',
    clientId: 'client-id-before-erasing',
  })
  await until(() => ana.shown.length === 1, 'the reply did not come')
  assert.equal((await owner.call('DELETE', `/api/contacts/${contactId}`)).status, 200)
  const tables = [
    'contactAddresses',
    'contactChannels',
    'messageDetails',
    'deliveryParts',
    'deliveries',
    'messages',
    'providerEvents',
  ] as const
  for (const table of tables) assert.deepEqual(await app.db.selectFrom(table).selectAll().execute(), [], table)
  ana.edit(id, 'Nobody knows this message any more')
  ana.write('I am back')
  await untilKept(world, 1)
})

test('a restored copy receives, and sends and fetches nothing until somebody says that it goes on; what waited is for people', async () => {
  await using connected = await startConnected()
  const { world, bot, owner, app, channel } = connected
  const ana = bot.addPerson()
  ana.write('Hello')
  await untilKept(world, 1)
  const contactId = (await incoming(world))[0]?.contactId ?? ''
  assert.equal((await owner.call('POST', `/api/channels/${channel.id}/pause`)).status, 200)
  await owner.call('POST', `/api/conversations/${contactId}/replies`, {
    body: 'It waited',
    clientId: 'client-id-that-waited',
  })
  await sleep(500)
  await sql`insert into installation (secret_key_check, restored_at) values ('none', now())`.execute(app.db)
  const held = await readChannel(owner, channel.id)
  assert.equal(held.isHeld, true)
  await sleep(1_000)
  const before = world.telegram.calls.length
  await sleep(1_500)
  const since = world.telegram.calls.slice(before).filter(({ method }) => method !== 'getUpdates')
  assert.deepEqual(since, [], 'nobody is called')
  const resumed = await owner.call('POST', `/api/channels/${channel.id}/resume`)
  assert.equal(resumed.body.isHeld, false)
  await sleep(2_000)
  assert.deepEqual(ana.shown, [])
  const [delivery] = await app.db.selectFrom('deliveries').select(['errorCategory', 'dueAt']).execute()
  assert.deepEqual(delivery, { errorCategory: 'in_doubt', dueAt: null })
  const conversation = await app.db.selectFrom('conversations').select('waitingReason').executeTakeFirst()
  assert.equal(conversation?.waitingReason, 'in_doubt')
  await owner.call('POST', `/api/conversations/${contactId}/replies`, {
    body: 'Here again',
    clientId: 'client-id-after-it',
  })
  await until(() => ana.shown.length === 1, 'it does not send')
})
