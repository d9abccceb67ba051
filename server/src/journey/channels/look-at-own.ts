import type { ChannelCtx } from './ctx.ts'
import type { OwnKind } from './kinds/kind.ts'
import type { Look } from './look.ts'
import { readOwnFacts } from './own-store.ts'
import type { ChannelRow } from './store.ts'

type Looked = { row: ChannelRow; kind: OwnKind; hasSecret: boolean }

/** What is still to be done for a channel of our own. Nobody is called for that. */
export async function lookAtOwn(
  { db, ownUrl }: Pick<ChannelCtx, 'db' | 'ownUrl'>,
  { row, kind, hasSecret }: Looked,
): Promise<Look> {
  const { seenHost, seenAt, hasMember } = await readOwnFacts(db, row)
  const seen = seenHost === null || seenAt === null ? null : { host: seenHost, at: seenAt }
  const hasFirstMessage = row.lastEventAt !== null
  const found = kind.checks({ settings: row.settings, publicUrl: ownUrl, seen, hasFirstMessage, hasSecret, hasMember })
  return { ...found, isUnknown: false, hookUrl: null, polls: false, tookOver: false }
}
