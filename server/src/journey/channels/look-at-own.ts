import type { ChannelCtx } from './ctx.ts'
import type { OwnKind } from './kinds/kind.ts'
import type { Look } from './look.ts'
import { readOwnFacts, readOwnUse } from './own-store.ts'
import type { ChannelRow } from './store.ts'

type Looked = { row: ChannelRow; kind: OwnKind; hasSecret: boolean }

/** What is still to be done for a channel of our own. Nobody is called for that. */
export async function lookAtOwn(
  { db, ownUrl }: Pick<ChannelCtx, 'db' | 'ownUrl'>,
  { row, kind, hasSecret }: Looked,
): Promise<Look> {
  const facts = await readOwnFacts(db, row)
  const use = (await readOwnUse(db, row.accountId, [row.id])).get(row.id)
  const { seenHost = null, seenAt = null, contacts = 0, messages = 0, fileBytes = 0, modelAnswers = 0 } = use ?? {}
  const seen = seenHost === null || seenAt === null ? null : { host: seenHost, at: seenAt }
  const hasFirstMessage = row.lastEventAt !== null
  const today = { contacts, messages, fileBytes, modelAnswers }
  const { settings } = row
  const found = kind.checks({ ...facts, settings, publicUrl: ownUrl, seen, hasFirstMessage, hasSecret, today })
  return { ...found, isUnknown: false, hookUrl: null, polls: false }
}
