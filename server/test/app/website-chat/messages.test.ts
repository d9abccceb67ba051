import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { contactsOf, page, startChatWorld } from '../../helpers/website-chat/chat-world.ts'

test('WC01 the first message of a browser, sent 50 times at once to two processes, is one contact, one message and one turn', async () => {
  await using world = await startChatWorld()
  await using second = await startChatWorld({}, world)
  const { app } = world
  const one = world.visitor()
  const other = world.visitor({ bearer: one.bearer, at: second.app })
  const id = randomUUID()
  const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => (n % 2 ? one : other).post('Hello', { id })))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 201])
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(new Set(answers.map(({ body }) => `${body.seq} ${body.at} ${body.text}`)).size, 1)
  assert.equal((await contactsOf(world)).length, 1)
  assert.equal((await app.db.selectFrom('messages').select('id').execute()).length, 1)
  assert.equal((await app.db.selectFrom('turns').select('contactId').execute()).length, 1)
})

test('WC03 a message whose answer never arrived is sent again to a process that knows nothing of it, and is kept and shown once', async () => {
  await using world = await startChatWorld()
  const visitor = world.visitor()
  const id = randomUUID()
  const first = await visitor.post('Hello', { id })
  await using second = await startChatWorld({}, world)
  const again = await world.visitor({ bearer: visitor.bearer, at: second.app }).post('Hello', { id })
  assert.deepEqual([again.status, again.body], [200, first.body])
  assert.deepEqual(
    (await visitor.read()).messages.map(({ id: shown }) => shown),
    [id],
  )
})

test('WC02 the same id of another browser is another message; with another text it is the first one, which stays and is shown', async () => {
  await using world = await startChatWorld()
  const [ana, ben] = [world.visitor(), world.visitor()]
  const id = randomUUID()
  const first = await ana.post('first', { id })
  assert.equal(first.status, 201)
  assert.equal((await ben.post('of Ben', { id })).status, 201)
  const again = await ana.post('second', { id: id.toUpperCase() })
  assert.deepEqual([again.status, again.body], [200, first.body])
  const shown = await ana.read()
  assert.deepEqual(
    shown.messages.map(({ text, id: given, from }) => [text, given, from]),
    [['first', id, 'visitor']],
  )
  assert.deepEqual(
    (await ben.read()).messages.map(({ text }) => text),
    ['of Ben'],
  )
  assert.equal((await contactsOf(world)).length, 2)
})

test('WC13 WC14 what is not asked from a page of the chat is refused before its body, without a word that a page could read', async () => {
  await using world = await startChatWorld()
  for (const origin of [
    undefined,
    'null',
    'https://evil.example',
    'http://shop.example',
    'https://shop.example:444',
    'https://shop.example.evil.example',
  ]) {
    const { status, headers } = await world.visitor({ origin }).post('Hello')
    assert.equal(status, 403, String(origin))
    assert.ok(!Object.keys(headers).some((name) => name.startsWith('access-control-')), String(origin))
  }
  assert.deepEqual(await contactsOf(world), [])
  for (const origin of ['https://SHOP.example', 'https://www.shop.example', 'http://localhost:3000']) {
    const { status, headers } = await world.visitor({ origin }).post('Hello')
    assert.equal(status, 201, origin)
    assert.equal(headers['access-control-allow-origin'], origin)
    assert.equal(headers['access-control-allow-credentials'], undefined)
  }
  const asked = await world.visitor().call('OPTIONS', 'messages')
  assert.equal(asked.status, 204)
  assert.deepEqual(
    ['origin', 'methods', 'headers'].map((name) => asked.headers[`access-control-allow-${name}`]),
    [page, 'GET, POST', 'authorization, content-type'],
  )
  assert.equal(asked.headers['access-control-max-age'], '7200')
  const nowhere = `/chat/chn_${'0'.repeat(32)}/messages`
  for (const [origin, allowed] of [
    ['null', undefined],
    ['https://evil.example', 'https://evil.example'],
  ]) {
    const { status, headers } = await world.visitor({ origin }).call('GET', nowhere)
    assert.deepEqual(
      [status, headers['access-control-allow-origin']],
      [404, allowed],
      'every page may know that it is gone',
    )
  }
})

test('WC15 who only looks leaves nothing behind, and a key that nobody knows reads nothing', async () => {
  await using world = await startChatWorld()
  const visitor = world.visitor()
  const { status, body } = await visitor.call('GET', 'messages')
  assert.deepEqual([status, body.reason, body.error], [401, 'ended', 'UNAUTHORIZED'])
  const stream = await visitor.listen()
  assert.equal(stream.status, 401)
  for (const path of ['marks', 'typing', 'email', 'forget']) {
    const bodies: Record<string, unknown> = { marks: { delivered: 9, read: 9 }, email: { email: 'a@b.example' } }
    const { status } = await visitor.call('POST', path, { body: bodies[path] ?? {} })
    assert.ok(path === 'typing' ? status === 204 : status === 401, `${path} ${status}`)
  }
  assert.deepEqual(await contactsOf(world), [])
  for (const table of ['contactAddresses', 'contactChannels', 'conversations', 'outgoingFiles'] as const) {
    assert.deepEqual(await world.app.db.selectFrom(table).selectAll().execute(), [], table)
  }
})

test('WC23 the chat shows what went over it, live and in history, and nothing else of the contact', async () => {
  await using world = await startChatWorld()
  const { app, shop } = world
  const visitor = world.visitor()
  await visitor.post('over the chat')
  const [contactId] = await contactsOf(world)
  assert.ok(contactId)
  await app.db.updateTable('contacts').set({ externalId: 'ana' }).where('id', '=', contactId).execute()
  using window = await visitor.listen()
  await window.untilTexts('over the chat')
  const custom = await shop.post('/messages/incoming', {
    customUserId: 'ana',
    customMessageId: 'm1',
    customData: { body: 'over the platform' },
  })
  assert.ok(custom.status < 500)
  await world.owner.call('POST', `/api/conversations/${contactId}/notes`, { body: 'a note', clientId: randomUUID() })
  await world.reply(contactId, 'from us')
  await window.untilTexts('from us')
  const { messages, lines } = await visitor.read()
  assert.ok(!JSON.stringify([messages, lines, window.text()]).includes('platform'))
  assert.ok(!JSON.stringify([messages, lines, window.text()]).includes('a note'))
  assert.deepEqual(messages.map(({ text, from }) => [text, from]).at(-1), ['from us', 'person'])
  assert.deepEqual(
    lines.map(({ is }) => is),
    ['joined'],
  )
})

test('bad input is refused with what is wrong and changes nothing; what cannot be stored is mended', async () => {
  await using world = await startChatWorld()
  const visitor = world.visitor()
  for (const [more, words] of [
    [{ id: 'x' }, /id/],
    [{ text: '' }, /text/],
    [{ text: 'x'.repeat(4_001) }, /text/],
    [{ language: 'tlh' as 'en' }, /language/],
    [{ fileId: 'fil_1' }, /file/],
  ] as const) {
    const { status, body } = await visitor.post('Hello', more)
    assert.ok(status === 400 || status === 404, `${status} ${JSON.stringify(body)}`)
    assert.match(body.message, words)
  }
  for (const raw of ['', '[]', '"x"', '{"a":{"b":{"c":{"d":{"e":1}}}}}', '{', `{"id":"${'x'.repeat(20_000)}"}`]) {
    const { status } = await visitor.call('POST', 'messages', {
      raw: Buffer.from(raw),
      headers: { 'content-type': 'application/json' },
    })
    assert.ok(status === 400 || status === 413, `${raw.slice(0, 20)} ${status}`)
  }
  assert.deepEqual(await contactsOf(world), [])
  const { status, body } = await visitor.post('a\0b\ud800')
  assert.deepEqual([status, body.text], [201, 'a\u{FFFD}b\u{FFFD}'])
})
