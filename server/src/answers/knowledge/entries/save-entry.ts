import { hash } from 'node:crypto'
import type { Db, Tx } from '../../../platform/database/db.ts'
import { type EntryId, isId, newId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { dropEntry, findEntry, type ShownEntry } from './entry-store.ts'
import { checkEntry, comparable, knowledgeLimits, knownQuestions, noCampaign } from './import.ts'
import { type CampaignRef, lockKnowledge, raiseVersion, saveEntries } from './store.ts'

type EntryFields = Omit<ShownEntry, 'entryId'>

/** Adds an entry; one whose first question exists already is refused. The next question may be answered with it. */
export async function addEntry(db: Db, campaign: CampaignRef, given: EntryFields): Promise<ShownEntry> {
  return save(db, campaign, { given, entryId: newId('ent'), version: null })
}

/** Changes an entry, if it still says what `version` names: otherwise somebody else has changed it. */
export async function changeEntry(
  db: Db,
  campaign: CampaignRef,
  entryId: string,
  { version, ...given }: EntryFields & { version: string },
): Promise<ShownEntry> {
  if (!isId('ent', entryId)) throw noEntry(entryId)
  return save(db, campaign, { given, entryId, version })
}

type EntryChange = { given: EntryFields; entryId: EntryId; version: string | null }

async function save(db: Db, campaign: CampaignRef, { given, entryId, version }: EntryChange): Promise<ShownEntry> {
  const { answer, isOn, handsOver } = { ...given, answer: given.answer.trim() }
  const questions = [...new Set(given.questions.map((question) => question.trim()))]
  checkEntry({ questions, answer })
  await db.transaction().execute(async (tx) => {
    if (!(await lockKnowledge(tx, campaign))) throw noCampaign()
    if (version !== null) await requireEntry(tx, campaign, { entryId, version })
    const known = await knownQuestions(tx, campaign)
    const same = known.get(comparable(questions[0] ?? ''))
    if (same !== undefined && same !== entryId) {
      throw new Refusal('CONFLICT', `Another entry begins with “${questions[0]}” already; nothing was saved.`)
    }
    if (version === null && known.size >= knowledgeLimits.entries) {
      throw new Refusal('INVALID_REQUEST', `A campaign must have at most ${knowledgeLimits.entries} entries.`)
    }
    await saveEntries(tx, campaign, [{ entryId, texts: [answer, ...questions], isOn, handsOver }])
    await raiseVersion(tx, campaign)
  })
  return { entryId, questions, answer, isOn, handsOver }
}

/** Refuses an entry that is not there or, with a version, says something else by now. */
async function requireEntry(
  tx: Tx,
  campaign: CampaignRef,
  { entryId, version }: { entryId: EntryId; version: string | undefined },
): Promise<void> {
  const before = await findEntry(tx, campaign, entryId)
  if (!before) throw noEntry(entryId)
  if (version === undefined || versionOf(before) === version) return
  throw new Refusal('CONFLICT', 'Somebody else has changed this entry meanwhile; nothing was saved.')
}

/**
 * Deletes an entry of a campaign. The next question is answered without it, in every process. With a version it is
 * deleted only if it still says what that names.
 */
export async function deleteEntry(db: Db, campaign: CampaignRef, entryId: string, version?: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (!(await lockKnowledge(tx, campaign)) || !isId('ent', entryId)) throw noEntry(entryId)
    await requireEntry(tx, campaign, { entryId, version })
    await dropEntry(tx, campaign, entryId)
    await raiseVersion(tx, campaign)
  })
}

const noEntry = (entryId: string) => new Refusal('NOT_FOUND', `This campaign has no entry ${entryId}.`)

/** Names what an entry says: two people who read the same have the same version, and any change makes another one. */
export function versionOf({ questions, answer, handsOver, isOn }: EntryFields): string {
  return hash('sha256', JSON.stringify([answer, handsOver, isOn, ...questions]), 'base64url').slice(0, 22)
}
