import assert from 'node:assert/strict'
import type { Movement } from '@patchbay/contract/app/agency.ts'
import type { Channel } from '@patchbay/contract/app/channels.ts'
import type { CampaignFile } from '@patchbay/contract/campaigns.ts'
import { defaultCampaign, editCampaign, startModel } from '../bots.ts'
import { assertLedgerHolds, makeSubaccount, type Subaccount } from '../credits.ts'
import type { Answer, TestAccount } from '../harness.ts'
import { type SignedIn, signIn } from '../sessions.ts'
import { type ChannelWorld, connectBot, startChannelWorld } from './channel-world.ts'
import { beginAll, newClientId } from './conversations.ts'
import type { Bot, Person } from './telegram.ts'

/** An agency, and a sub-account of it with a bot of Telegram that has a price. `owner` is the sub-account's. */
export type PricedWorld = Omit<ChannelWorld, 'shop'> & {
  agency: TestAccount
  /** The agency's browser. */
  office: SignedIn
  sub: Subaccount
  model: Awaited<ReturnType<typeof startModel>>
  bot: Bot
  channel: Channel
  campaignId: string
  setPrice: (creditsPerMessage: number, channelId?: string) => Promise<Answer>
  grant: (amount: number) => Promise<void>
  /** What is there, and what of it is held. */
  balance: () => Promise<{ balance: number; held: number }>
  /** What was used, as the agency sees it, oldest first: credits and words. */
  used: () => Promise<[credits: number, words: string | null][]>
  /** They write, the bot leaves them to people, and answers whatever they write next. Their contacts, in this order. */
  meet: (people: Person[]) => Promise<string[]>
  /** What somebody of the sub-account types. */
  type: (contactId: string, body: string, clientId?: string) => Promise<Answer>
}

type Options = { price?: number; settings?: CampaignFile; environment?: Record<string, string> }

/** Its ledger is checked when the test ends. The bot's answers are the test's own: it has a model that the test answers for. */
export async function startPricedChannel({
  price = 1,
  settings = {},
  environment = {},
}: Options = {}): Promise<PricedWorld> {
  await using starting = new AsyncDisposableStack()
  const model = starting.use(await startModel())
  const { shop: _, ...world } = starting.use(await startChannelWorld({ RATE_LIMIT_PER_MINUTE: '0', ...environment }))
  const { app, telegram } = world
  const { db } = app
  const agency = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(db, agency.accountId)
  const [office, owner] = [await signIn(app, agency), await signIn(app, sub)]
  const campaignId = await defaultCampaign(app, sub)
  await editCampaign(app, campaignId, { ...model.file, introduction: null, creditsPerReply: 0, ...settings })
  const bot = telegram.addBot()
  const channel = await connectBot(owner, bot)
  const path = `/api/agency/subaccounts/${sub.accountId}`
  const setPrice = (creditsPerMessage: number, channelId = channel.id) =>
    office.call('PUT', `${path}/channels/${channelId}`, { creditsPerMessage })
  assert.equal((await setPrice(price)).status, 200)
  const started = starting.move()
  return {
    ...{ ...world, agency, office, owner, sub, model, bot, channel, campaignId, setPrice },
    grant: async (amount) => {
      const headers = { 'x-api-key': agency.apiKey }
      const body = { email: sub.email, amount }
      assert.equal((await app.call('POST', '/subaccounts/credits', { headers, body })).status, 200)
    },
    balance: async () => {
      const { balance, held } = (await owner.call('GET', '/api/credits')).body
      return { balance, held }
    },
    used: async () => {
      const { movements } = (await office.call('GET', `${path}/history?limit=100`)).body
      const usage = (movements as Movement[]).filter(({ kind }) => kind === 'usage').reverse()
      return usage.map(({ amount, description }) => [-amount, description])
    },
    meet: async (people) => {
      const contactIds = await beginAll({ app, shop: sub }, people)
      await db.deleteFrom('turns').execute()
      await db.updateTable('accounts').set({ botActive: true }).where('id', '=', sub.accountId).execute()
      return contactIds
    },
    type: (contactId, body, clientId = newClientId()) =>
      owner.call('POST', `/api/conversations/${contactId}/replies`, { body, clientId }),
    async [Symbol.asyncDispose]() {
      try {
        await assertLedgerHolds(db)
      } finally {
        await started.disposeAsync()
      }
    },
  }
}
