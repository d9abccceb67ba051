import { byContact } from '../../people/contacts/find-or-create.ts'
import type { ContactGiven, KnownContacts, KnownRow } from '../../people/contacts/known-contacts.ts'
import { isCausedByRows, isLockTimeout } from '../../platform/group-commit/lock-queues.ts'

/** Fewer messages of known contacts are stored with those of unknown ones: a second statement costs what twelve rows save. */
const leastApart = 16

/**
 * How either kind is stored: each returns results in the order of its rows. Undefined: it was not stored, and has to be
 * written again.
 */
type Keeping<Row, Result> = {
  known: (rows: KnownRow<Row>[]) => Promise<(Result | undefined)[]>
  others: (rows: Row[]) => Promise<(Result | undefined)[]>
}

/**
 * Stores messages of different known contacts that fill nothing by one statement, and all others by another, at the same
 * time: neither locks what the other does. Each gets its rows in the order of locks; results are in the order given.
 */
export async function keepApart<Row extends ContactGiven, Result>(
  contacts: KnownContacts,
  rows: Row[],
  keep: Keeping<Row, Result>,
): Promise<(Result | undefined)[]> {
  const { known, others } = divide(rows, contacts)
  const knownRows = known.map(({ row }) => row)
  const keepKnown = async () => {
    const results = await keep.known(known)
    for (const [n, row] of knownRows.entries()) if (results[n] === undefined) contacts.forget(row)
    return results
  }
  if (others.length === 0) return inOrder(rows, knownRows, await keepKnown())
  if (known.length === 0) return inOrder(rows, others, await keep.others(others))
  const results = await Promise.all([
    keepKnown().catch(againIfByRows<Result>(known)),
    keep.others(others).catch(againIfByRows<Result>(others)),
  ])
  return inOrder(rows, [...knownRows, ...others], results.flat())
}

/** In lock order. A contact with several rows is among the others with all of them. */
function divide<Row extends ContactGiven>(
  rows: Row[],
  contacts: KnownContacts,
): { known: KnownRow<Row>[]; others: Row[] } {
  const sorted = rows.toSorted(byContact)
  const known: KnownRow<Row>[] = []
  const others: Row[] = []
  for (const [n, row] of sorted.entries()) {
    const isRepeated = [sorted[n - 1], sorted[n + 1]].some((next) => next && byContact(next, row) === 0)
    const found = isRepeated ? undefined : contacts.find(row)
    if (found === undefined) others.push(row)
    else known.push({ row, ...found })
  }
  if (others.length > 0 && known.length < leastApart) return { known: [], others: sorted }
  return { known, others }
}

/** Of two statements one can fail because of its rows; what the other has stored is stored. */
function againIfByRows<Result>(rows: unknown[]): (error: unknown) => (Result | undefined)[] {
  return (error) => {
    if (!isLockTimeout(error) && !isCausedByRows(error)) throw error
    return rows.map(() => undefined)
  }
}

function inOrder<Row, Result>(rows: Row[], written: Row[], results: (Result | undefined)[]): (Result | undefined)[] {
  const byRow = new Map(written.map((row, n) => [row, results[n]]))
  return rows.map((row) => byRow.get(row))
}
