/** `exactly`: a text that must come back as it is, also when a spreadsheet has saved the file. */
export type CsvCell = string | number | Date | null | { exactly: string }

/** One line of a CSV file, as RFC 4180 has it. */
export function csvLine(cells: CsvCell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(value: CsvCell): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = textOf(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function textOf(value: string | Date | { exactly: string }): string {
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'string') return isGuarded.test(value.exactly) ? `'${value.exactly}` : value.exactly
  return isFormula.test(value) && !isNumber.test(value) && !isPhone.test(value) ? `'${value}` : value
}

/**
 * A spreadsheet runs a text that begins like a formula; with an apostrophe before it, it shows the text. One that has an
 * apostrophe there already gets another, so that `withoutGuard` finds what was there.
 */
const isFormula = /^'*[=+\-@\t\r]/
const isNumber = /^[+-]?\d+(\.\d+)?$/

/** With a space in it, it is neither a number nor a formula to a spreadsheet, and is shown as it is. */
const isPhone = /^\+\d{1,3} [\d-]+$/

/** A spreadsheet would drop zeros and round the digits of a number that is a text, such as an id. */
const isGuarded = /^'*(?:[=+\-@\t\r]|\d+(?:\.\d+)?$)/

/** What was meant by a cell of a file that `csvLine` has written, or somebody who wanted a text in a spreadsheet. */
export function withoutGuard(cell: string): string {
  return cell.startsWith("'") && isGuarded.test(cell) ? cell.slice(1) : cell
}

/** With this, spreadsheets read the file as UTF-8. */
export const csvStart = '\ufeff'
