import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { pino } from 'pino'
import { contactErase } from '../../commands/contacts.ts'
import { askOn } from '../../commands/shared/ask.ts'
import type { CommandCtx } from '../../commands/shared/command.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { contactOf, write } from '../helpers/bots.ts'
import { assertRefusedCommand, readDocument, startShopWithCommands } from '../helpers/commands.ts'

async function startWorld() {
  const world = await startShopWithCommands()
  const show = (...words: string[]) =>
    world.commands.run('contact', 'show', '--account', world.shop.email, ...words, '--json')
  return { ...world, show }
}

test('a contact is shown by id, phone number, e-mail address or external id', async () => {
  await using world = await startWorld()
  const { app, shop, show } = world
  const { body: ana } = await shop.post('/contacts', { phone: '+15551234567', email: 'ana+x@example.com' })
  await shop.post('/contacts', { firstName: 'younger', email: 'ana+x@example.com' })
  await write(shop, 'Hello', { fromId: 'user 7' })
  const ids: [string[], string][] = [
    [['--contact', ana.id], ana.id],
    [['--phone', '+1 (555) 123-4567'], ana.id],
    [['--email', 'ANA+x@example.com'], ana.id],
  ]
  for (const [words, id] of ids) assert.equal(readDocument(await show(...words)).id, id, words.join(' '))
  const found = readDocument(await show('--external-id', 'user 7'))
  assert.deepEqual([found.fromId, found.messages], ['user 7', 1])

  assertRefusedCommand(await show(), /Give one of --contact, --phone, --email and --external-id/)
  assertRefusedCommand(await show('--phone', '+15551234567', '--contact', ana.id), /Give one of/)
  assertRefusedCommand(await show('--email', 'nobody@example.com'), /no such contact/)
  assertRefusedCommand(await show('--external-id', 'user 8'), /no contact with the external id user 8/)
  const other = await app.makeAccount()
  await write(other, 'Hello', { fromId: 'user 9' })
  assertRefusedCommand(await show('--external-id', 'user 9'), /no contact/)
})

test('on a terminal, erasing asks for confirmation, and anything but yes or the id erases nothing', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  await write(shop, 'Hello', { firstName: 'Ana\u001b[2J' })
  const contact = await contactOf(app)
  const asked: string[] = []
  const ctx = (answer: string): CommandCtx => ({
    config: readConfig({ SECRET_KEY: 'the same on every machine' }),
    json: false,
    print: () => {},
    note: () => {},
    noteOnTerminal: () => {},
    fail: () => {},
    ask: async (question) => {
      asked.push(question)
      return answer
    },
    openLog: async () => ({ log: pino({ enabled: false }), flush: () => {} }),
    withDatabase: (work) => work(app.db),
  })
  const erase = (answer: string, yes = false) => contactErase(ctx(answer), { account: shop.email, contact, yes }, '')
  const count = async () => (await app.db.selectFrom('contacts').selectAll().execute()).length

  for (const answer of ['', 'n', 'no', 'con_1', 'YES?']) await assert.rejects(erase(answer), /Nothing was erased/)
  assert.equal(await count(), 1)
  assert.equal(asked.length, 5)
  assert.match(asked[0] ?? '', new RegExp(`^Erase ${contact} \\(Ana␛\\[2J\\) and 1 messages for good\\?`))
  assert.deepEqual(await erase(contact), { erased: true, messages: 1 })
  assert.equal(await count(), 0)
})

test('--yes erases without asking', async () => {
  await using world = await startWorld()
  const { app, shop } = world
  await write(shop, 'Hello')
  const options = { account: shop.email, contact: await contactOf(app), yes: true }
  const ask = () => assert.fail('asked')
  const ctx: CommandCtx = {
    ...{
      config: readConfig({ SECRET_KEY: 'the same on every machine' }),
      json: false,
      print: () => {},
      note: () => {},
      noteOnTerminal: () => {},
      fail: () => {},
      ask,
    },
    openLog: async () => ({ log: pino({ enabled: false }), flush: () => {} }),
    withDatabase: (work) => work(app.db),
  }
  assert.deepEqual(await contactErase(ctx, options, ''), { erased: true, messages: 1 })
})

test('a question is answered by one line; end of input is an empty answer', async () => {
  for (const [typed, answer] of [
    ['yes\nno\n', 'yes'],
    ['\n', ''],
    ['', ''],
  ] as const) {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const answered = askOn({ input, output }, 'Sure? ')
    input.end(typed)
    assert.equal(await answered, answer)
    assert.match(String(output.read()), /Sure\? /)
  }
})
