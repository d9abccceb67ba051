import { allSettings } from '../campaigns/settings.ts'
import type { Knowledge } from '../knowledge/search/retrieval.ts'
import { noteAskedAgain, readWordings, type Taught } from '../knowledge/unanswered/taught-store.ts'
import { deleteWordings } from '../knowledge/unanswered/unanswered-store.ts'
import type { Db } from '../platform/database/db.ts'
import { openBuiltinEngine } from './builtin/builtin-engine.ts'

const pageSize = 50
const before = '00000000-0000-0000-0000-000000000000'

/**
 * Asks a campaign again what it could not answer, after it was taught something, and forgets what it now answers. One
 * question at a time, so that people who ask at the moment wait for one of them at most.
 */
export async function askAgain(
  { db, knowledge }: { db: Db; knowledge: Knowledge },
  taught: Taught,
  signal: AbortSignal,
): Promise<void> {
  const engine = openBuiltinEngine(knowledge)
  const input = {
    campaign: { accountId: taught.accountId, campaignId: taught.campaignId },
    ...{ settings: allSettings(taught.settings), firstName: null, history: [], offered: [] },
  }
  for (let after = before; ; ) {
    const page = await readWordings(db, taught, { after, limit: pageSize })
    const answered: string[] = []
    for (const { id, question } of page) {
      const { kind } = await engine.generate({ ...input, text: question }, signal)
      if (kind === 'answer' || kind === 'handover') answered.push(id)
    }
    await deleteWordings(db, taught.accountId, answered, { evenIfAsked: true })
    after = page.at(-1)?.id ?? after
    if (page.length < pageSize) break
  }
  await noteAskedAgain(db, taught)
}
