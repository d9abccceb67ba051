import { isDeepStrictEqual } from 'node:util'
import type { ImportPreview } from '@patchbay/contract/app/knowledge.ts'
import type { Db } from '../../../platform/database/db.ts'
import { listEntries, type ShownEntry } from './entry-store.ts'
import { comparable, type GivenEntry, knowledgeLimits } from './import.ts'
import type { CampaignRef } from './store.ts'

/** So many entries, and so many wrong ones, are shown; all are counted. */
export const mostShown = 100

type Changes = Omit<ImportPreview, 'wrong' | 'wrongRows'>

/** What `importKnowledge` would do with these entries, which were checked. */
export async function previewImport(db: Db, campaign: CampaignRef, entries: GivenEntry[]): Promise<Changes> {
  const all = await listEntries(db, campaign, { after: '', limit: knowledgeLimits.entries })
  const known = new Map(all.map((entry) => [comparable(entry.questions[0] ?? ''), entry]))
  const compared = entries.map((entry) => compare(entry, known.get(comparable(entry.questions[0] ?? ''))))
  const count = (change: string) => compared.filter((one) => one.change === change).length
  return {
    added: count('new'),
    replaced: count('replaces'),
    same: count('same'),
    entries: compared.filter(({ change }) => change !== 'same').slice(0, mostShown),
  }
}

function compare(given: GivenEntry, before: ShownEntry | undefined): ImportPreview['entries'][number] {
  const { questions, answer, handsOver = false, isOn = true } = given
  if (!before) return { change: 'new', questions, answer, was: null }
  const { entryId: _, ...old } = before
  const isSame = isDeepStrictEqual({ questions, answer, handsOver, isOn }, { ...old })
  return { change: isSame ? 'same' : 'replaces', questions, answer, was: old.answer === answer ? null : old.answer }
}
