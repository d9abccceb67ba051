/** One line of a CSV file, as RFC 4180 has it. */
export function csvLine(cells: (string | number | Date | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(value: string | number | Date | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = value instanceof Date ? value.toISOString() : harmless(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A spreadsheet runs a text that begins like a formula; with an apostrophe before it, it shows the text. */
function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^[+-]?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
}

/** With this, spreadsheets read the file as UTF-8. */
export const csvStart = '\ufeff'
