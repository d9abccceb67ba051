import { setTimeout as sleep } from 'node:timers/promises'
import type { ChannelOrigins } from '../../platform/config/channel-origins.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ChannelId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { OutboundError } from '../../platform/outbound/call.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { openCallProvider } from './call.ts'
import type { Address } from './kinds/kind.ts'
import { hasProvider, type OpenChannel, openChannels, type ProviderChannel } from './open-channels.ts'
import { isSlowed } from './store.ts'

/** To whom an answer is being written, as the channel knows them. */
export type TypingTo = {
  accountId: AccountId
  channelId: ChannelId
  address: { kind: string; address: string }
}

export type TypingCtx = Readonly<{
  db: Db
  secretKey: Buffer
  outbound: Outbound
  origins: ChannelOrigins
  log: Log
}>

/** Requests of this process under way, of all accounts together: messages do not wait for them, nor they for each other. */
const slots = 32
const attemptMs = 5_000

/** An answer that is there at once needs none: it would be shown after it, on a slow way. */
const firstAfterMs = 300

/**
 * Returns what shows that an answer is being written, again and again as long as the kind's sign lasts, until it is told to stop. Where
 * no slot is free, a sign is left out; after one that the provider did not take there is none. Nothing is tried again or stored.
 */
export function openKeepTyping(ctx: TypingCtx): (to: TypingTo, signal: AbortSignal) => Promise<void> {
  const { db } = ctx
  const channels = openChannels(ctx)
  const call = openCallProvider(ctx)
  let underWay = 0

  /** False: no other is to follow. */
  async function show(
    to: TypingTo,
    { kind, row, credentials }: ProviderChannel,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (underWay >= slots) return true
    underWay += 1
    try {
      const made = kind.typing?.request(to.address as Address, credentials?.now) // as the channel has stored it
      const answer = made && (await call({ kind, channelId: row.id }, { ...made, attemptMs }, signal))
      return answer !== undefined && !(answer instanceof OutboundError) && answer.status === 200
    } finally {
      underWay -= 1
    }
  }

  return async (to, signal) => {
    for (let waitMs = firstAfterMs; ; ) {
      await sleep(waitMs, undefined, { signal })
      const startedAt = performance.now()
      const ref = { accountId: to.accountId, id: to.channelId }
      const channel = await channels.find(ref)
      if (!hasProvider(channel) || !channel.kind.typing || !mayShow(channel) || (await isSlowed(db, ref))) return
      if (!(await show(to, channel, signal))) return
      waitMs = Math.max(0, channel.kind.typing.everyMs - (performance.now() - startedAt))
    }
  }
}

/** Where an answer would wait, nobody is writing. */
function mayShow({ row, credentials }: OpenChannel): boolean {
  const { state, pausedAt, isHeld } = row
  return credentials !== undefined && pausedAt === null && !isHeld && (state === 'working' || state === 'connecting')
}
