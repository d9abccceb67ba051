import type { Db } from '../../platform/database/db.ts'
import { allSettings } from '../campaigns/settings.ts'
import type { Knowledge } from '../knowledge/search/retrieval.ts'
import { type ChangedCampaign, markRetried, readWordings } from '../knowledge/unanswered/retry-store.ts'
import { deleteWordings, writeNearest } from '../knowledge/unanswered/unanswered-store.ts'
import { openBuiltinEngine } from './builtin/builtin-engine.ts'

const pageSize = 20
const lowestId = '00000000-0000-0000-0000-000000000000'

/** After so long another campaign has its turn. */
const turnMs = 2_000

type Turn = { signal: AbortSignal; from?: string | undefined; forMs?: number }

/**
 * Retries the unanswered questions of a campaign whose knowledge changed, deletes those that it now answers, and writes
 * down how near the others are. One question at a time, so that a contact's question waits for at most one of them. Returns
 * where to go on in its next turn; undefined: all were retried.
 */
export async function retryUnanswered(
  { db, knowledge }: { db: Db; knowledge: Knowledge },
  changed: ChangedCampaign,
  { signal, from = lowestId, forMs = turnMs }: Turn,
): Promise<string | undefined> {
  const until = performance.now() + forMs
  const engine = openBuiltinEngine(knowledge)
  const campaign = { accountId: changed.accountId, campaignId: changed.campaignId }
  const input = { campaign, settings: allSettings(changed.settings), firstName: null, history: [], offered: [] }
  for (let after = from; ; ) {
    const page = await readWordings(db, changed, { after, limit: pageSize })
    const answered: string[] = []
    const scores: { id: string; nearest: number }[] = []
    for (const { id, question } of page) {
      const { kind, sources } = await engine.generate({ ...input, text: question }, signal)
      if (kind === 'answer' || kind === 'handover') answered.push(id)
      else if (sources[0]) scores.push({ id, nearest: sources[0].score })
    }
    await writeNearest(db, changed.accountId, scores)
    await deleteWordings(db, changed.accountId, answered, { evenIfAsked: true })
    after = page.at(-1)?.id ?? after
    if (page.length < pageSize) break
    if (performance.now() >= until) return after
  }
  await markRetried(db, changed)
  return undefined
}
