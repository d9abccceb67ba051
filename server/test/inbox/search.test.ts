import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexNewMessages } from '../../src/search/index-messages.ts'
import { startApp } from '../helpers/harness.ts'
import { signIn } from '../helpers/sessions.ts'

test('people are found by part of their name and by the beginning of their identifiers, messages by words, within the account', async () => {
  await using app = await startApp()
  const account = await app.makeAccount()
  const browser = await signIn(app, account)
  const stranger = await signIn(app, await app.makeAccount())
  const person = { fromId: 'web-81f3c0', firstName: 'Marta', lastName: 'Lindqvist', email: 'marta@example.com' }
  const message = { messageSid: 'one', toId: 'shop', body: 'The 100% wool_gloves are lovely', channel: 'Web chat' }
  await account.post('/incoming_custom_channel_message', { customData: { ...message, ...person } })
  await account.post('/contacts', { firstName: 'Martin', phone: '+447700900342' })
  await indexNewMessages(app.db)

  const search = async (q: string, who = browser) => {
    const { status, body } = await who.call('GET', `/api/search?q=${encodeURIComponent(q)}`)
    assert.equal(status, 200)
    return body
  }
  const names = async (q: string) => (await search(q)).people.map(({ name }: { name: string }) => name)
  assert.deepEqual(await names('lindq'), ['Marta Lindqvist'])
  assert.deepEqual(await names('MART'), ['Marta Lindqvist', 'Martin'])
  assert.deepEqual(await names('+44 7700'), ['Martin'])
  assert.deepEqual(await names('web-8'), ['Marta Lindqvist'])
  assert.deepEqual(await names('%'), [])
  assert.deepEqual(await names('márta  LÍN'), ['Marta Lindqvist'])
  assert.deepEqual(await names('MARTA@ex'), ['Marta Lindqvist'])
  assert.deepEqual(await names('example.com'), [], 'an address is found by its beginning')
  assert.deepEqual(await names('m'), ['Marta Lindqvist', 'Martin'])
  await account.post('/contacts', { firstName: 'Zoë', lastName: 'Strauß-Ørsted', email: 'z@example.com' })
  for (const q of ['zoe', 'ZOE\u0308', 'strauss', 'STRAUSS-ø'])
    assert.deepEqual(await names(q), ['Zoë Strauß-Ørsted'], q)
  const [found] = (await search('lovely WÓOL')).messages
  assert.deepEqual([found.contactName, found.text], ['Marta Lindqvist', message.body])
  assert.deepEqual((await search('woolen')).messages, [])
  assert.equal((await search('wo')).messages, null, 'no word is long enough')
  assert.deepEqual((await search('Customers')).lists[0].name, 'Customers')
  assert.deepEqual(await search('marta', stranger), { people: [], lists: [], messages: [], next: null })
})
