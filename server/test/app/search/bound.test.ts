import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contactOf, write } from '../../helpers/bots.ts'
import { sharedApp } from '../../helpers/harness.ts'
import { addNewerApart, addToSearch } from '../../helpers/search-blocks.ts'
import { signIn } from '../../helpers/sessions.ts'

test('a search compares a bounded number of messages, and goes on from there when it is asked to', async () => {
  await using app = await sharedApp()
  const account = await app.makeAccount()
  const browser = await signIn(app, account)
  const messageId = await write(account, 'A lantern at the harbour', { fromId: 'ana' })
  const contactId = await contactOf(app, 'ana')
  await addToSearch(app, account.accountId, { messageId, contactId, text: 'A lantern at the harbour' })
  await addNewerApart(app, account.accountId, { words: ['lantern', 'harbour'], blocks: 600 })

  const search = async (query: string) => (await browser.call('GET', `/api/search?q=lantern%20harbour${query}`)).body
  const pages = [await search('')]
  while (pages.at(-1).next !== null) pages.push(await search(`&before=${pages.at(-1).next}`))
  // 601 blocks: 128 a request.
  assert.deepEqual(
    pages.map(({ messages }) => messages.length),
    [0, 0, 0, 0, 1],
  )
  assert.equal(pages[4].messages[0].messageId, messageId)
  assert.ok(pages[0].next > pages[1].next)
})

test('a position that is none is refused', async () => {
  await using app = await sharedApp()
  const browser = await signIn(app, await app.makeAccount())
  for (const before of ['', 'msg_1', 'x', `con_${'0'.repeat(32)}`]) {
    assert.equal((await browser.call('GET', `/api/search?q=lantern&before=${before}`)).status, 400, before)
  }
})
