/** Lays a result out for a reader: a table for rows, else a line for each value. */
export function layOut(result: Record<string, unknown>): string {
  const [first] = Object.values(result)
  if (Array.isArray(first)) return first.length === 0 ? 'none\n' : table(first)
  const named = Object.entries(result).filter(([, value]) => value !== undefined)
  const width = Math.max(...named.map(([name]) => name.length))
  return named.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}\n`).join('')
}

function table(rows: Record<string, unknown>[]): string {
  const names = Object.keys(rows[0] ?? {})
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map(
      (line) =>
        `${line
          .map((text, column) => text.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–'
  return value instanceof Date ? value.toISOString() : String(value)
}
