import type { Db } from '../../platform/database/db.ts'
import type { HintTopic } from '../../platform/notify/hints.ts'
import type { Audience } from './audience.ts'
import { findActive, mostActive } from './store.ts'

/**
 * Finds the conversations with messages that were not announced, because a process died after the commit and before it
 * sent its hint: those whose latest activity is later than their latest announcement. `active_at` is the time at which a
 * transaction began, so the look goes back further than any of ours takes: a statement ends after 10 s, and the one that
 * sets it is among the last. The last second is left out: its hints may be on their way.
 *
 * An account with more activity than one look reads is told that many have changed, as often as that is the case.
 */
export async function findLost(db: Db, audiences: Audience[]): Promise<{ audience: Audience; changed: HintTopic[] }[]> {
  const byAccount = new Map(audiences.map((audience) => [audience.accountId, audience]))
  const rows = await findActive(db, [...byAccount.keys()])
  const now = performance.now()
  const active = Map.groupBy(rows, ({ accountId }) => accountId)
  return [...active].flatMap(([accountId, conversations]) => {
    const audience = byAccount.get(accountId)
    if (!audience) return []
    const at = ({ secondsAgo }: { secondsAgo: number }) => now - secondsAgo * 1_000
    const lost = conversations.filter((one) => one.secondsAgo > 1 && at(one) > audience.announcedAt(one.contactId))
    const changed: HintTopic[] =
      conversations.length === mostActive ? ['conversations'] : lost.map(({ contactId }) => contactId)
    return changed.length === 0 ? [] : [{ audience, changed }]
  })
}
