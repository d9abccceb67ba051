import assert from 'node:assert/strict'
import { type ChatCaps, type GivenWebchat, usualCaps } from '@patchbay/contract/chat/settings.ts'
import { importKnowledge } from '../../src/answers/knowledge/entries/import.ts'
import { openReceiveFromChannel } from '../../src/journey/intake/channel-messages/receive-from-channel.ts'
import type { ChannelMessage } from '../../src/journey/intake/channel-messages/store.ts'
import type { Db } from '../../src/platform/database/db.ts'
import { openFairShare } from '../../src/platform/database/fair-share.ts'
import type { AccountId, ChannelId, ContactId } from '../../src/platform/ids.ts'
import { openInstruments } from '../../src/platform/metrics/instruments.ts'
import { sendHints } from '../../src/platform/notify/hints.ts'
import { defaultCampaign, editCampaign, untilEmbedded } from './bots.ts'
import { makeSubaccount, startAgency } from './credits.ts'
import { startDelivering } from './deliveries.ts'
import { secretKey } from './harness.ts'
import { type Asked, type Reply, startModelServer } from './model-server.ts'
import { type SignedIn, signIn } from './sessions.ts'

/** Makes a website chat as its owner does in the app. */
export async function makeChat(owner: SignedIn, settings: GivenWebchat = {}): Promise<ChannelId> {
  const given = { kind: 'webchat', settings: { pages: ['localhost:3000'], ...settings } }
  const { status, body } = await owner.call('POST', '/api/channels', given)
  assert.equal(status, 200, JSON.stringify(body))
  return body.id
}

/** Lets somebody write, by the address of their browser or, as `member …`, as a customer; returns who it is. */
export function openWriting(db: Db, { accountId, channelId }: { accountId: AccountId; channelId: ChannelId }) {
  const share = openFairShare({ slots: 8, mostWaiting: 10_000, longestWaitMs: 60_000 })
  const receive = openReceiveFromChannel({ db, share, secretKey, hint: () => {}, instruments: openInstruments() })
  let sids = 0
  return async (who: string, body: string, over: Partial<ChannelMessage> = {}): Promise<ContactId> => {
    sids += 1
    const kind = who.startsWith('member') ? 'member' : 'browser'
    const { messageId } = await receive({
      ...{ accountId, channelId, messageSid: `${channelId}:${sids}`, addresses: [{ kind, address: who }] },
      ...{ names: { firstName: null, lastName: null, username: null }, kind: 'text', body, at: Date.now() },
      ...{ mayBeAnswered: true, file: null, replyTo: null, data: {}, ...over },
    })
    const row = await db
      .selectFrom('messages')
      .select('contactId')
      .where('id', '=', messageId)
      .executeTakeFirstOrThrow()
    await sendHints(db, accountId, [row.contactId])
    return row.contactId
  }
}

/**
 * A sub-account with a website chat, whose bot asks a language model over HTTP, and strangers who write there. `knowledge` is what the
 * built-in engine can answer by.
 */
export async function startStrangers(
  say: (asked: Asked) => Reply,
  { caps = {}, settings = {} }: { caps?: Partial<ChatCaps>; settings?: Record<string, unknown> } = {},
) {
  await using started = new AsyncDisposableStack()
  const model = started.use(await startModelServer(say))
  const world = started.use(await startAgency(await startDelivering({ RATE_LIMIT_PER_MINUTE: '0' })))
  const { app, db, agency } = world
  const sub = await makeSubaccount(db, agency.accountId)
  const { accountId } = sub
  const campaignId = await defaultCampaign(app, sub)
  const provider = { baseUrl: `http://127.0.0.1:${model.port}/v1`, apiKey: 'sk-canary' }
  await editCampaign(app, campaignId, {
    ...{ engine: 'openai-compatible', model: 'm', provider, strict: false, introduction: null, quietSeconds: 0 },
    ...{ maxRepliesPerConversationPerDay: 1_000, creditsPerReply: 2, ...settings },
  })
  await importKnowledge(db, { accountId, campaignId: campaignId as `cmp_${string}` }, [
    { questions: ['When are you open?'], answer: 'From nine to five.' },
  ])
  await untilEmbedded(app)
  const owner = await signIn(app, sub)
  const channelId = await makeChat(owner, { caps: { ...usualCaps, ...caps } })

  const write = openWriting(db, { accountId, channelId })
  const grant = async (amount: number) => assert.equal((await world.ask({ email: sub.email, amount })).status, 200)
  const balance = async () => {
    const row = await db
      .selectFrom('balances')
      .select(['balance', 'held'])
      .where('accountId', '=', accountId)
      .executeTakeFirst()
    return [Number(row?.balance ?? 0) / 10_000, Number(row?.held ?? 0) / 10_000]
  }
  const running = started.move()
  const here = { model, sub, owner, channelId, campaignId, write, grant, balance }
  return { ...world, ...here, [Symbol.asyncDispose]: () => running.disposeAsync() }
}
