import { type By, noteAct } from '../../business/audit/store.ts'
import { setPaused } from '../../outbox/receiver-store.ts'
import type { Tx } from '../../platform/database/db.ts'
import { type Credentials, unsealCredentials, withoutReplaced } from './credentials.ts'
import type { ChannelCtx } from './ctx.ts'
import { loadKind } from './load-kind.ts'
import { type Look, lookAt } from './look.ts'
import { lookAtOwn } from './look-at-own.ts'
import { startCatchingUp, startPolling, stopPolling } from './poll-row-store.ts'
import {
  type ChannelRef,
  type ChannelRow,
  findChannel,
  lockChannel,
  writeCredentials,
  writeFinding,
  writeHookBefore,
} from './store.ts'

export type CheckCtx = Omit<ChannelCtx, 'giveToPeople' | 'haltRestored' | 'oweAfterPause'>

type Asked = { takesOver?: boolean; by?: By }

/** How long until the next look: by itself, where all is well and where it is not. */
const nextInSeconds = { well: 3_600, otherwise: 600 }

/**
 * Looks at a channel and keeps what was found: whether it works, and with that whether what waits is sent. Of a channel that
 * was changed meanwhile nothing is kept; it is looked at again. One that is held is not looked at: that would set addresses.
 */
export async function checkChannel(
  ctx: CheckCtx,
  ref: ChannelRef,
  { takesOver = false, by }: Asked = {},
): Promise<void> {
  const row = await findChannel(ctx.db, ref)
  if (!row || row.state === 'removed' || row.isHeld) return
  const look = await makeLook(ctx, row, takesOver)
  await ctx.db.transaction().execute(async (tx) => {
    const before = await lockChannel(tx, ref)
    if (!before || before.version !== row.version || before.state === 'removed' || before.isHeld) return
    await keepLook(tx, before, look)
    await wipeReplaced(ctx, tx, before)
    await noteWhatWasSet(tx, before, { look, by })
  })
  ctx.hint(ref.accountId, 'channels')
}

async function makeLook(ctx: CheckCtx, row: ChannelRow, takesOver: boolean): Promise<Look> {
  const credentials = tryUnseal(ctx, row)
  const kind = await loadKind(row.kind)
  if (kind.leaves === 'when stored') return lookAtOwn(ctx, { row, kind, hasSecret: credentials !== undefined })
  const keepBefore = (found: unknown) => writeHookBefore(ctx.db, row, found)
  if (credentials) return lookAt({ ...ctx, keepBefore }, { row, kind, secrets: credentials.now, takesOver })
  const sentence =
    row.credentials === null
      ? 'No credentials are saved, so nobody is called. Enter them.'
      : 'What was saved cannot be read, because SECRET_KEY is another one. Enter the token again.'
  const check = { name: 'credentials' as const, state: 'failing' as const, sentence, quote: null }
  return {
    checks: [check],
    reason: 'credentials',
    isUnknown: false,
    hookUrl: row.hookUrl,
    polls: false,
  }
}

function tryUnseal({ secretKey, log }: Pick<CheckCtx, 'secretKey' | 'log'>, row: ChannelRow): Credentials | undefined {
  try {
    return unsealCredentials(secretKey, row)
  } catch (err) {
    log.error({ err, channelId: row.id }, 'the credentials of a channel cannot be read')
    return undefined
  }
}

/** Writes state, pause and polling together. */
async function keepLook(tx: Tx, before: ChannelRow, look: Look): Promise<void> {
  const { state, attentionReason } = stateAfter(before, look)
  const seconds = state === 'working' && !look.isUnknown ? nextInSeconds.well : nextInSeconds.otherwise
  const { hookUrl } = look
  // One that still needs somebody for what this look cannot see goes on saying why.
  const checks = state === 'attention' && look.reason === null && !look.isUnknown ? before.checks : look.checks
  const isAnew = before.attentionReason === 'day nearly full' && attentionReason === 'day full'
  await writeFinding(tx, before, {
    state,
    attentionReason,
    checks,
    hookUrl,
    nextInSeconds: seconds,
    isAnew,
  })
  if (!look.isUnknown) await keepFetching(tx, before, look)
  await pauseReceiver(tx, before, state)
}

/** Where we are called and ask for what is missing, that goes on while something is wrong: afterwards there is something to catch up on. */
async function keepFetching(tx: Tx, before: ChannelRow, { polls, reason }: Look): Promise<void> {
  const kind = await loadKind(before.kind)
  const catchesUp = kind.leaves === 'by a request' && kind.catchUp !== null && !polls
  if (!catchesUp) return polls && reason === null ? startPolling(tx, before) : stopPolling(tx, before)
  if (reason === null) await startCatchingUp(tx, before)
}

async function wipeReplaced({ secretKey, log }: CheckCtx, tx: Tx, row: ChannelRow): Promise<void> {
  const credentials = tryUnseal({ secretKey, log }, row) && withoutReplaced(secretKey, row)
  if (credentials !== undefined) await writeCredentials(tx, row, credentials)
}

type State = Pick<ChannelRow, 'state' | 'attentionReason'>

/** One that has never worked is connecting until it does. */
function stateAfter(before: ChannelRow, { reason, isUnknown, polls }: Look): State {
  const { state, attentionReason } = before
  if (isUnknown) return { state, attentionReason }
  if (reason !== null)
    return state === 'connecting' ? { state, attentionReason: null } : { state: 'attention', attentionReason: reason }
  // Who else fetches shows only when we fetch: then that ends it.
  if (polls && attentionReason === 'other reader' && before.hookUrl === null && state === 'attention') return before
  return { state: 'working', attentionReason: null }
}

/** What is to be sent waits while a person has paused the channel and while it needs somebody, and leaves in order afterwards. */
export async function pauseReceiver(
  tx: Tx,
  { accountId, id, pausedAt, state: before }: Pick<ChannelRow, 'accountId' | 'id' | 'pausedAt' | 'state'>,
  state: ChannelRow['state'],
): Promise<void> {
  const [was, is] = [before, state].map((one) => pausedAt !== null || one === 'attention')
  if (was !== is) await setPaused(tx, { accountId, receiverId: id }, is === true)
}

/** It was looked at by itself. */
const nobody: By = { actor: { kind: 'nobody' }, address: null }

async function noteWhatWasSet(
  tx: Tx,
  { accountId, name, address, kind, hookUrl }: ChannelRow,
  { look, by = nobody }: { look: Look; by: By | undefined },
): Promise<void> {
  const details = { name, address, kind }
  if (look.tookFrom !== undefined) {
    const from = look.tookFrom
    await noteAct(tx, accountId, { act: 'channel taken over', ...by, details: { ...details, from } })
  } else if (hookUrl !== null && look.hookUrl !== null && look.hookUrl !== hookUrl) {
    const host = new URL(look.hookUrl).host
    await noteAct(tx, accountId, { act: 'channel changed', ...by, details: { ...details, calls: host } })
  }
}
