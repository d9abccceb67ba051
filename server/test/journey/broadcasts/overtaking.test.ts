import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { write } from '../../helpers/bots.ts'
import { makeMembers, readersOf, startCast, untilCast } from '../../helpers/broadcasts.ts'
import { saveUrl, startDelivering } from '../../helpers/deliveries.ts'
import { startReceiver } from '../../helpers/receivers.ts'
import { signIn } from '../../helpers/sessions.ts'
import { until } from '../../helpers/until.ts'

test("a person's reply and the bot's leave at once beside a running broadcast, however slow the receiver is", async () => {
  let inFlight = 0
  let mostOfBroadcast = 0
  await using receiver = await startReceiver(async ({ body }, response) => {
    const isBroadcast = body.toString().includes('we are open')
    if (isBroadcast) {
      inFlight += 1
      mostOfBroadcast = Math.max(mostOfBroadcast, inFlight)
    }
    await sleep(1_500) // longer than a healthy receiver takes
    if (isBroadcast) inFlight -= 1
    response.end()
  })
  await using app = await startDelivering()
  const account = await app.makeAccount()
  await saveUrl(app, account, receiver.url)
  const members = await makeMembers(app.db, account, 100)
  const user = await signIn(app, account)
  await write(account, 'Hello', { fromId: 'to-90' })
  await until(() => readersOf(receiver).includes('to-90'), 'the bot has answered')
  const id = await startCast(account)
  await until(() => readersOf(receiver).length >= 4, 'the broadcast runs')
  const began = receiver.requests.length
  const body = { body: 'I am a person.', clientId: 'reply-beside-a-broadcast' }
  assert.equal((await user.call('POST', `/api/conversations/${members[89]}/replies`, body)).status, 200)
  await write(account, 'Hello', { fromId: 'to-80' })
  await until(() => bodies().includes('I am a person.'), 'the reply of a person did not leave')
  await until(() => readersOf(receiver).includes('to-80'), 'the reply of the bot did not leave')
  const others = receiver.requests.slice(began).filter(({ body: text }) => text.toString().includes('we are open'))
  assert.ok(others.length <= 12, `${others.length} of the broadcast left before both replies`)
  assert.ok(mostOfBroadcast <= 2, `${mostOfBroadcast} of the broadcast were in flight at once`)
  assert.ok((await untilCast(account, id, () => true)).counts.waiting > 80)

  function bodies(): string[] {
    return receiver.requests.map(({ body: text }) => JSON.parse(text.toString()).body)
  }
})
