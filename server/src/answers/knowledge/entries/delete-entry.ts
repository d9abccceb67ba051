import type { Db } from '../../../platform/database/db.ts'
import { isId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { dropEntry, findEntry } from './entry-store.ts'
import { versionOf } from './entry-version.ts'
import type { CampaignRef } from './store.ts'
import { lockKnowledge, raiseVersion } from './store.ts'

/**
 * Deletes an entry of a campaign. The next question is answered without it, in every process. With a version it is
 * deleted only if it still says what that names.
 */
export async function deleteEntry(db: Db, campaign: CampaignRef, entryId: string, version?: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const isThere = (await lockKnowledge(tx, campaign)) && isId('ent', entryId)
    const entry = isThere ? await findEntry(tx, campaign, entryId) : undefined
    if (!entry) throw noEntry(entryId)
    if (version !== undefined && versionOf(entry) !== version) throw changedMeanwhile()
    await dropEntry(tx, campaign, entryId)
    await raiseVersion(tx, campaign)
  })
}

export const noEntry = (entryId: string) => new Refusal('NOT_FOUND', `This campaign has no entry ${entryId}.`)

export const changedMeanwhile = () =>
  new Refusal('CONFLICT', 'Somebody else has changed this entry meanwhile; nothing was saved.')
