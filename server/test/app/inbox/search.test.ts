import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexNewMessages } from '../../../src/app/search/index-messages.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { signIn } from '../../helpers/sessions.ts'

test('people are found by part of their name and by the beginning of their identifiers, messages by words, within the account', async () => {
  await using app = await sharedApp()
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
  const marked = found.marks.map(({ from, to }: { from: number; to: number }) => found.text.slice(from, to))
  assert.deepEqual(marked, ['wool', 'lovely'])
  assert.deepEqual((await search('woolen')).messages, [])
  assert.equal((await search('wo')).messages, null, 'no word is long enough')
  assert.deepEqual((await search('Customers')).lists[0].name, 'Customers')
  assert.deepEqual(await search('marta', stranger), {
    people: [],
    hasMorePeople: false,
    lists: [],
    hasMoreLists: false,
    messages: [],
    next: null,
  })
})

test('a search finds the first twenty lists, and says whether there are more', async () => {
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const account = await app.makeAccount()
  const { call } = await signIn(app, account)
  const search = async () => (await call('GET', '/api/search?q=autumn')).body
  for (let n = 1; n <= 20; n += 1) await call('POST', '/api/lists', { name: `Autumn ${n}` })
  const few = await search()
  assert.deepEqual([few.lists.length, few.hasMoreLists], [20, false])
  await call('POST', '/api/lists', { name: 'Autumn 21' })
  const many = await search()
  assert.deepEqual([many.lists.length, many.hasMoreLists], [20, true])
  assert.deepEqual(many.lists, few.lists)
})

test('a search goes on after the first twenty messages to the last, without gaps and doubles, and says how many there are', async () => {
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const account = await app.makeAccount()
  const browser = await signIn(app, account)
  for (let n = 0; n < 33; n += 1) {
    const sent = {
      messageSid: `sid-${n}`,
      fromId: `person ${n}`,
      firstName: 'Saddler',
      toId: 'shop',
      body: `A saddle, number ${n}`,
    }
    await account.post('/incoming_custom_channel_message', { customData: sent })
    if (n % 10 === 0) await indexNewMessages(app.db)
  }
  await indexNewMessages(app.db)
  type Page = { messages: { messageId: string; text: string; marks: { from: number; to: number }[] }[]; next: null }
  const search = async (query: string): Promise<Page & { people: unknown[]; hasMorePeople: boolean }> =>
    (await browser.call('GET', `/api/search?q=sádd${query}`)).body
  const first = await search('')
  assert.deepEqual([first.messages.length, first.next, first.people.length, first.hasMorePeople], [20, null, 20, true])
  const second = await search(`&older=${first.messages.at(-1)?.messageId}`)
  assert.deepEqual([second.messages.length, second.next, second.people.length], [13, null, 0])
  const texts = [...first.messages, ...second.messages].map(({ text }) => text)
  assert.deepEqual(
    texts,
    Array.from({ length: 33 }, (_, n) => `A saddle, number ${32 - n}`),
  )
  for (const { text, marks } of second.messages) {
    assert.deepEqual(
      marks.map(({ from, to }) => text.slice(from, to)),
      ['sadd'],
    )
  }
  assert.deepEqual((await search(`&older=${second.messages.at(-1)?.messageId}`)).messages, [])
  assert.deepEqual((await browser.call('GET', '/api/search/count?q=sadd')).body, { count: 33, next: null })
  assert.deepEqual((await browser.call('GET', '/api/search/count?q=sa')).body, { count: 0, next: null })
  for (const wrong of ['older=x', 'before=con_1']) {
    assert.equal((await browser.call('GET', `/api/search?q=sadd&${wrong}`)).status, 400, wrong)
  }
})
