import type { Db } from '../../platform/database/db.ts'
import { Refusal } from '../../platform/refusal.ts'
import { dropEntry } from './entry-store.ts'
import type { CampaignRef } from './store.ts'
import { lockKnowledge, raiseVersion } from './store.ts'

/** Deletes an entry of a campaign. The next question is answered without it, in every process. */
export async function deleteEntry(db: Db, campaign: CampaignRef, entryId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const isThere = (await lockKnowledge(tx, campaign)) && (await dropEntry(tx, campaign, entryId))
    if (!isThere) throw new Refusal('NOT_FOUND', `This campaign has no entry ${entryId}.`)
    await raiseVersion(tx, campaign)
  })
}
