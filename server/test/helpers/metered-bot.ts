import assert from 'node:assert/strict'
import type { CampaignFile } from '@patchbay/contract/campaigns.ts'
import { setRecharge } from '../../src/business/credits/recharge.ts'
import { defaultCampaign, editCampaign, startModel } from './bots.ts'
import { makeSubaccount, startAgency } from './credits.ts'
import { startDelivering } from './deliveries.ts'

/** An agency with a sub-account whose bot uses a model that the test answers for. */
export async function startMeteredBot(settings: CampaignFile = {}) {
  await using started = new AsyncDisposableStack()
  const model = started.use(await startModel())
  const world = started.use(await startAgency(await startDelivering({ RATE_LIMIT_PER_MINUTE: '0' })))
  const { app, db } = world
  const sub = await makeSubaccount(db, world.agency.accountId)
  await editCampaign(app, await defaultCampaign(app, sub), { ...model.file, noCreditText: 'Later.', ...settings })
  const account = {
    ...sub,
    post: (path: string, body: unknown) => app.call('POST', path, { key: sub.apiKey, body }),
  }
  const running = started.move()
  const balance = async () => {
    const row = await db
      .selectFrom('balances')
      .select(['balance', 'held'])
      .where('accountId', '=', sub.accountId)
      .executeTakeFirst()
    return [Number(row?.balance ?? 0) / 10_000, Number(row?.held ?? 0) / 10_000]
  }
  const grant = async (amount: number) => assert.equal((await world.ask({ email: sub.email, amount })).status, 200)
  const recharge = (threshold: number, credits: number) =>
    setRecharge(
      db,
      { id: sub.accountId, kind: 'subaccount', agencyId: world.agency.accountId },
      { threshold, amount: credits },
    )
  const helpers = { model, sub, account, balance, grant, recharge }
  return { ...world, ...helpers, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
