import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conversation, defaultCampaign, editCampaign, makeTurnsDue, write } from '../../helpers/bots.ts'
import { startDelivering } from '../../helpers/deliveries.ts'
import type { TestAccount, TestApp } from '../../helpers/harness.ts'
import { faults, json, startModelServer } from '../../helpers/model-server.ts'
import { until } from '../../helpers/until.ts'

/** More accounts than the bot has slots, each with more turns than an account may have at once. */
const hanging = 40
const turnsOfEach = 10

async function useModel(app: TestApp, account: TestAccount, port: number): Promise<void> {
  const provider = { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'sk-canary' }
  await editCampaign(app, await defaultCampaign(app, account), {
    engine: 'openai-compatible',
    model: 'm',
    strict: false,
    provider,
    replyTimeoutSeconds: 120, // on a busy machine the default ends before the test
  })
}

test('while many models hang, accounts with the built-in engine or a healthy model are answered', async () => {
  await using hangingServer = await startModelServer(() => faults.silence)
  await using healthyServer = await startModelServer(({ messages }) =>
    json(`Yes: ${messages.at(-1)?.text.slice(-9)}`, []),
  )
  await using app = await startDelivering()
  const [builtin, healthy] = [await app.makeAccount(), await app.makeAccount()]
  await useModel(app, healthy, healthyServer.port)
  for (let n = 0; n < hanging; n += 1) {
    const account = await app.makeAccount()
    await useModel(app, account, hangingServer.port)
    await Promise.all(
      Array.from({ length: turnsOfEach }, (_, c) => write(account, 'Is it red?', { fromId: `${n} ${c}` })),
    )
  }
  await makeTurnsDue(app.db)
  await until(() => hangingServer.asked.length >= hanging, 'not all of the models were called')

  for (let n = 0; n < 3; n += 1) {
    await write(builtin, 'Hello', { fromId: `built-in ${n}` })
    await write(healthy, `Is it ${n}?`, { fromId: `healthy ${n}` })
    await makeTurnsDue(app.db)
    for (const fromId of [`built-in ${n}`, `healthy ${n}`]) {
      await until(async () => (await conversation(app, fromId)).length === 2, `${fromId} waits for models that hang`)
    }
  }
  assert.equal(hangingServer.asked.length, hanging, 'a model that never answered gets one request at a time')
  const leased = await app.db.selectFrom('turns').select('contactId').where('leaseToken', 'is not', null).execute()
  // A call of a model takes no slot and gets one back when it ends, also while all of them are taken: the healthy one's too.
  assert.ok(leased.length <= hanging + 1 + 32, `${leased.length} turns are held by this process`)
})
