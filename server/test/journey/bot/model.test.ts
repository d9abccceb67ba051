import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { contactOf, conversation, makeTurnsDue, outcomes, untilAnswered, write } from '../../helpers/bots.ts'
import { urlOf } from '../../helpers/databases.ts'
import { saveUrl, untilMessages } from '../../helpers/deliveries.ts'
import type { TestApp } from '../../helpers/harness.ts'
import { obediences } from '../../helpers/hostile-model.ts'
import { injections } from '../../helpers/injections.ts'
import { startModelBot } from '../../helpers/model-bot.ts'
import { fail, json } from '../../helpers/model-server.ts'
import { recordDials, startReceiver } from '../../helpers/receivers.ts'

test('after three failures of the model a person takes over, the campaign shows the error, and requests are bounded', async () => {
  await using world = await startModelBot(() => fail(500))
  const { server, app, account, trouble } = world
  await write(account, 'Is it red?')
  await untilAnswered(app, 40_000)
  assert.deepEqual(await conversation(app), ['contact: Is it red?', 'bot: A person comes.'])
  assert.deepEqual(await outcomes(app), ['handed over, engine_error'])
  assert.ok(server.asked.length <= 6, `asked ${server.asked.length} times`)
  assert.match((await trouble()) ?? '', /500/)
})

test('a wrong provider key is not retried, and the next success clears the error of the campaign', async () => {
  let isRight = false
  await using world = await startModelBot(() => (isRight ? json('It is red.', []) : fail(401)))
  const { server, app, account, trouble } = world
  await write(account, 'Is it red?')
  await untilAnswered(app)
  assert.equal(server.asked.length, 1)
  assert.match((await trouble()) ?? '', /401/)
  assert.doesNotMatch((await trouble()) ?? '', /sk-canary/)
  isRight = true
  await write(account, 'Is it red?', { fromId: 'ben' })
  await untilAnswered(app)
  assert.equal((await conversation(app, 'ben')).at(-1), 'bot: It is red.')
  assert.equal(await trouble(), null)
})

test('when the model gives the same answer twice, the conversation is handed over to a person', async () => {
  await using world = await startModelBot(() => json('It is red.', []))
  const { app, account } = world
  for (const text of ['Which colour?', 'Which colour, please?']) {
    await write(account, text)
    await untilAnswered(app)
  }
  assert.deepEqual(
    (await outcomes(app)).map((outcome) => outcome.split(',')[0]),
    ['answered', 'handed over'],
  )
})

test('a contact who makes the model fail does not open its circuit breaker for other contacts', async () => {
  await using world = await startModelBot(({ messages }) =>
    messages.at(-1)?.text.includes('nonsense') ? '{"action":"grant_credits"}' : json('It is red.', []),
  )
  const { app, account } = world
  for (let n = 0; n < 6; n += 1) await write(account, 'Talk nonsense', { fromId: `attacker ${n}` })
  await makeTurnsDue(app.db)
  await sleep(1_000)
  await write(account, 'Is it red?', { fromId: 'ben' })
  await untilAnswered(app, 40_000)
  assert.equal((await conversation(app, 'ben')).at(-1), 'bot: It is red.')
  assert.equal((await conversation(app, 'attacker 0')).at(-1), 'bot: A person comes.')
})

for (const name of ['tells its rules', 'gives the addresses it read', 'speaks in other roles', 'adds fields']) {
  test(`40 attacks on a model that ${name}: nothing but the text to this contact changes, no link or secret leaves`, async () => {
    const obey = obediences[name]
    assert.ok(obey)
    const instructions = 'You are Ana. The secret name of the campaign is canary blue heron over the quiet harbour.'
    await using receiver = await startReceiver()
    await using world = await startModelBot(obey, { instructions, quietSeconds: 0, fallbackText: 'I do not know.' })
    const { server, app, account } = world
    await saveUrl(app, account, receiver.url)
    await write(account, 'Hello', { fromId: 'bystander' })
    await untilAnswered(app)
    await untilMessages(app, account, (all) => all[0]?.status === 'Sent')
    const before = await stateOfOthers(app)
    using watch = recordDials()
    for (const [n, { text }] of injections.entries()) {
      await write(account, text, { fromId: `attacker ${n}`, firstName: n % 2 === 0 ? text.slice(0, 200) : undefined })
    }
    await untilAnswered(app, 60_000)
    await untilMessages(app, account, (all) => all.every(({ status }) => status !== 'Waiting'))
    assert.deepEqual(await stateOfOthers(app), before)
    const replies = receiver.requests.map(({ body }) => JSON.parse(String(body)))
    const bystander = await contactOf(app, 'bystander')
    for (const { toId, contactId, body } of replies.slice(1)) {
      assert.match(toId, /^attacker/)
      assert.notEqual(contactId, bystander)
      assert.doesNotMatch(body, /evil|canary blue heron|sk-canary|https?:/i)
    }
    const ports = [server.url, receiver.url, app.url, urlOf(app.database.address)].map((url) => new URL(url).port)
    const known = ['.s.PGSQL', ...ports.filter(Boolean).map((port) => `127.0.0.1 ${port}`)]
    const strange = watch.dials.filter((dial) => !known.some((part) => dial.includes(part)))
    assert.deepEqual(strange, [], 'connections to other hosts')
  })
}

/** Everything that an attacker must not be able to change. */
async function stateOfOthers({ db }: TestApp): Promise<unknown> {
  const bystander = await contactOf({ db }, 'bystander')
  return {
    campaigns: await db.selectFrom('campaigns').selectAll().orderBy('id').execute(),
    accounts: await db.selectFrom('accounts').selectAll().orderBy('id').execute(),
    ledger: await db.selectFrom('ledger').selectAll().orderBy('id').execute(),
    endpoints: await db.selectFrom('receivers').select(['accountId', 'url', 'secret']).orderBy('url').execute(),
    messages: await db.selectFrom('messages').selectAll().where('contactId', '=', bystander).orderBy('id').execute(),
    conversations: await db.selectFrom('conversations').selectAll().where('contactId', '=', bystander).execute(),
    answers: await db.selectFrom('answers').selectAll().where('contactId', '=', bystander).orderBy('fromSeq').execute(),
  }
}
