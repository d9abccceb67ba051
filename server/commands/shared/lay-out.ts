import { controlCharacters } from '../../src/platform/log-text.ts'

type Row = Record<string, unknown>

/** A JSON document without escape sequences that a terminal would interpret. */
export function toJson(document: Row): string {
  const text = JSON.stringify(document, null, 2)
  return `${text.replace(unescapedByJson, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}

/** Formats a result as text: a table for rows, a line for each other value. */
export function layOut(result: Row): string {
  const parts = Object.entries(result).filter(([, value]) => value !== undefined)
  const [lists, values] = [parts.filter(([, value]) => isRows(value)), parts.filter(([, value]) => !isRows(value))]
  const tables = lists.map(([, rows]) => table(rows as Row[])) // checked by `isRows`
  return [...(values.length > 0 ? [lines(values)] : []), ...tables].join('\n')
}

/** A list without rows is a line like any other value, so that its name is there. */
function isRows(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRow)
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** Each field of a nested value gets its own line. */
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
  const names = Object.keys(rows[0] ?? {})
  const cells = [names, ...rows.map((row) => names.map((name) => cell(row[name])))]
  const widths = names.map((_, column) => Math.min(widest, Math.max(...cells.map((line) => line[column]?.length ?? 0))))
  return cells
    .map((line) => line.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/** One very long message must not widen the column of all rows. */
const widest = 120

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(cell).join(', ')
  if (!isRow(value)) return escapeForTerminal(String(value))
  return Object.values(value)
    .filter((part) => part !== null && part !== '')
    .map(cell)
    .join(' ')
}

/**
 * The text comes from strangers, and a terminal interprets escape sequences: to clear the screen, change the title, or move
 * back and overwrite. Line breaks would let one message look like several.
 */
export function escapeForTerminal(text: string): string {
  return text.replace(controlCharacters, (letter) =>
    letter < ' ' ? String.fromCharCode(0x2400 + letter.charCodeAt(0)) : '\ufffd',
  )
}

/** Control characters that JSON.stringify does not escape. */
const unescapedByJson = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g
