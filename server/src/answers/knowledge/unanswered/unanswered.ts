/**
 * Questions that a campaign could not answer: counted by wording and grouped by meaning, so that the owner sees what to
 * add to the knowledge.
 */
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Db, Tx } from '../../../platform/database/db.ts'
import type { ContactId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { plainText } from '../../../platform/text/plain-text.ts'
import type { CampaignRef } from '../entries/store.ts'
import { cosine } from '../search/campaign-index.ts'
import type { Embedder } from '../search/embedder.ts'
import { foldWordings } from './fold-wordings.ts'
import { readGroups, type UnansweredGroup } from './groups-store.ts'
import {
  deleteAnswered,
  deleteGroup,
  deleteSurplus,
  findGroup,
  type GroupedQuestion,
  readLatest,
  type UnansweredQuestion,
  writeUnanswered,
} from './unanswered-store.ts'

/** A vector and the model that made it. */
export type QuestionVector = { model: string; values: Float32Array }

/** The vector of a question, if there is one. */
type Embed = (question: string) => Promise<QuestionVector | null>

/** The vector of a question, for `readUnanswered`; null when the weights could not be loaded. */
export async function vectorOfQuestion(embedder: Embedder, question: string): Promise<QuestionVector | null> {
  try {
    const [values] = await embedder.embed([wording(question)], { isUrgent: true })
    return values ? { model: embedder.modelId, values } : null
  } catch (error) {
    if (embedder.state() === 'failed') return null
    throw error
  }
}

/**
 * Prepares the record of an unanswered question: its wording, and the group of the most similar question among those
 * asked last, if one is similar enough. Call it before the transaction that settles the answer: comparing takes longer
 * than a lock should be held. Undefined: the question is empty.
 */
export async function readUnanswered(
  db: Db,
  campaign: CampaignRef,
  { asked, embed, nearest }: { asked: string; embed: Embed; nearest: number | null },
): Promise<UnansweredQuestion | undefined> {
  const question = keyOf(asked)
  if (question === '') return undefined
  const own = { question, asked: shown(asked), nearest }
  const known = await findGroup(db, campaign, question)
  if (known) return { ...own, groupId: known, vector: null } // a stored wording keeps its vector
  const vector = await embed(asked)
  await deleteSurplus(db, campaign, mostKept - 1)
  const latest = vector ? await readLatest(db, campaign, { model: vector.model, limit: mostCompared }) : []
  const groupId = (vector && nearestGroup(vector.values, latest)) ?? randomUUID()
  return { ...own, vector, groupId }
}

/** Stores the record and who asked it, or counts a wording that is stored. It is erased with the last of its askers. */
export async function noteUnanswered(
  tx: Tx,
  asked: CampaignRef & { contactId: ContactId },
  unanswered: UnansweredQuestion,
): Promise<void> {
  await writeUnanswered(tx, asked, unanswered)
}

/** The unanswered questions in groups of similar meaning, the most frequent first. */
export async function listUnanswered(db: Db, campaign: CampaignRef): Promise<UnansweredGroup[]> {
  const groups = await readGroups(db, campaign, { groups: 200, questions: 20, askers: 3 })
  const folded: UnansweredGroup[] = []
  for (const group of groups) {
    folded.push({ ...group, questions: foldWordings(group.questions) })
    await setImmediate() // all of 2,000 long wordings take a tenth of a second
  }
  return folded
}

/** Deletes these wordings, which are answered now. */
export async function forgetAnswered(db: Db, campaign: CampaignRef, asked: string[]): Promise<void> {
  await deleteAnswered(db, campaign, { asked, questions: asked.flatMap((text) => [keyOf(text), wording(text)]) })
}

/** Deletes a group; it comes back when it is asked again. */
export async function dismissGroup(db: Db, campaign: CampaignRef, groupId: string): Promise<void> {
  const isThere = isUuid(groupId) && (await deleteGroup(db, campaign, groupId))
  if (!isThere) throw new Refusal('NOT_FOUND', `This campaign has no group of questions ${groupId}.`)
}

const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** Wordings of one campaign; above that, those asked the longest ago are deleted. */
const mostKept = 2_000

/** Reads 1.5 kB for each. */
const mostCompared = 400
const leastSimilarity = 0.75
const longestQuestion = 512

/** The question as it was written, because a person reads it. */
function shown(question: string): string {
  return cut(question.toWellFormed().replaceAll('\0', '').replace(/\s+/g, ' ').trim())
}

/** Questions that differ in case, accents, punctuation or spaces are one. */
function keyOf(question: string): string {
  return cut(plainText(shown(question))) || wording(question)
}

/** The wording for the model, which knows no case. */
function wording(question: string): string {
  const merged = shown(question)
  return merged.replace(/[\s.!?¿¡]+$/, '').toLowerCase() || merged
}

function cut(text: string): string {
  return [...text].slice(0, longestQuestion).join('')
}

function nearestGroup(vector: Float32Array, latest: GroupedQuestion[]): string | undefined {
  let nearest: { groupId: string; score: number } | undefined
  for (const { groupId, vector: other } of latest) {
    const score = cosine(vector, other)
    if (score >= leastSimilarity && score > (nearest?.score ?? 0)) nearest = { groupId, score }
  }
  return nearest?.groupId
}
