import type { ChannelCheck } from '@patchbay/contract/app/channels.ts'
import type { AttentionReason, strangerReasons } from '@patchbay/contract/channels.ts'
import type { Db } from '../../platform/database/db.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { notifyWorkers } from '../../platform/notify/notify.ts'
import { pauseReceiver } from './check.ts'
import { type ChannelRow, lockChannel, writeFinding } from './store.ts'

type Ctx = Readonly<{ db: Db; hint: Hint }>

/** How soon it is looked at again. */
const againInSeconds = 600

/** What a provider shows when it is called. */
type ProvidersReason = Exclude<AttentionReason, (typeof strangerReasons)[number]>

const sentences: Record<ProvidersReason, Pick<ChannelCheck, 'name' | 'sentence'>> = {
  'other reader': {
    name: 'receiving',
    sentence: 'Another program reads this bot. Stop it there, or make a bot of its own for it.',
  },
  credentials: {
    name: 'credentials',
    sentence: 'The provider does not take the credentials any more. Enter new ones.',
  },
  'no address': { name: 'receiving', sentence: 'There is no public address that the provider could call.' },
  'not registered': {
    name: 'credentials',
    sentence:
      'The provider sends nothing from this number until it is registered there. Register it, then check again.',
  },
  'cannot be reached': { name: 'receiving', sentence: 'The provider cannot reach us.' },
}

/**
 * What the channel was used for has shown that somebody has to do something: what is to be sent waits from now on, and uses up
 * no attempt. Judged by credentials that were replaced meanwhile, it says nothing about the new ones.
 */
export async function callForAttention(
  { db, hint }: Ctx,
  judged: ChannelRow,
  { reason, quote }: { reason: ProvidersReason; quote: string | null },
): Promise<void> {
  const isNew = await db.transaction().execute(async (tx) => {
    const before = await lockChannel(tx, judged)
    if (!before || before.version !== judged.version) return false
    if (before.state !== 'working' && before.state !== 'connecting') return false
    const check: ChannelCheck = { ...sentences[reason], state: 'failing', quote }
    const checks = [...before.checks.filter(({ name }) => name !== check.name), check]
    const { hookUrl } = before
    await writeFinding(tx, before, {
      state: 'attention',
      attentionReason: reason,
      checks,
      hookUrl,
      nextInSeconds: againInSeconds,
    })
    await pauseReceiver(tx, before, 'attention')
    return true
  })
  if (isNew) hint(judged.accountId, 'channels')
}

/** It works again: what waited leaves, in order. */
export async function endAttention(
  { db, hint }: Ctx,
  { accountId, id }: ChannelRow,
  reason: ProvidersReason,
): Promise<void> {
  const hasEnded = await db.transaction().execute(async (tx) => {
    const before = await lockChannel(tx, { accountId, id })
    if (before?.state !== 'attention' || before.attentionReason !== reason) return false
    const checks = before.checks.filter(({ name }) => name !== sentences[reason].name)
    const { hookUrl } = before
    await writeFinding(tx, before, { state: 'working', attentionReason: null, checks, hookUrl, nextInSeconds: 0 })
    await pauseReceiver(tx, before, 'working')
    return true
  })
  if (!hasEnded) return
  await notifyWorkers(db, 'delivery')
  hint(accountId, 'channels')
}
