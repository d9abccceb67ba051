import type { ChatChannel } from '@patchbay/contract/app/channels.ts'
import type { ChannelId } from '../../platform/ids.ts'
import { type MemberSecret, unsealCredentials } from './credentials.ts'
import type { ChannelCtx } from './ctx.ts'
import { loadKind } from './load-kind.ts'
import { type OwnUse, readOwnUse } from './own-store.ts'
import type { ChannelRow } from './store.ts'

type Ctx = Pick<ChannelCtx, 'db' | 'ownUrl' | 'secretKey'>

/** What is known besides of those of these channels that are our own. */
export async function showChats(ctx: Ctx, rows: ChannelRow[]): Promise<Map<ChannelId, ChatChannel>> {
  const kinds = await Promise.all(rows.map(({ kind }) => loadKind(kind)))
  const lines = rows.flatMap((row, n) => {
    const kind = kinds[n]
    return kind?.leaves === 'when stored' ? [{ row, line: kind.line(row.id, ctx.ownUrl) }] : []
  })
  const [first] = lines
  if (!first) return new Map()
  const ids = lines.map(({ row }) => row.id)
  const used = await readOwnUse(ctx.db, first.row.accountId, ids)
  return new Map(lines.map(({ row, line }) => [row.id, { ...show(ctx, row, used.get(row.id)), line }]))
}

function show({ secretKey }: Ctx, row: ChannelRow, use: OwnUse | undefined): Omit<ChatChannel, 'line'> {
  const { contacts = 0, messages = 0, fileBytes = 0, modelAnswers = 0, refused: all = 0, openPanels = 0 } = use ?? {}
  const { refusedPage: page = 0, refusedPace: pace = 0, refusedFull: full = 0, forged = 0 } = use ?? {}
  const { seenHost = null, seenAt = null, refusedOrigin = null, refusedAt = null } = use ?? {}
  return {
    settings: row.settings as ChatChannel['settings'], // as its kind has read them
    secretMadeAt: secretMadeAt(secretKey, row),
    seen: seenHost === null || seenAt === null ? null : { host: seenHost, at: seenAt.toISOString() },
    refused:
      refusedOrigin === null || refusedAt === null ? null : { origin: refusedOrigin, at: refusedAt.toISOString() },
    openPanels,
    today: { contacts, messages, fileBytes, modelAnswers, refused: { all, page, pace, full, forged } },
  }
}

/** Null also where it cannot be read, because SECRET_KEY is another one: then it has to be made anew. */
function secretMadeAt(secretKey: Buffer, row: ChannelRow): string | null {
  try {
    const secret = unsealCredentials(secretKey, row)?.now as MemberSecret | undefined // as it was sealed
    return secret ? new Date(secret.madeAt).toISOString() : null
  } catch {
    return null
  }
}
