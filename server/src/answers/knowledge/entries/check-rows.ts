import { setImmediate } from 'node:timers/promises'
import { Refusal } from '../../../platform/refusal.ts'
import { checkEntry, comparable, type GivenEntry } from './import.ts'
import type { FileRow, FileRows, WrongRow } from './read-knowledge-file.ts'

/** Yields to the event loop after so many. */
const batchSize = 250

/** The entries of a file that an import takes, and why it would refuse the others, in the order of the file. */
export async function checkRows({ rows, wrong }: FileRows): Promise<{ entries: GivenEntry[]; wrong: WrongRow[] }> {
  const entries: GivenEntry[] = []
  const refused = [...wrong]
  const places = new Map<string, FileRow>()
  for (const [i, row] of rows.entries()) {
    if (i % batchSize === 0) await setImmediate()
    const { unit, n, entry } = row
    const reason = whyNot(entry, places)
    if (reason !== undefined) {
      refused.push({ unit, n, reason })
      continue
    }
    places.set(comparable(entry.questions[0] ?? ''), row)
    entries.push(entry)
  }
  return { entries, wrong: refused.sort((one, other) => one.n - other.n) }
}

function whyNot(entry: GivenEntry, places: Map<string, FileRow>): string | undefined {
  const earlier = places.get(comparable(entry.questions[0] ?? ''))
  if (earlier) return `question 1 is the same as that of ${earlier.unit} ${earlier.n}.`
  try {
    checkEntry(entry)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}
