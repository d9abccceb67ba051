export type Table = { title: string; note?: string; head: string[]; rows: string[][] }

/** For a terminal: the first column to the left, figures to the right. */
export function asText({ title, note, head, rows }: Table): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length)))
  const line = (row: string[]) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  const rule = widths.map((width) => '─'.repeat(width)).join('──')
  return [title, ...(note ? [note] : []), '', line(head), rule, ...rows.map(line), ''].join('\n')
}

export function asMarkdown({ title, note, head, rows }: Table): string {
  const line = (row: string[]) => `| ${row.join(' | ')} |`
  const rule = line(head.map((_, column) => (column === 0 ? '---' : '--:')))
  return [`## ${title}`, '', ...(note ? [note, ''] : []), line(head), rule, ...rows.map(line), ''].join('\n')
}
