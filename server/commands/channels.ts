import type { Channel } from '@patchbay/contract/app/channels.ts'
import { channelKinds, hasProvider } from '@patchbay/contract/channels.ts'
import { findAccount } from '../src/business/accounts/store.ts'
import { operator } from '../src/business/audit/store.ts'
import { haltRestored } from '../src/journey/broadcasts/halt-restored.ts'
import { openCallProvider } from '../src/journey/channels/call.ts'
import { removeChannel, resumeChannel } from '../src/journey/channels/change.ts'
import { checkChannel } from '../src/journey/channels/check.ts'
import { connectChannel } from '../src/journey/channels/connect.ts'
import type { ChannelCtx } from '../src/journey/channels/ctx.ts'
import { goOnHere } from '../src/journey/channels/go-on.ts'
import { requireChannel, showChannel, showChannels } from '../src/journey/channels/show.ts'
import { holdAll, listHeld } from '../src/journey/channels/store.ts'
import { oweAfterPause } from '../src/journey/conversations/after-pause-store.ts'
import { giveToPeople } from '../src/journey/provider-events/give-to-people.ts'
import { givenPublicUrl } from '../src/platform/config/config.ts'
import type { AccountId } from '../src/platform/ids.ts'
import { type HintTopic, sendHints } from '../src/platform/notify/hints.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import type { Run } from './declarations.ts'
import type { CommandCtx, Result } from './shared/command.ts'
import { judgeBy } from './shared/judge-by.ts'
import { readJsonFile } from './shared/read-file.ts'
import { withSecrets } from './shared/with-secrets.ts'

const givenBytes = 64 * 1_024

export const channelConnect: Run<'channel connect'> = (ctx, { account, kind: name, file }) =>
  withChannels(ctx, async (channels) => {
    const kind = channelKinds.find((one) => one === name)
    if (!kind) throw new OperatorError(`--kind must be ${channelKinds.join(' or ')}.`)
    const read = await readJsonFile(file, givenBytes)
    const given = hasProvider(kind)
      ? { kind, credentials: readCredentials(read) }
      : { kind, settings: readSettings(read) }
    const { id: accountId } = await findAccount(channels.db, account)
    return summary(await connectChannel(channels, accountId, { given, by: operator }))
  })

/** What is in it is looked at when the channel is made. */
function readSettings(given: unknown): object {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given
  throw new OperatorError('The file must be a JSON object of settings, such as {"pages": ["shop.example"]}.')
}

function readCredentials(given: unknown): Record<string, string> {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (isObject && Object.values(given).every((value) => typeof value === 'string'))
    return given as Record<string, string>
  throw new OperatorError('The file must be a JSON object of texts, such as {"token": "…"}.')
}

export const channelShow: Run<'channel show'> = (ctx, { account }) =>
  withChannels(ctx, async (channels) => {
    const { id: accountId } = await findAccount(channels.db, account)
    return { channels: (await showChannels(channels, accountId)).map(summary) }
  })

export const channelCheck: Run<'channel check'> = (ctx, { account, channel, 'take-over': takesOver }) =>
  withChannels(ctx, async (channels) => {
    const { id: accountId } = await findAccount(channels.db, account)
    const known = await requireChannel(channels.db, accountId, channel)
    await checkChannel(channels, known, { takesOver, by: operator })
    return summary(await showChannel(channels, known))
  })

export const channelRemove: Run<'channel remove'> = (ctx, { account, channel }) =>
  withChannels(ctx, async (channels) => {
    const { id: accountId } = await findAccount(channels.db, account)
    const { left } = await removeChannel(channels, accountId, { id: channel, by: operator })
    return { removed: true, left }
  })

export const channelHold: Run<'channel hold'> = ({ withDatabase }, { all }) =>
  withDatabase(async (db) => {
    if (!all) throw new OperatorError('Say --all: all channels of a copy are held. One channel is paused in the app.')
    await holdAll(db)
    return { held: true }
  })

export const channelResume: Run<'channel resume'> = (ctx, { account, channel, all }) =>
  withChannels(ctx, async (channels) => {
    if (all === (account !== undefined || channel !== undefined)) {
      throw new OperatorError('Give either --account with --channel, or --all.')
    }
    const { db } = channels
    if (all) {
      const held = await listHeld(db)
      for (const accountId of new Set(held.map((one) => one.accountId))) await goOnHere(channels, accountId, operator)
      return { resumed: held.length }
    }
    const { id: accountId } = await findAccount(db, account ?? '')
    await resumeChannel(channels, accountId, { id: channel ?? '', by: operator })
    return { resumed: 1 }
  })

/** What connecting and looking at channels needs, as the running server has it. */
function withChannels(ctx: CommandCtx, work: (channels: ChannelCtx) => Promise<Result>): Promise<Result> {
  return withSecrets(ctx, async ({ db, secretKey, outbound }) => {
    const config = await judgeBy(ctx, db, ['CHANNEL_ORIGINS'])
    const origins = config.channelOrigins
    const { log } = await ctx.openLog('warn')
    const changed = new Map<AccountId, Set<HintTopic>>()
    const hint = (accountId: AccountId, topic: HintTopic) =>
      void changed.getOrInsertComputed(accountId, () => new Set()).add(topic)
    const call = openCallProvider({ outbound, origins, log })
    const urls = { publicUrl: givenPublicUrl(config), ownUrl: config.publicUrl }
    const result = await work({
      db,
      secretKey,
      call,
      ...urls,
      origins,
      hint,
      log,
      giveToPeople,
      haltRestored,
      oweAfterPause,
    })
    for (const [accountId, topics] of changed) await sendHints(db, accountId, [...topics])
    return result
  })
}

function summary({
  id,
  kind,
  name,
  address,
  state,
  attention,
  paused,
  isHeld,
  receivingBy,
  checks,
  lastEventAt,
  chat,
}: Channel) {
  return {
    ...{
      channelId: id,
      kind,
      name,
      address,
      state,
      attention: attention?.reason ?? null,
      paused: paused !== null,
      isHeld,
    },
    ...{ receivingBy, lastEventAt, ...(chat && { line: chat.line, pages: chat.settings.pages }) },
    checks: checks.map(({ name: check, state: found, sentence, quote }) => ({ check, state: found, sentence, quote })),
  }
}
