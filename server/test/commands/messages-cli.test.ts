import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefusedCommand, readDocument, startShopWithCommands } from '../helpers/commands.ts'
import { incoming, incomingPath } from '../helpers/message-requests.ts'

async function startWorld() {
  const world = await startShopWithCommands()
  const list = (...words: string[]) => world.commands.run('messages', '--account', world.shop.email, ...words)
  return { ...world, list }
}

test('a message prints no escape sequences to the terminal, and cannot look like more than one message', async () => {
  await using world = await startWorld()
  const { shop, list } = world
  const body = 'Hello\r\nmsg_2  con_2  \u001b[2J\u001b]0;title\u0007\u009b31m\u007f\u202egnp.exe 👩‍👩‍👧'
  await shop.post(incomingPath, incoming({ body, channel: 'a\nb' }))
  const { code, stdout } = await list()
  assert.equal(code, 0)
  assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\u202a-\u202e]/u)
  assert.equal(stdout.split('\n').length, 3, 'the names, one message and the end')
  assert.match(stdout, /Hello␍␊msg_2 {2}con_2 {2}␛\[2J.*👩‍👩‍👧/)
  const { messages } = readDocument(await list('--json'))
  assert.equal(messages[0].body, body, 'JSON has the original text')
})

test('one long message does not widen the column of all others', async () => {
  await using world = await startWorld()
  const { shop, list } = world
  await shop.post(incomingPath, incoming({ body: 'x'.repeat(60_000) }))
  for (let n = 0; n < 5; n += 1) await shop.post(incomingPath, incoming({ messageSid: `${n}` }))
  const { stdout } = await list()
  assert.ok(stdout.includes('x'.repeat(60_000)), 'it is shown whole')
  assert.ok(stdout.length < 65_000, `${stdout.length} characters`)
})

test('messages of a contact of another account are refused, not an empty list', async () => {
  await using world = await startWorld()
  const { app, shop, list } = world
  const other = await app.makeAccount()
  await other.post(incomingPath, incoming())
  const { id: foreign } = await app.db.selectFrom('contacts').select('id').executeTakeFirstOrThrow()
  assertRefusedCommand(await list('--contact', foreign), /^There is no contact con_\w+ in this account/)
  assertRefusedCommand(await list('--contact', 'ana'), /^There is no contact ana; its id would begin with con_\.\n/)
  const { body: silent } = await shop.post('/contacts', { phone: '+15551234567' })
  assert.deepEqual(readDocument(await list('--contact', silent.id, '--json')), { messages: [] })
})
