import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contactOf, write } from '../../helpers/bots.ts'
import { startApp, type TestAccount } from '../../helpers/harness.ts'
import { outgoing, sendPath } from '../../helpers/message-requests.ts'
import { type SignedIn, signIn } from '../../helpers/sessions.ts'

type Row = { contactId: string; externalId: string; unread: number; last: { text: string } }

async function list(user: SignedIn, query = ''): Promise<{ conversations: Row[]; next: string | null }> {
  const answer = await user.call('GET', `/api/conversations${query}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

const names = ({ conversations }: { conversations: Row[] }) => conversations.map(({ externalId }) => externalId)

async function writeFrom(account: TestAccount, people: string[]): Promise<void> {
  for (const fromId of people) await write(account, `Hello from ${fromId}`, { fromId })
}

test('the conversation with the newest message comes first, with everything that a row shows', async () => {
  await using app = await startApp()
  const account = await app.makeAccount()
  const owner = await signIn(app, account)
  await write(account, 'Hello', { fromId: 'ana', firstName: 'Ana', lastName: 'Lima', channel: 'WhatsApp' })
  await writeFrom(account, ['ben', 'eva'])
  assert.deepEqual(names(await list(owner)), ['eva', 'ben', 'ana'])
  await account.post(sendPath, outgoing({ fromId: 'ana', customChannel: 'WhatsApp', body: 'x'.repeat(1_000) }))
  const { conversations } = await list(owner)
  const { contactId, lastAt, ...ana } = conversations[0] as Row & { lastAt: string }
  assert.equal(contactId, await contactOf(app))
  assert.ok(Date.parse(lastAt) > Date.now() - 60_000)
  assert.deepEqual(ana, {
    ...{ name: 'Ana Lima', phone: null, externalId: 'ana', isSimulated: false },
    channel: { label: 'WhatsApp', colour: 2 },
    last: { author: 'api', userName: null, kind: 'text', text: 'x'.repeat(160), hasFile: false },
    ...{ unread: 1, waitingSince: null, waitingReason: null, hasFailed: false, botIsWriting: false },
  })
})
