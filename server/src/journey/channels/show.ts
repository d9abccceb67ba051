import type { Channel } from '@patchbay/contract/app/channels.ts'
import { creditsOf } from '../../business/credits/amount.ts'
import type { Db } from '../../platform/database/db.ts'
import { type AccountId, isId, sayUnknown } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { ChannelCtx } from './ctx.ts'
import { loadKind } from './load-kind.ts'
import { receivingOf } from './receiving.ts'
import { showChats } from './show-chats.ts'
import { type ChannelRef, type ChannelRow, findChannel, listChannels } from './store.ts'
import { findUserNames } from './user-name-store.ts'

type ShowCtx = Pick<ChannelCtx, 'db' | 'publicUrl' | 'origins' | 'ownUrl' | 'secretKey'>

export async function showChannels(ctx: ShowCtx, accountId: AccountId): Promise<Channel[]> {
  const rows = await listChannels(ctx.db, accountId)
  return show(ctx, rows)
}

export async function showChannel(ctx: ShowCtx, ref: ChannelRef): Promise<Channel> {
  const [shown] = await show(ctx, [await requireChannel(ctx.db, ref.accountId, ref.id)])
  return shown ?? refuseUnknown(ref.id)
}

/** Refuses an id that is none of the account's channels, and one that was removed. */
export async function requireChannel(db: Db, accountId: AccountId, id: string): Promise<ChannelRow> {
  const row = isId('chn', id) ? await findChannel(db, { accountId, id }) : undefined
  return row && row.state !== 'removed' ? row : refuseUnknown(id)
}

export function refuseUnknown(id: string): never {
  throw new Refusal('NOT_FOUND', sayUnknown('channel', 'chn', id))
}

async function show(ctx: ShowCtx, rows: ChannelRow[]): Promise<Channel[]> {
  const userIds = rows.flatMap(({ pausedBy }) => pausedBy ?? [])
  const names = rows[0] ? await findUserNames(ctx.db, rows[0].accountId, userIds) : new Map<string, string>()
  const chats = await showChats(ctx, rows)
  return Promise.all(
    rows.map(async (row) => {
      const { id, name, address, state, isHeld, receivesBy, whenInDoubt, perSecond, version, checks } = row
      const { attentionReason, attentionSince, pausedAt, pausedBy, checkedAt, lastEventAt, createdAt } = row
      const kind = await loadKind(row.kind)
      const time = (at: Date | null) => at?.toISOString() ?? null
      return {
        ...{ id, kind: row.kind, name, address, state, isHeld, receivesBy, whenInDoubt, perSecond, version, checks },
        attention: attentionReason &&
          attentionSince && { reason: attentionReason, since: attentionSince.toISOString() },
        paused: pausedAt && { at: pausedAt.toISOString(), by: (pausedBy && names.get(pausedBy)) || null },
        ...(kind.leaves === 'by a request'
          ? {
              receivingBy: receivingOf(kind, row, ctx)?.by ?? 'hook',
              usualPerSecond: kind.pace(row.settings).perSecond,
            }
          : { receivingBy: 'hook' as const, usualPerSecond: 0 }),
        creditsPerMessage: creditsOf(row.creditsPerMessage),
        checkedAt: time(checkedAt),
        lastEventAt: time(lastEventAt),
        createdAt: createdAt.toISOString(),
        chat: chats.get(id) ?? null,
      }
    }),
  )
}
