/**
 * Writes rows some of which may have been written already: first it is asked which. A row that another connection is
 * still writing is refused by its key, which says that it is there: then it can be asked again.
 */
export async function writeMissing<Row, Result>(
  rows: Row[],
  find: (rows: Row[]) => Promise<(Result | undefined)[]>,
  write: (rows: Row[]) => Promise<(Result | undefined)[]>,
): Promise<(Result | undefined)[]> {
  const found = await find(rows)
  const missing = rows.filter((_, index) => found[index] === undefined)
  if (missing.length === 0) return found
  const written = (await write(missing)).values()
  return found.map((result) => result ?? written.next().value)
}
