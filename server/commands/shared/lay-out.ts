type Row = Record<string, unknown>

/** A JSON document for programs, in which nothing is left that a terminal would obey. */
export function toJson(document: Row): string {
  const text = JSON.stringify(document, null, 2)
  return `${text.replace(obeyed, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}

/** Lays a result out for a reader: a table for rows, a line for each other value. */
export function layOut(result: Row): string {
  const parts = Object.entries(result).filter(([, value]) => value !== undefined)
  const [lists, values] = [parts.filter(([, value]) => isRows(value)), parts.filter(([, value]) => !isRows(value))]
  const tables = lists.map(([, rows]) => table(rows as Row[])) // as `isRows` has seen
  return [...(values.length > 0 ? [lines(values)] : []), ...tables].join('\n')
}

function isRows(value: unknown): boolean {
  return Array.isArray(value) && value.every(isRow)
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** What is inside a value gets lines of its own. */
function lines(values: [name: string, value: unknown][]): string {
  const named = values.flatMap(([name, value]) =>
    isRow(value)
      ? Object.entries(value).map(([inner, part]) => [`${name} ${inner}`, part] as const)
      : [[name, value] as const],
  )
  const width = Math.max(...named.map(([name]) => name.length))
  return named.map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}\n`).join('')
}

function table(rows: Row[]): string {
  if (rows.length === 0) return 'none\n'
  const names = Object.keys(rows[0] ?? {})
  const cells = [names, ...rows.map((row) => names.map((name) => cell(row[name])))]
  const widths = names.map((_, column) => Math.min(widest, Math.max(...cells.map((line) => line[column]?.length ?? 0))))
  return cells
    .map((line) => line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/** One message of many pages need not keep all the others apart. */
const widest = 120

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(cell).join(', ')
  if (!isRow(value)) return harmless(String(value))
  return Object.values(value)
    .filter((part) => part !== null && part !== '')
    .map(cell)
    .join(' ')
}

/**
 * Strangers write what is shown here, and a terminal obeys what it is told: to clear itself, to change its title, to go
 * back and write over what stands there. Line breaks would let a message look like several.
 */
export function harmless(text: string): string {
  return text.replace(commands, (letter) =>
    letter < ' ' ? String.fromCharCode(0x2400 + letter.charCodeAt(0)) : '\ufffd',
  )
}

/** What JSON leaves as it is: its own control characters are those of its lines. */
const obeyed = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g

/** Control characters, and those that turn the direction of writing around. */
const commands = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
