import { randomUUID } from 'node:crypto'
import type { Db, Tx } from '../platform/db.ts'
import { cosine } from './campaign-index.ts'
import type { Embedder } from './embedder.ts'
import type { CampaignRef } from './retrieval.ts'
import {
  countAgain,
  type Grouped,
  insertUnanswered,
  readGroups,
  readLatest,
  type UnansweredGroup,
} from './unanswered-store.ts'

/** A vector and the model that made it. */
export type QuestionVector = { model: string; values: Float32Array }

/** The vector of a question, for `noteUnanswered`; null when the weights could not be loaded. */
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
 * Writes down what could not be answered. The same wording is counted; a new one joins the group of the nearest question
 * that means about the same, if there is one among those asked last.
 */
export async function noteUnanswered(
  tx: Tx,
  campaign: CampaignRef,
  asked: string,
  vector: QuestionVector | null,
): Promise<void> {
  const question = wording(asked)
  if (question === '' || (await countAgain(tx, campaign, question))) return
  const latest = vector ? await readLatest(tx, campaign, { model: vector.model, limit: mostCompared }) : []
  const groupId = (vector && nearestGroup(vector.values, latest)) ?? randomUUID()
  await insertUnanswered(tx, campaign, { question, groupId, vector })
}

/** What could not be answered, in groups of a like meaning, the most frequent first. */
export async function listUnanswered(db: Db, campaign: CampaignRef): Promise<UnansweredGroup[]> {
  return readGroups(db, campaign, { groups: 200, questions: 20 })
}

/** A kilobyte and a half each, read inside the transaction that answers: 30 ms on a busy machine. */
const mostCompared = 400
const alike = 0.75
const longestQuestion = 512

/** Case, white space and the sign at its end make no other wording; the rest stays, because a person reads it. */
function wording(question: string): string {
  const merged = question.toWellFormed().replaceAll('\0', '').replace(/\s+/g, ' ').trim()
  const plain = merged.replace(/[\s.!?¿¡]+$/, '').toLowerCase() || merged
  return [...plain].slice(0, longestQuestion).join('')
}

function nearestGroup(vector: Float32Array, latest: Grouped[]): string | undefined {
  let nearest: { groupId: string; score: number } | undefined
  for (const { groupId, vector: other } of latest) {
    const score = cosine(vector, other)
    if (score >= alike && score > (nearest?.score ?? 0)) nearest = { groupId, score }
  }
  return nearest?.groupId
}
