import type { ModelManifest } from '@lat.md/embed'
import type { StoredEntry } from '../entries/store.ts'
import type { PackedEntries } from './packed-entries.ts'
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
  | { state: 'ready' }
  | { state: 'failed'; reason: string }
  | { id: number; value: unknown }
  | { id: number; error: string }

/** What the thread is started with. */
export type ThreadData = { model: ModelManifest; niceness: number }
