import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Content, PartToSend, ProviderEvent } from '../../../../src/journey/channels/kinds/kind.ts'
import { readUpdate } from '../../../../src/journey/channels/kinds/telegram/read.ts'
import { telegram } from '../../../../src/journey/channels/kinds/telegram/telegram.ts'
import { OutboundError } from '../../../../src/platform/outbound/call.ts'
import { Refusal } from '../../../../src/platform/refusal.ts'

const receivedAt = Date.UTC(2026, 10, 19, 12)
const date = receivedAt / 1_000 - 3
const chat = { id: 42, type: 'private', first_name: 'Ana' }
const from = { id: 42, is_bot: false, first_name: 'Ana', last_name: 'Lima', username: 'ana', language_code: 'pt' }
const sender = {
  addresses: [{ kind: 'chat', address: '42' }],
  names: { firstName: 'Ana', lastName: 'Lima', username: 'ana' },
}

const read = (update: unknown) => readUpdate(update, receivedAt)
const message = (content: object) => ({ update_id: 7, message: { message_id: 5, from, chat, date, ...content } })

function only<Is extends ProviderEvent['is']>(event: ProviderEvent, is: Is): Extract<ProviderEvent, { is: Is }> {
  assert.equal(event.is, is)
  return event as Extract<ProviderEvent, { is: Is }> // compared in the line above
}

test('a text is a message with the time and the names that Telegram gives', () => {
  assert.deepEqual(read(message({ text: 'Hello' })), {
    ...{ is: 'message', id: '42/5', at: date * 1_000, from: sender, body: 'Hello', mayBeAnswered: true },
    ...{ file: null, replyTo: null, data: {}, acknowledge: null },
  })
})

test('the start of a conversation keeps what its link brought', () => {
  const start = only(read(message({ text: '/start spring' })), 'message')
  assert.deepEqual([start.body, start.data], ['/start', { opens: true, start: 'spring' }])
  assert.deepEqual(only(read(message({ text: '/start' })), 'message').data, { opens: true })
  assert.equal(only(read(message({ text: '/starting soon?' })), 'message').body, '/starting soon?')
  assert.equal(only(read(message({ text: '/start of what?' })), 'message').body, '/start')
})

test('a file is named by its id, never by an address', () => {
  const photo = [
    { file_id: 'small', file_size: 10 },
    { file_id: 'large', file_size: 90_000 },
  ]
  const found = only(read(message({ photo, caption: 'Look' })), 'message')
  assert.equal(found.body, 'Look')
  assert.deepEqual(found.file, { id: 'large', contentType: 'image/jpeg', fileName: null, sizeBytes: 90_000 })
  const document = { file_id: 'd', mime_type: 'application/pdf', file_name: 'bill.pdf', file_size: 5 }
  const bill = only(read(message({ document })), 'message').file
  assert.deepEqual(bill, { id: 'd', contentType: 'application/pdf', fileName: 'bill.pdf', sizeBytes: 5 })
  for (const name of ['voice', 'audio', 'video', 'video_note', 'animation']) {
    assert.equal(only(read(message({ [name]: { file_id: name } })), 'message').file?.id, name)
  }
})

test('what has neither text nor file is said in words', () => {
  const words = (content: object) => only(read(message(content)), 'message').body
  assert.equal(words({ location: { latitude: 52.5, longitude: 13.4 } }), 'Location: 52.5, 13.4')
  const venue = { title: 'Shop', address: 'Main St 1', location: { latitude: 1, longitude: 2 } }
  assert.equal(words({ venue, location: venue.location }), 'Location: Shop, Main St 1, 1, 2')
  assert.equal(words({ contact: { first_name: 'Bo', phone_number: '+44 20' } }), 'Contact: Bo +44 20')
  assert.equal(words({ poll: { question: 'Tea?' } }), 'Poll: Tea?')
  assert.equal(words({ dice: { emoji: '🎲', value: 4 } }), '🎲 4')
  assert.equal(words({ sticker: { file_id: 's', emoji: '👍', is_animated: true } }), '👍')
  assert.equal(
    only(read(message({ sticker: { file_id: 's', emoji: '👍' } })), 'message').file?.contentType,
    'image/webp',
  )
})

test('a tap on a button is a message with its title and the entry that was chosen', () => {
  const reply_markup = { inline_keyboard: [[{ text: 'Opening hours', callback_data: 'ent_1' }]] }
  const tap = {
    id: '99',
    from,
    chat_instance: '1',
    data: 'ent_1',
    message: { message_id: 6, chat, date, text: '?', reply_markup },
  }
  const event = only(read({ update_id: 8, callback_query: tap }), 'message')
  assert.deepEqual(
    [event.id, event.body, event.data, event.acknowledge, event.replyTo],
    ['cb/99', 'Opening hours', { choice: 'ent_1' }, '99', '42/6'],
  )
})

test('an edit, a reaction, its removal, and blocking are what they are and no messages', () => {
  const edited = { message_id: 5, from, chat, date, edit_date: date + 2, text: 'Hi' }
  assert.deepEqual(read({ update_id: 1, edited_message: edited }), {
    is: 'edit',
    id: '42/5',
    at: (date + 2) * 1_000,
    body: 'Hi',
  })
  const reaction = (emojis: string[]) =>
    only(
      read({
        update_id: 2,
        message_reaction: {
          chat,
          message_id: 6,
          user: from,
          date,
          new_reaction: emojis.map((emoji) => ({ type: 'emoji', emoji })),
        },
      }),
      'reaction',
    )
  assert.deepEqual([reaction(['👍']).emoji, reaction(['👍']).target, reaction([]).emoji], ['👍', '42/6', null])
  const member = (status: string) =>
    read({ update_id: 3, my_chat_member: { chat, from, date, new_chat_member: { status } } })
  assert.deepEqual(member('kicked'), { is: 'blocked', at: date * 1_000, from: sender })
  assert.deepEqual(member('member'), { is: 'unblocked', at: date * 1_000, from: sender })
})

test('what is written in groups is left out, and what is unknown is kept as it came', () => {
  assert.equal(read(message({ text: 'all', chat: { id: -5, type: 'group' } })).is, 'left out')
  for (const update of [
    { update_id: 1, purchased_paid_media: {} },
    { update_id: 1, message: { text: 'x' } },
    null,
    5,
    [],
    'x',
  ]) {
    assert.deepEqual(only(read(update), 'not read').raw, update)
  }
})

test('a time that cannot be is the time of receipt', () => {
  for (const wrong of [receivedAt / 1_000 + 600, 1_790_000_000_000, 'abc', 0, null, Number.NaN]) {
    assert.equal(only(read(message({ text: 'x', date: wrong })), 'message').at, receivedAt, String(wrong))
  }
})

test('NUL and lone surrogates become U+FFFD in their own text alone', () => {
  const event = only(
    read(
      message({
        document: { file_id: 'f', file_name: 'a\0b' },
        caption: 'x\ud800y',
        from: { ...from, first_name: 'A\0' },
      }),
    ),
    'message',
  )
  assert.deepEqual(
    [event.body, event.file?.fileName, event.from.names],
    ['x\ufffdy', 'a\ufffdb', { ...sender.names, firstName: 'A\ufffd' }],
  )
  const markup = { inline_keyboard: [[{ text: 'T\0', callback_data: 'e' }]] }
  const tap = { id: '1', from, data: 'e', message: { message_id: 6, chat, reply_markup: markup } }
  assert.equal(only(read({ callback_query: tap }), 'message').body, 'T\ufffd')
})

test('whatever comes, reading it throws nothing', () => {
  const names = ['message', 'edited_message', 'callback_query', 'my_chat_member', 'message_reaction', 'poll']
  const anything = fc.dictionary(
    fc.constantFrom(
      'chat',
      'from',
      'date',
      'message_id',
      'text',
      'photo',
      'sticker',
      'location',
      'reply_to_message',
      'message',
      'data',
      'id',
      'user',
      'new_reaction',
      'new_chat_member',
    ),
    fc.anything({ withNullPrototype: true }),
  )
  fc.assert(
    fc.property(fc.constantFrom(...names), anything, (name, about) => void read({ update_id: 1, [name]: about })),
  )
})

const secrets = { token: '123456:AAEaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', secretToken: 'ours' }
const settings = { botId: '123456', username: 'shop_bot' }
const content: Content = { text: 'Hello', choices: [], file: null, replyTo: null }
const toAna = { kind: 'chat' as const, address: '42' }
const send = (change: Partial<PartToSend['part']> = {}): PartToSend => ({
  ...{ messageId: 'msg_1', n: 1, fileUrl: null, hookUrl: null, secondsLeft: 60 },
  part: { text: 'Hello', hasFile: false, choices: [], replyTo: null, ...change },
  address: toAna,
  file: null,
})

test('a text goes as it is, in parts that Telegram takes, with buttons below the last', () => {
  const choices = [{ id: 'ent_1', title: 'When do you open on the days before Christmas and Easter?' }]
  const parts = telegram.split({ ...content, text: 'word '.repeat(1_000), choices, replyTo: '42/5' })
  assert.deepEqual(
    parts.map(({ choices, replyTo }) => [choices.length, replyTo]),
    [
      [0, '42/5'],
      [1, null],
    ],
  )
  assert.equal(parts[1]?.choices[0]?.title, 'When do you open on the days before…')
  const call = telegram.request({ ...send(parts[1]), address: toAna }, settings, secrets)
  const body = JSON.parse(String(call.body))
  assert.equal(body.parse_mode, undefined, 'nothing in a text is markup')
  assert.deepEqual(body.reply_markup.inline_keyboard, [[{ text: parts[1]?.choices[0]?.title, callback_data: 'ent_1' }]])
  assert.equal(call.operation, 'sendMessage')
})

test('a file goes first, and a text that is too long for a caption after it', () => {
  const file = { contentType: 'image/png', fileName: 'a.png', sizeBytes: 3 }
  const shape = (text: string) =>
    telegram.split({ ...content, file, text }).map(({ hasFile, text }) => [hasFile, text.length])
  assert.deepEqual(shape('See'), [[true, 3]])
  assert.deepEqual(shape('x'.repeat(1_025)), [
    [true, 0],
    [false, 1_025],
  ])
  assert.throws(() => telegram.split({ ...content, file: { ...file, sizeBytes: 11 * 1_048_576 } }), Refusal)
  assert.throws(
    () => telegram.split({ ...content, text: 'x'.repeat(41_000) }),
    /too long: Telegram would show it as 11/,
  )
})

test('a form has the bytes of the file and no line that its name could add', async () => {
  const bytes = Buffer.from([0, 1, 2, 255, 13, 10, 45, 45])
  const file = { contentType: 'application/pdf', fileName: 'a"\r\nx-evil: 1\r\n.pdf', bytes }
  const call = telegram.request({ ...send({ text: 'Ünï', hasFile: true }), file }, settings, secrets)
  const form = await new Response(new Uint8Array(call.body as Buffer), { headers: call.headers }).formData()
  const sent = form.get('document') as File
  assert.deepEqual(Buffer.from(await sent.arrayBuffer()), bytes)
  assert.deepEqual([form.get('caption'), form.get('chat_id'), sent.type], ['Ünï', '42', 'application/pdf'])
})

const answer = (status: number, body: unknown) => ({
  status,
  headers: {},
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})
const refused = (error_code: number, description: string, parameters?: object) =>
  answer(error_code, { ok: false, error_code, description, parameters })
const notReached = Object.assign(new OutboundError('connection_refused', 'No.'), { isBeforeRequest: true })

test('each answer is judged as Telegram means it', () => {
  const cases: [given: Parameters<typeof telegram.judge>[0], is: string, more?: object][] = [
    [answer(200, { ok: true, result: { message_id: 9 } }), 'sent', { providerId: '42/9' }],
    [answer(200, { ok: true, result: {} }), 'in doubt'],
    [refused(429, 'Too Many Requests', { retry_after: 7 }), 'later', { seconds: 7, holds: 'channel' }],
    [refused(429, 'Too Many Requests', { retry_after: 1e9 }), 'later', { seconds: 3_600 }],
    [refused(403, 'Forbidden: bot was blocked by the user'), 'failed', { effect: 'blocked', retries: false }],
    [refused(400, 'Bad Request: chat not found'), 'failed', { effect: 'blocked', retries: false }],
    [refused(400, 'Bad Request: message is too long'), 'failed', { retries: false, code: '400', effect: undefined }],
    [refused(418, 'I am a teapot'), 'failed', { retries: false }],
    [refused(401, 'Unauthorized'), 'broken'],
    [refused(404, 'Not Found'), 'broken'],
    [refused(500, 'Internal Server Error'), 'failed', { retries: true }],
    [answer(502, '<html>'), 'in doubt'],
    [answer(200, 'yes'), 'in doubt'],
    [new OutboundError('timeout', 'No answer.'), 'in doubt'],
    [new OutboundError('connection_reset', 'Closed.'), 'in doubt'],
    [notReached, 'failed', { retries: true }],
  ]
  for (const [given, is, more = {}] of cases) {
    const judged: Record<string, unknown> = telegram.judge(given, send())
    assert.equal(judged.is, is, JSON.stringify(judged))
    for (const [name, value] of Object.entries(more)) assert.equal(judged[name], value, `${is}: ${name}`)
  }
})

test('a hook is authentic with our secret alone, in one header', () => {
  const isAuthentic = (value: string | string[] | undefined) =>
    telegram.hook?.mayBeAuthentic({ 'x-telegram-bot-api-secret-token': value }, secrets)
  assert.deepEqual(['ours', 'Ours', 'our', '', undefined, ['ours', 'ours']].map(isAuthentic), [
    true,
    false,
    false,
    false,
    false,
    false,
  ])
})

test('a poll goes on after the last update, also where one cannot be read', () => {
  const updates = [
    { update_id: 11, message: { message_id: 1, from, chat, date, text: 'a' } },
    { nothing: 1 },
    { update_id: 10 },
  ]
  const polled = telegram.poll?.judge(answer(200, { ok: true, result: updates }), receivedAt)
  assert.ok(polled?.is === 'events')
  assert.deepEqual([polled.cursor, polled.events.map(({ is }) => is)], [12n, ['message', 'not read', 'not read']])
  assert.deepEqual(telegram.poll?.judge(answer(200, { ok: true, result: [] }), receivedAt), {
    is: 'events',
    events: [],
    cursor: null,
  })
  assert.equal(
    telegram.poll?.judge(refused(409, 'Conflict: terminated by other getUpdates request'), receivedAt).is,
    'conflict',
  )
  assert.equal(telegram.poll?.judge(refused(401, 'Unauthorized'), receivedAt).is, 'broken')
  assert.equal(telegram.poll?.judge(new OutboundError('timeout', 'No.'), receivedAt).is, 'later')
})

test('a token that cannot be one is refused before anybody is asked', () => {
  const read = (token: unknown) => telegram.connect.readCredentials({ token }, () => 'new')
  for (const wrong of [undefined, 5, '', 'abc', '123:short', `${secrets.token}/getMe`])
    assert.throws(() => read(wrong), Refusal)
  assert.deepEqual(read(` ${secrets.token}\n`), { token: secrets.token, secretToken: 'new' })
})

test('a file is fetched from where Telegram says, and from nowhere else', () => {
  const download = (file_path: unknown) => {
    const calls = telegram.files.download(
      { id: 'f', contentType: null, fileName: null, sizeBytes: null },
      settings,
      secrets,
    )
    calls.next()
    return calls.next(answer(200, { ok: true, result: { file_path } }))
  }
  const found = download('photos/file_1.jpg')
  assert.ok(!found.done)
  assert.equal(found.value.path, `/file/bot${secrets.token}/photos/file_1.jpg`)
  for (const wrong of ['../bot1/getMe', '//evil.example/x', 'a?b', 'a#b', 'a\nb', undefined, 5]) {
    assert.deepEqual(download(wrong), { done: true, value: { state: 'gone' } }, String(wrong))
  }
})
