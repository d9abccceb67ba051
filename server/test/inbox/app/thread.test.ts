import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { contactOf, write } from '../../helpers/bots.ts'
import { startApp } from '../../helpers/harness.ts'
import { addMember, signIn } from '../../helpers/sessions.ts'

async function startInbox() {
  await using started = new AsyncDisposableStack()
  const app = started.use(await startApp())
  const account = await app.makeAccount()
  const owner = await signIn(app, account)
  const member = await signIn(app, {
    accountId: account.accountId,
    userId: await addMember(app, account.accountId, 'mia@example.com'),
  })
  await write(account, 'Hello', { firstName: 'Ana' })
  const path = `/api/conversations/${await contactOf(app)}`
  const running = started.move()
  return { app, account, owner, member, path, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

async function ok(answer: Promise<{ status: number; body: unknown }>) {
  const { status, body } = await answer
  assert.equal(status, 200, JSON.stringify(body))
  // biome-ignore lint/suspicious/noExplicitAny: the assertions say what it is
  return body as any
}

test('a reply says which user wrote it, takes the conversation over, and its event keeps the userId of the owner', async () => {
  await using inbox = await startInbox()
  const { app, account, member, path } = inbox
  const reply = await ok(member.call('POST', `${path}/replies`, { body: 'Hi Ana', clientId: randomUUID() }))
  assert.deepEqual([reply.author, reply.userId, reply.userName], ['person', member.userId, 'Mia Member'])
  assert.deepEqual([reply.seq, reply.delivery.status, reply.delivery.maxAttempts > 1], [2, 'Waiting', true])
  const { payload } = await app.db.selectFrom('deliveries').select('payload').executeTakeFirstOrThrow()
  assert.equal(JSON.parse(payload).userId, account.userId)
  const detail = await ok(member.call('GET', path))
  assert.deepEqual(
    [detail.handler, detail.handlerReason, detail.handlerUser],
    ['person', 'typed', { id: member.userId, name: 'Mia Member' }],
  )
  assert.ok(Math.abs(Date.parse(detail.botResumesAt) - Date.now() - 24 * 3_600_000) < 60_000)
  assert.deepEqual(detail.replies, { sent: 0, failed: 0, waiting: 1 })
  const thread = await ok(member.call('GET', `${path}/messages`))
  assert.deepEqual(
    thread.messages.map(({ body }: { body: string }) => body),
    ['Hello', 'Hi Ana'],
  )
  assert.deepEqual(
    thread.events.map(({ kind, seq, userName }: Record<string, unknown>) => [kind, seq, userName]),
    [['taken over', 1, 'Mia Member']],
  )
})
