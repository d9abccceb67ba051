/**
 * Writes rows some of which may have been written already: `find` looks up which. A row that another connection is
 * still writing violates its unique key, so the write fails, and a second try finds the row.
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
