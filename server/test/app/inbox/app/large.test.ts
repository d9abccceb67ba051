import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '@patchbay/contract/limits.ts'
import { showThread } from '../../../../src/app/inbox/thread/show-thread.ts'
import { isId } from '../../../../src/platform/ids.ts'
import { write } from '../../../helpers/bots.ts'
import { startInbox } from '../../../helpers/inbox.ts'
import { insertManyConversations } from '../../../helpers/many-conversations.ts'
import { readsOf } from '../../../helpers/plans.ts'

/** Nearly as large as a message may be, and each another. */
const textOf = (n: number) => `${n} ${'é🌱 '.repeat(limits.bodyBytes / 8)}`

test('of 10,000 conversations one of a megabyte is read in pages, each text whole and once, and the list has only their beginnings', async () => {
  await using inbox = await startInbox()
  const { account, owner, app, pathOf } = inbox
  await insertManyConversations(app, account, 10_000)
  for (let n = 0; n < 30; n += 1) await write(account, textOf(n))
  const path = await pathOf()
  const contactId = path.split('/').at(-1) ?? ''
  assert.ok(isId('con', contactId))

  const texts: string[] = []
  let before = ''
  do {
    const page = await owner.ok('GET', `${path}/messages?limit=7${before}`)
    texts.unshift(...page.messages.map(({ body }: { body: string }) => body))
    before = page.older === null ? '' : `&before=${page.older}`
  } while (before)
  assert.deepEqual(
    texts,
    Array.from({ length: 30 }, (_, n) => textOf(n)),
  )
  assert.ok(Buffer.byteLength(texts.join('')) > 1024 * 1024)

  const list = await owner.ok('GET', '/api/conversations')
  assert.equal(list.conversations[0].contactId, contactId)
  assert.ok(JSON.stringify(list.conversations[0]).length < 2_000)
  const reads = await readsOf(app, (db) =>
    showThread({ db, maxAttempts: 10 }, { accountId: account.accountId, contactId }, { limit: '7', before: '20' }),
  )
  assert.ok(reads.filter(({ table }) => table === 'messages').every(({ rows, isWhole }) => rows <= 10 && !isWhole))
})
