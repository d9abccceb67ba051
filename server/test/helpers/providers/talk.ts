import assert from 'node:assert/strict'
import type { Channel } from '@patchbay/contract/app/channels.ts'
import type { CampaignFile } from '@patchbay/contract/campaigns.ts'
import { importKnowledge } from '../../../src/answers/knowledge/entries/import.ts'
import type { CampaignId, ContactId } from '../../../src/platform/ids.ts'
import { defaultCampaign, editCampaign, untilAnswered, untilEmbedded } from '../bots.ts'
import { until } from '../until.ts'
import { type ChannelWorld, connectBot, startChannelWorld } from './channel-world.ts'
import { type Bot, type Person, type Shown, untilShown } from './telegram.ts'

/** A shop with a connected bot of Telegram that a campaign answers for, and a person with a phone. */
export type Talk = ChannelWorld & {
  bot: Bot
  ana: Person
  channel: Channel
  campaignId: CampaignId
  contactId: () => Promise<ContactId>
  /** What they have sent is kept: messages and taps, `count` of them in all. */
  untilKept: (count: number) => Promise<void>
  /** Everything that they have sent so far, `count` of it, is answered or left to a person. */
  untilDone: (count: number) => Promise<void>
  /** They write, and their phone shows one message more, which is returned. */
  ask: (text: string) => Promise<Shown>
  /** The outcome of each turn, in order, as `outcome, reason`, and what the conversation waits for. */
  decisions: () => Promise<{ made: string[]; waiting: string | null }>
}

/** The bot says what it is only where the settings have a sentence for that. */
type Options = { settings?: CampaignFile; knowledge?: [question: string, answer: string][] }

export async function startTalk({ settings = {}, knowledge = [] }: Options = {}): Promise<Talk> {
  const world = await startChannelWorld()
  const { app, shop } = world
  const campaignId = (await defaultCampaign(app, shop)) as CampaignId
  await editCampaign(app, campaignId, { introduction: null, ...settings })
  if (knowledge.length > 0) {
    const entries = knowledge.map(([question, answer]) => ({ questions: [question], answer }))
    await importKnowledge(app.db, { accountId: shop.accountId, campaignId }, entries)
    await untilEmbedded(app)
  }
  const bot = world.telegram.addBot()
  const ana = bot.addPerson({ first_name: 'Ana' })
  const channel = await connectBot(world.owner, bot)
  const sent = async () =>
    (await app.db.selectFrom('messages').select('id').where('direction', '=', 'incoming').execute()).length
  const untilKept = (count: number) => until(async () => (await sent()) === count, `there are not ${count} messages`)
  const untilDone = async (count: number) => {
    await untilKept(count)
    await untilAnswered(app)
  }
  return {
    ...{ ...world, bot, ana, channel, campaignId, untilKept, untilDone },
    contactId: async () => (await app.db.selectFrom('contacts').select('id').executeTakeFirstOrThrow()).id as ContactId,
    ask: async (text) => {
      const [shown, count] = [ana.shown.length, await sent()]
      ana.write(text)
      await untilDone(count + 1)
      const last = (await untilShown(ana, shown + 1)).at(-1)
      assert.ok(last)
      return last
    },
    decisions: async () => {
      const rows = await app.db.selectFrom('answers').select(['outcome', 'reason']).orderBy('fromSeq').execute()
      const conversation = await app.db.selectFrom('conversations').select('waitingReason').executeTakeFirst()
      const made = rows.map(({ outcome, reason }) => `${outcome}, ${reason}`)
      return { made, waiting: conversation?.waitingReason ?? null }
    },
  }
}
