import type { StoredEntry } from '../entries/store.ts'

/** Entries packed for transfer to the thread: all vectors in one buffer, which is transferred and not copied. */
export type PackedEntries = {
  entries: (Omit<StoredEntry, 'texts'> & { texts: { text: string; hasVector: boolean }[] })[]
  vectors: Float32Array<ArrayBuffer>
}

export function packEntries(stored: StoredEntry[]): PackedEntries {
  const all = stored.flatMap(({ texts }) => texts.flatMap(({ vector }) => (vector ? [vector] : [])))
  const vectors = new Float32Array(all.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const vector of all) {
    vectors.set(vector, at)
    at += vector.length
  }
  const entries = stored.map((entry) => ({
    ...entry,
    texts: entry.texts.map(({ text, vector }) => ({ text, hasVector: vector !== null })),
  }))
  return { entries, vectors }
}

/** The vectors are views into the transferred buffer. */
export function unpackEntries({ entries, vectors }: PackedEntries, dimensions: number): StoredEntry[] {
  let at = 0
  const next = () => {
    at += dimensions
    return vectors.subarray(at - dimensions, at)
  }
  return entries.map((entry) => ({
    ...entry,
    texts: entry.texts.map(({ text, hasVector }) => ({ text, vector: hasVector ? next() : null })),
  }))
}
