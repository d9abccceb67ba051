import type { Db } from '../../../platform/database/db.ts'
import { readMissing, readMissingOf } from '../entries/missing-store.ts'
import { type CampaignRef, type MissingText, saveVectors } from '../entries/store.ts'
import type { Embedder } from './embedder.ts'

/** Texts embedded and saved at once, in about two seconds: a process that stops waits that long. */
export const batchSize = 64

/** Embeds every text that has no vector of the embedder's model yet, and returns how many there were. */
export async function embedMissing(db: Db, embedder: Embedder): Promise<number> {
  let count = 0
  for (;;) {
    const texts = await readMissing(db, embedder.modelId, { limit: batchSize })
    if (texts.length === 0) return count
    await embedTexts(db, embedder, texts)
    count += texts.length
  }
}

/**
 * Embeds the texts of one campaign that have no vector of the model yet, at most one batch, at once: whoever has just
 * saved an entry and asks for it should not wait for a worker. More than that is left to the worker, and until then
 * found by its words.
 */
export async function embedMissingOf(db: Db, embedder: Embedder, campaign: CampaignRef): Promise<void> {
  const texts = await readMissingOf(db, campaign, { model: embedder.modelId, limit: batchSize })
  if (texts.length > 0) await embedTexts(db, embedder, texts, { isUrgent: true })
}

export async function embedTexts(
  db: Db,
  embedder: Embedder,
  texts: MissingText[],
  options: { isUrgent: boolean } = { isUrgent: false },
): Promise<void> {
  const cut = texts.map(({ text }) => text.slice(0, longestText))
  const vectors = await embedder.embed(cut, options)
  const embedded = texts.flatMap((text, i) => {
    const vector = vectors[i]
    return vector ? [{ ...text, vector }] : []
  })
  await saveVectors(db, embedder.modelId, embedded)
}

/** The length in characters: a long answer says in its first sentences what it is about, and this much takes 0.08 s. */
const longestText = 300
