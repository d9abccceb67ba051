import type { ModelManifest } from '@lat.md/embed'
import type { StoredEntry } from '../entries/store.ts'
import type { Place } from './minilm/shared-weights.ts'
import type { RankingLimit } from './ranking.ts'

/** A campaign and the version of its knowledge. */
export type IndexKey = { campaign: string; version: number }
/** `load`: which parts belong together. Several may load the same entries at once. */
export type IndexPart = { key: IndexKey; load: string; entries: StoredEntry[]; isFirst: boolean; isLast: boolean }
export type RankRequest = { key: IndexKey; question: string; language: string; limit: RankingLimit }

/** A request to the embedder's thread. */
export type Job =
  | { kind: 'embed'; text: string; isUrgent: boolean }
  | { kind: 'rank'; request: RankRequest }
  | { kind: 'keep'; part: Omit<IndexPart, 'entries'>; packed: PackedEntries }

/** A message from the thread: its state, or the result of a job. */
export type ThreadMessage =
  | { state: 'ready'; slowBecause: string | undefined }
  | { state: 'failed'; reason: string }
  | { id: number; value: unknown }
  | { id: number; error: string }

/**
 * What the thread is started with: `code` is the address of the compiled code, `place` where it runs. Without the library it
 * fails where that does not run.
 */
export type ThreadData = {
  model: ModelManifest
  code: string
  place: Place | undefined
  withLibrary: boolean
  niceness: number
}

/** Entries packed for the threads: all vectors in one buffer, which they share. */
type PackedEntries = {
  entries: (Omit<StoredEntry, 'texts'> & { texts: { text: string; hasVector: boolean }[] })[]
  vectors: Float32Array<SharedArrayBuffer>
}

export function packEntries(stored: StoredEntry[]): PackedEntries {
  const all = stored.flatMap(({ texts }) => texts.flatMap(({ vector }) => (vector ? [vector] : [])))
  const vectors = new Float32Array(new SharedArrayBuffer(all.reduce((sum, { byteLength }) => sum + byteLength, 0)))
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

/** The vectors are views into the shared buffer. */
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
