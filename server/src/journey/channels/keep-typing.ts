import { setTimeout as sleep } from 'node:timers/promises'
import type { ChannelOrigins } from '../../platform/config/channel-origins.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId, ChannelId, ContactId } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { OutboundError } from '../../platform/outbound/call.ts'
import type { Outbound } from '../../platform/outbound/client.ts'
import { openCallProvider } from './call.ts'
import type { Address, ProviderKind } from './kinds/kind.ts'
import { type OpenChannel, openChannels } from './open-channels.ts'
import { isSlowed } from './store.ts'

/** To whom an answer is being written, as the channel knows them. */
export type TypingTo = {
  accountId: AccountId
  contactId: ContactId
  channelId: ChannelId
  address: { kind: string; address: string }
}

export type TypingCtx = Readonly<{
  db: Db
  secretKey: Buffer
  outbound: Outbound
  origins: ChannelOrigins
  hint: Hint
  log: Log
}>

/** Requests of this process under way, of all accounts together: messages do not wait for them, nor they for each other. */
const slots = 32
const attemptMs = 5_000

/** An answer that is there at once needs none: it would be shown after it, on a slow way. */
const firstAfterMs = 300

/** How often who reads in our own panel is told. */
const ownEveryMs = 4_000

/**
 * Returns what shows that an answer is being written, again and again as long as the kind's sign lasts, until it is told to stop. Where
 * no slot is free, a sign is left out; after one that the provider did not take there is none. Nothing is tried again or stored.
 */
export function openKeepTyping(ctx: TypingCtx): (to: TypingTo, signal: AbortSignal) => Promise<void> {
  const { db, hint } = ctx
  const channels = openChannels(ctx)
  const call = openCallProvider(ctx)
  let underWay = 0

  /** False: no other is to follow. */
  async function ask(kind: ProviderKind, to: TypingTo, [now, signal]: [unknown, AbortSignal]): Promise<boolean> {
    if (underWay >= slots) return true
    underWay += 1
    try {
      const made = kind.typing?.request(to.address as Address, now) // as the channel has stored it
      const answer = made && (await call({ kind, channelId: to.channelId }, { ...made, attemptMs }, signal))
      return answer !== undefined && !(answer instanceof OutboundError) && answer.status === 200
    } finally {
      underWay -= 1
    }
  }

  /** Returns how soon the sign ends; undefined: no other is to follow. */
  async function show(to: TypingTo, signal: AbortSignal): Promise<number | undefined> {
    const { accountId, contactId, channelId: id } = to
    const channel = await channels.find({ accountId, id })
    if (!channel || channel.row.pausedAt !== null) return undefined
    const { kind, credentials } = channel
    if (kind.leaves === 'when stored') {
      hint(accountId, `bot-writes:${contactId}`)
      return ownEveryMs
    }
    if (!kind.typing || !credentials || wouldWait(channel) || (await isSlowed(db, { accountId, id }))) return undefined
    return (await ask(kind, to, [credentials.now, signal])) ? kind.typing.everyMs : undefined
  }

  return async (to, signal) => {
    for (let waitMs = firstAfterMs; ; ) {
      await sleep(waitMs, undefined, { signal })
      const startedAt = performance.now()
      const everyMs = await show(to, signal)
      if (everyMs === undefined) return
      waitMs = Math.max(0, everyMs - (performance.now() - startedAt))
    }
  }
}

/** Where an answer would wait, nobody is writing. */
function wouldWait({ row: { state, isHeld } }: OpenChannel): boolean {
  return isHeld || (state !== 'working' && state !== 'connecting')
}
