import type { Db } from '../../platform/database/db.ts'
import { type MissingText, readMissing, saveVectors } from '../entries/store.ts'
import type { Embedder } from './embedder.ts'

/** Texts embedded and kept at once, in about three seconds: what a process that stops has to wait for. */
export const batchSize = 64

/** Embeds every text that has no vector of the embedder's model yet, and tells how many there were. */
export async function embedMissing(db: Db, embedder: Embedder): Promise<number> {
  let count = 0
  for (;;) {
    const texts = await readMissing(db, embedder.modelId, batchSize)
    if (texts.length === 0) return count
    await embedTexts(db, embedder, texts)
    count += texts.length
  }
}

export async function embedTexts(db: Db, embedder: Embedder, texts: MissingText[]): Promise<void> {
  const vectors = await embedder.embed(texts.map(({ text }) => text.slice(0, longestText)))
  const embedded = texts.flatMap((text, i) => {
    const vector = vectors[i]
    return vector ? [{ ...text, vector }] : []
  })
  await saveVectors(db, embedder.modelId, embedded)
}

/** A long answer says in its first sentences what it is about, and time grows with length: 0.15 s for so much. */
const longestText = 300
