import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/platform/ids.ts'
import { assertRefusedCommand, readDocument, startBeside } from '../helpers/commands.ts'
import { sendOne, untilMessage } from '../helpers/deliveries.ts'
import type { TestAccount } from '../helpers/harness.ts'
import { incoming, incomingPath } from '../helpers/message-requests.ts'
import { runCli } from '../helpers/server-process.ts'

test('an invalid webhook command is refused with one sentence and exit code 1, and changes nothing', async () => {
  await using beside = await startBeside()
  const { app, run } = beside
  const [shop, other] = [await app.makeAccount(), await app.makeAccount()]
  const nobody = { email: 'nobody@example.com' }
  readDocument(await run(shop, 'bot', 'off')) // its reply would be a change
  const { body } = await shop.post(incomingPath, incoming())
  const id = await sendOne(other)
  await untilMessage(app, other, ({ status }) => status === 'Failed')
  const before = await app.db.selectFrom('deliveries').selectAll().execute()
  const set = (url: string) => ['webhook', 'set', '--url', url]
  const since = (time: string) => ['resend', '--failed', '--since', time]
  const neither = /^Give either --message, or --failed with --since\.$/m
  const cases: [account: Pick<TestAccount, 'email'>, words: string[], sentence: RegExp][] = [
    ...['show', 'test', 'rotate', 'pause', 'resume', 'remove'].map((word): [typeof nobody, string[], RegExp] => {
      return [nobody, ['webhook', word], /^There is no account nobody@example\.com/]
    }),
    [nobody, set('http://127.0.0.1:9/'), /^There is no account/],
    [nobody, ['messages'], /^There is no account/],
    [nobody, since(new Date().toISOString()), /^There is no account/],
    ...['test', 'rotate', 'pause', 'resume', 'remove'].map((word): [TestAccount, string[], RegExp] => {
      return [shop, ['webhook', word], /^No address for reply events is saved; save one with: webhook set/]
    }),
    [shop, set('http://10.0.0.1/'), /^The address must begin with https:/],
    [shop, set('https://10.0.0.1/'), /^The address does not lead to the public internet/],
    [shop, set('https://169.254.169.254/latest'), /^The address does not lead/],
    [shop, set('ftp://127.0.0.1/'), /^The address must begin with https:/],
    [shop, set('nonsense'), /^The address must begin with https:/],
    [shop, set('http://me:secret@127.0.0.1/'), /^The address must not contain a user name or a password/],
    [shop, set('http://127.0.0.1/#top'), /^The address must not contain a fragment/],
    [shop, set(`http://127.0.0.1/${'a'.repeat(2_048)}`), /^The address must have at most 2048 characters/],
    [shop, set(''), /^--url is missing; usage/],
    [shop, ['webhook', 'set'], /^--url is missing; usage/],
    [shop, [...set('http://127.0.0.1:9/'), '--kind', 'replies'], /^--kind must be reply, recharge or alert/],
    [shop, ['webhook', 'test', '--kind', ''], /^--kind must be reply, recharge or alert/],
    [shop, ['resend'], neither],
    [shop, ['resend', '--failed'], neither],
    [shop, ['resend', '--message', id, ...since('2026-01-31').slice(1)], neither],
    [shop, ['resend', '--message', id, '--since', '2026-01-31'], neither],
    [shop, since('yesterday'), /^--since must be a time, such as/],
    [
      shop,
      since(new Date(Date.now() - 14 * 86_400_000 - 60_000).toISOString()),
      /^--since must be within the last 14 days/,
    ],
    [shop, ['resend', '--message', id], /^There is no outgoing message msg_/],
    [shop, ['resend', '--message', body.messageId], /^There is no outgoing message msg_/],
    [shop, ['resend', '--message', newId('msg')], /^There is no outgoing message msg_/],
    [shop, ['resend', '--message', 'nonsense'], /^There is no outgoing message nonsense/],
    [shop, ['messages', '--message', id], /^There is no message msg_[0-9a-f]+ in this account/],
    [shop, ['messages', '--message', 'nonsense'], /^There is no message nonsense/],
    [shop, ['messages', '--message', body.messageId, '--limit', '5'], /^Give either --message, or/],
    [shop, ['messages', '--limit', '0'], /^--limit must be a whole number/],
  ]
  for (const [account, words, sentence] of cases) assertRefusedCommand(await run(account, ...words), sentence)
  const alone = await runCli(beside.environment, ...set('https://10.0.0.1/'), '--account', shop.email)
  assertRefusedCommand(alone, /^The address does not lead to the public internet/)
  assert.deepEqual(await app.db.selectFrom('deliveries').selectAll().execute(), before)
  assert.deepEqual(await app.db.selectFrom('receivers').selectAll().execute(), [])
})
