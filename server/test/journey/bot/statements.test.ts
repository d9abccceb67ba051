import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Query } from 'pg'
import { untilAnswered, write } from '../../helpers/bots.ts'
import { startDelivering } from '../../helpers/deliveries.ts'
import { startTalk } from '../../helpers/providers/talk.ts'

type Submit = (this: Query, connection: unknown) => Error | null

/** The statements that the bot runs meanwhile, without those that keep its leases. It alone has names for their texts. */
async function statementsOfBot(during: () => Promise<unknown>): Promise<string[]> {
  const driver = Query.prototype as unknown as { submit: Submit } // the driver's types leave the result out
  const { submit } = driver
  const run: string[] = []
  driver.submit = function (connection) {
    const { name = '', text } = this as unknown as { name?: string; text: string }
    if (name.startsWith('planned-') && !text.includes('set leased_until')) run.push(text)
    return submit.call(this, connection)
  }
  try {
    await during()
  } finally {
    driver.submit = submit
  }
  return run
}

const ofChannels = /message_details|delivery_parts|channel_rates|(from|join) "?channels"?/

test('an answer on the custom channel takes as many statements as before there were built-in ones', async () => {
  await using app = await startDelivering()
  const account = await app.makeAccount()
  const answer = async () => {
    await write(account, 'Hello')
    await untilAnswered(app)
  }
  await answer()
  const run = await statementsOfBot(answer)
  assert.equal(run.length, 9, run.join('\n\n'))
  assert.deepEqual(
    run.filter((text) => ofChannels.test(text)),
    [],
  )
})

test('one on a built-in channel takes a few more', async () => {
  await using talk = await startTalk()
  await talk.ask('Hello')
  const run = await statementsOfBot(() => talk.ask('Hello'))
  assert.ok(run.some((text) => ofChannels.test(text)))
  assert.ok(run.length <= 14, `${run.length}`)
})
