import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ImportPreview } from '@patchbay/contract/app/knowledge.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type EntryId, newId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { plainText } from '../../../platform/text/plain-text.ts'
import { listEntries, type ShownEntry } from './entry-store.ts'
import {
  type CampaignRef,
  lockKnowledge,
  type NewEntry,
  raiseVersion,
  readFirstQuestions,
  saveEntries,
} from './store.ts'

/** An entry to import: the phrasings of its question, and the answer. */
export type GivenEntry = { questions: string[]; answer: string; handsOver?: boolean; isOn?: boolean }

export const knowledgeLimits = {
  entries: 5_000,
  phrasings: 20,
  questionCharacters: 512,
  answerCharacters: 4_000,
} as const

/**
 * Adds entries to a campaign: all of them, or none and a refusal that names the first wrong one. An entry whose first
 * question exists already, apart from case, accents and punctuation, replaces the old one, so that the same file can be
 * imported again.
 *
 * Thousands of entries take seconds. Other imports into the campaign wait for it; the campaign's row, which every
 * answer needs, is updated last. Entries and version become visible together, at the commit.
 */
export async function importKnowledge(
  db: Db,
  campaign: CampaignRef,
  entries: GivenEntry[],
): Promise<{ added: number; replaced: number }> {
  await checkEntries(entries)
  return db.transaction().execute(async (tx) => {
    if (!(await lockKnowledge(tx, campaign))) throw noCampaign()
    const known = await knownQuestions(tx, campaign)
    const written = entries.map(({ questions, answer, handsOver = false, isOn = true }): NewEntry => {
      const entryId = known.get(comparable(questions[0] ?? '')) ?? newId('ent')
      return { entryId, texts: [answer, ...questions], handsOver, isOn }
    })
    const replaced = new Set(known.values()).intersection(new Set(written.map(({ entryId }) => entryId))).size
    const added = written.length - replaced
    if (known.size + added > knowledgeLimits.entries) {
      throw new Refusal('INVALID_REQUEST', `A campaign must have at most ${knowledgeLimits.entries} entries.`)
    }
    for (const batch of inBatches(written)) await saveEntries(tx, campaign, batch)
    if (!(await raiseVersion(tx, campaign))) throw noCampaign()
    return { added, replaced }
  })
}

/** The entries of a campaign by their first question, as `comparable` writes it. */
export async function knownQuestions(db: Db, campaign: CampaignRef): Promise<Map<string, EntryId>> {
  const questions = await readFirstQuestions(db, campaign)
  return new Map(questions.map(({ question, entryId }) => [comparable(question), entryId]))
}

export const noCampaign = () => new Refusal('INVALID_REQUEST', 'There is no such campaign.')

const batchSize = 250

/** The characters of all texts of a batch: the database takes its JSON apart in memory. */
const batchCharacters = 512 * 1024

function* inBatches(entries: NewEntry[]): Generator<NewEntry[]> {
  let batch: NewEntry[] = []
  let characters = 0
  for (const entry of entries) {
    batch.push(entry)
    characters += entry.texts.reduce((sum, text) => sum + text.length, 0)
    if (batch.length < batchSize && characters < batchCharacters) continue
    yield batch
    batch = []
    characters = 0
  }
  if (batch.length > 0) yield batch
}

/** Yields to the event loop now and then: 5,000 entries at once would block it for a tenth of a second. */
async function checkEntries(entries: GivenEntry[]): Promise<void> {
  if (entries.length === 0) throw new Refusal('INVALID_REQUEST', 'There must be at least one entry.')
  const numbers = new Map<string, number>()
  for (const [i, { questions, answer }] of entries.entries()) {
    if (i % batchSize === 0) await setImmediate()
    const name = `Entry ${i + 1}`
    checkEntry({ questions, answer }, `${name}: `)
    const first = comparable(questions[0] ?? '')
    const earlier = numbers.get(first)
    if (earlier !== undefined) {
      throw new Refusal('INVALID_REQUEST', `${name}: question 1 is the same as that of entry ${earlier}.`)
    }
    numbers.set(first, i + 1)
  }
}

/** `prefix`: which entry of several it is. */
export function checkEntry({ questions, answer }: GivenEntry, prefix = ''): void {
  if (questions.length === 0 || questions.length > knowledgeLimits.phrasings) {
    throw new Refusal('INVALID_REQUEST', `${prefix}questions must have 1 to ${knowledgeLimits.phrasings} of them.`)
  }
  checkText(answer, `${prefix}answer`, knowledgeLimits.answerCharacters)
  for (const [n, question] of questions.entries()) {
    checkText(question, `${prefix}question ${n + 1}`, knowledgeLimits.questionCharacters)
  }
}

function checkText(text: string, name: string, mostCharacters: number): void {
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(text)) throw new Refusal('INVALID_REQUEST', `${name} must not be empty.`)
  if ([...text].length > mostCharacters) {
    throw new Refusal('INVALID_REQUEST', `${name} must have at most ${mostCharacters} characters.`)
  }
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new Refusal('INVALID_REQUEST', `${name} must be plain text.`)
  }
}

/** A question without letters and digits is compared as it is. */
export function comparable(question: string): string {
  return plainText(question) || question
}

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
