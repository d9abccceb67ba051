import type { Channel, ChannelChange } from '@patchbay/contract/app/channels.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import { makeUntriedDue, setPaused } from '../../outbox/receiver-store.ts'
import type { AccountId } from '../../platform/ids.ts'
import { notifyWorkers } from '../../platform/notify/notify.ts'
import { Refusal } from '../../platform/refusal.ts'
import { makeCalls } from './call.ts'
import { checkChannel } from './check.ts'
import { identify } from './connect.ts'
import { newSecret, sealCredentials, unsealCredentials } from './credentials.ts'
import type { ChannelCtx } from './ctx.ts'
import { goOn } from './go-on.ts'
import type { OwnKind, ProviderKind } from './kinds/kind.ts'
import { loadKind } from './load-kind.ts'
import { checkCampaign, readOwnSettings, refuseCredentials, refuseSettings } from './own-channel.ts'
import { stopPolling } from './poll-row-store.ts'
import { refuseUnknown, requireChannel, showChannel } from './show.ts'
import {
  type ChannelRow,
  lockChannel,
  type ChannelChange as RowChange,
  releaseSender,
  updateChannel,
  writePause,
  writeRemoved,
} from './store.ts'

type Asked = { id: string; by: By }

/** Changes a channel. New credentials are tried before the old ones are dropped, and must be of the same sender. */
export async function changeChannel(
  ctx: ChannelCtx,
  accountId: AccountId,
  { id, given, by }: Asked & { given: ChannelChange },
): Promise<Channel> {
  const known = await requireChannel(ctx.db, accountId, id)
  const kind = await loadKind(known.kind)
  if (kind.leaves === 'when stored') refuseCredentials(given)
  else refuseSettings(given)
  if (given.receivesBy === 'poll' && kind.leaves === 'by a request' && !kind.poll) {
    throw new Refusal(
      'INVALID_REQUEST',
      'receivesBy: the provider of this channel keeps nothing to be fetched; it calls.',
    )
  }
  const secrets =
    kind.leaves === 'by a request' && given.credentials
      ? await readNew(ctx, known, { kind, given: given.credentials })
      : undefined
  await checkCampaign(ctx.db, accountId, given)
  await ctx.db.transaction().execute(async (tx) => {
    const before = (await lockChannel(tx, known)) ?? refuseUnknown(id)
    if (before.state === 'removed') refuseUnknown(id)
    if (before.version !== given.version) {
      throw new Refusal('CONFLICT', 'Somebody else has changed this channel meanwhile; nothing was saved.')
    }
    const { name, receivesBy, whenInDoubt, perSecond } = given
    const change: RowChange = {
      ...(name !== undefined && { name }),
      ...(receivesBy !== undefined && { receivesBy }),
      ...(whenInDoubt !== undefined && { whenInDoubt }),
      ...(perSecond !== undefined && { perSecond }),
      ...(secrets !== undefined && { credentials: reseal(ctx, before, secrets) }),
      ...(kind.leaves === 'when stored' && given.settings !== undefined && setAnew(kind, given.settings, before)),
    }
    await noteAct(tx, accountId, { act: 'channel changed', ...by, details: detailsOf({ ...before, ...change }) })
    await updateChannel(tx, before, change)
  })
  await checkChannel(ctx, known)
  ctx.hint(accountId, 'channels')
  return showChannel(ctx, known)
}

/** Where people find it goes with what is set. */
function setAnew(kind: OwnKind, given: object, before: ChannelRow): RowChange {
  const settings = readOwnSettings(kind, given, before.settings)
  return { settings, address: kind.describe(settings).address }
}

type NewCredentials = { kind: ProviderKind; given: Record<string, string> }

async function readNew(ctx: ChannelCtx, row: ChannelRow, { kind, given }: NewCredentials): Promise<unknown> {
  const known = kind.connect.known?.(row.settings, unsealOld(ctx, row))
  const secrets = kind.connect.readCredentials({ ...known, ...given }, newSecret)
  const { providerKey, address } = await identify(ctx, kind, secrets)
  if (providerKey === row.providerKey) return secrets
  throw new Refusal(
    'INVALID_REQUEST',
    `These credentials are of ${address}, and this channel is ${row.address}. Connect ${address} as another channel.`,
  )
}

/** The provider may show the old secret until it has heard of the new one. */
function reseal({ secretKey }: ChannelCtx, before: ChannelRow, secrets: unknown): string {
  return sealCredentials(secretKey, before, { secrets, replaced: unsealOld({ secretKey }, before) })
}

function unsealOld({ secretKey }: Pick<ChannelCtx, 'secretKey'>, row: ChannelRow): unknown {
  try {
    return unsealCredentials(secretKey, row)?.now
  } catch {
    return undefined // they were sealed with another SECRET_KEY: there is nothing to keep of them
  }
}

/** Sends no more. What comes is kept, and what is to be sent waits. */
export async function pauseChannel(ctx: ChannelCtx, accountId: AccountId, { id, by }: Asked): Promise<Channel> {
  const known = await requireChannel(ctx.db, accountId, id)
  await ctx.db.transaction().execute(async (tx) => {
    const before = (await lockChannel(tx, known)) ?? refuseUnknown(id)
    if (before.pausedAt) return
    await writePause(tx, before, 'userId' in by.actor ? by.actor.userId : null)
    await setPaused(tx, { accountId, receiverId: before.id }, true)
    await noteAct(tx, accountId, { act: 'channel paused', ...by, details: detailsOf(before) })
  })
  ctx.hint(accountId, 'channels')
  return showChannel(ctx, known)
}

/** Sends again, unless it needs somebody; in a restored copy it is said with this that the channel goes on here. */
export async function resumeChannel(ctx: ChannelCtx, accountId: AccountId, { id, by }: Asked): Promise<Channel> {
  const known = await requireChannel(ctx.db, accountId, id)
  await ctx.db.transaction().execute(async (tx) => {
    const before = (await lockChannel(tx, known)) ?? refuseUnknown(id)
    if (before.pausedAt === null && !before.isHeld) return
    await writePause(tx, before, 'none')
    if (before.isHeld) await goOn(ctx, tx, before)
    if (before.state !== 'attention') await setPaused(tx, { accountId, receiverId: before.id }, false)
    await ctx.oweAfterPause(tx, before)
    const details = { ...detailsOf(before), ...(before.isHeld && { restored: 'yes' }) }
    await noteAct(tx, accountId, { act: 'channel resumed', ...by, details })
  })
  await notifyWorkers(ctx.db, 'delivery')
  await notifyWorkers(ctx.db, 'bot')
  for (const changed of ['channels', 'conversations'] as const) ctx.hint(accountId, changed)
  return showChannel(ctx, known)
}

/**
 * Disconnects it. What waits to be sent ends as failed, the credentials are gone, and its sender is free for another account at
 * once; name, people and history stay. Returns what is still set at the provider, if that could not be undone.
 */
export async function removeChannel(
  ctx: ChannelCtx,
  accountId: AccountId,
  { id, by }: Asked,
): Promise<{ left: string | null }> {
  const known = await requireChannel(ctx.db, accountId, id)
  await ctx.db.transaction().execute(async (tx) => {
    const before = (await lockChannel(tx, known)) ?? refuseUnknown(id)
    await stopPolling(tx, before)
    await releaseSender(tx, before)
    await writeRemoved(tx, before)
    // What waits is due, and each message finds that there is no channel any more.
    const receiver = { accountId, receiverId: before.id }
    await setPaused(tx, receiver, false)
    await makeUntriedDue(tx, receiver)
    await noteAct(tx, accountId, { act: 'channel removed', ...by, details: detailsOf(before) })
  })
  await notifyWorkers(ctx.db, 'delivery')
  ctx.hint(accountId, 'channels')
  return { left: known.isHeld ? known.hookUrl : await removeHook(ctx, known) }
}

async function removeHook(ctx: ChannelCtx, row: ChannelRow): Promise<string | null> {
  const kind = await loadKind(row.kind)
  if (row.hookUrl === null || kind.leaves !== 'by a request' || !kind.hook) return null
  const { hook } = kind
  try {
    const secrets = unsealCredentials(ctx.secretKey, row)?.now
    const calls = hook.remove({ url: row.hookUrl, before: row.hookBefore }, row.settings, secrets)
    const fault = await makeCalls(ctx.call, { kind, channelId: row.id }, calls)
    return fault ? row.hookUrl : null
  } catch {
    return row.hookUrl
  }
}

function detailsOf({ name, address, kind }: Pick<ChannelRow, 'name' | 'address' | 'kind'>) {
  return { name, address, kind }
}
