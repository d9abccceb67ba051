import { Type } from '@patchbay/contract/schema.ts'
import { CsvError, parse } from 'csv-parse/sync'
import { violationsOf } from '../../platform/http/violations-of.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { GivenEntry } from './import.ts'

/**
 * Reads entries from the text of a file: JSON as `[{ "questions": ["…"], "answer": "…" }]`, or CSV with a header line
 * of `answer,question,question…`, with commas, semicolons or tabs between the cells. A refusal names the entry or the
 * line.
 */
export function readKnowledgeFile(text: string): GivenEntry[] {
  const content = text.replace(/^\uFEFF/, '')
  return /^\s*[[{]/.test(content) ? readJson(content) : readCsv(content)
}

const File = Type.Array(
  Type.Object(
    {
      questions: Type.Array(Type.String()),
      answer: Type.String(),
      handsOver: Type.Optional(Type.Boolean()),
      isOn: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
)

function readJson(content: string): GivenEntry[] {
  const value = parseJson(content)
  const [error] = violationsOf(File, value)
  if (!error) return value as GivenEntry[] // it fits the schema
  const [, index, ...field] = (error?.instancePath ?? '').split('/')
  if (index === undefined || index === '') {
    throw new Refusal('INVALID_REQUEST', 'The file must hold a list: [{ "questions": ["…"], "answer": "…" }].')
  }
  throw new Refusal('INVALID_REQUEST', `Entry ${Number(index) + 1}: ${[...field, error?.message].join(' ')}.`)
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch (cause) {
    throw new Refusal('INVALID_REQUEST', `Line ${lineOfError(content)} is not JSON.`, { cause })
  }
}

/**
 * The parser does not always report the position, so this finds the longest prefix that can be the beginning of JSON.
 */
function lineOfError(content: string): number {
  let [good, bad] = [0, content.length]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (canBegin(content.slice(0, middle))) good = middle
    else bad = middle
  }
  return content.slice(0, good).split('\n').length
}

function canBegin(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    const message = String(error)
    return /end of JSON|Unterminated/.test(message) || message.includes(`position ${text.length} `)
  }
}

type CsvRow = { record: string[]; info: { lines: number } }

function readCsv(content: string): GivenEntry[] {
  const [header, ...rows] = parseCsv(content)
  const names = header?.record.map((name) => name.trim().toLowerCase()) ?? []
  const isKnown = names.slice(1).every((name) => name === 'question' || name in flagOf)
  if (names[0] !== 'answer' || !names.includes('question') || !isKnown) {
    throw new Refusal('INVALID_REQUEST', 'The first line must be a header: answer,question,question…')
  }
  return rows.map(({ record, info }) => {
    const cells = record.map((cell) => cell.trim())
    const answer = readCell(cells[0] ?? '')
    const given = cells.filter((cell, i) => i > 0 && cell !== '' && !((names[i] ?? '') in flagOf)).map(readCell)
    if (answer === '') throw new Refusal('INVALID_REQUEST', `Line ${info.lines}: the answer is empty.`)
    if (given.length === 0) throw new Refusal('INVALID_REQUEST', `Line ${info.lines}: there is no question.`)
    return { answer, questions: given, ...readFlags(names, cells, info.lines) }
  })
}

/** Columns that a file may have besides; an empty cell is the usual value. */
const flagOf: Record<string, 'handsOver' | 'isOn'> = { handsover: 'handsOver', ison: 'isOn' }

function readFlags(names: string[], cells: string[], line: number): Partial<Record<'handsOver' | 'isOn', boolean>> {
  const flags = names.flatMap((name, i) => {
    const [flag, cell = ''] = [flagOf[name], cells[i]?.toLowerCase()]
    if (flag === undefined || cell === '') return []
    if (cell !== 'true' && cell !== 'false') {
      throw new Refusal('INVALID_REQUEST', `Line ${line}: ${flag} must be true or false.`)
    }
    return [[flag, cell === 'true']]
  })
  return Object.fromEntries(flags)
}

/** What `write-knowledge-file.ts` has put before a cell that a spreadsheet would take for a formula is not part of it. */
function readCell(cell: string): string {
  return cell.replace(/^'(?=[=+\-@])/, '')
}

/**
 * Where the comma is the decimal sign, spreadsheets separate cells by semicolons; some declare that in a first line.
 */
function delimiterOf(content: string): { delimiter: string; fromLine: number } {
  const [, declared] = /^sep=(.)\r?\n/i.exec(content) ?? []
  if (declared !== undefined) return { delimiter: declared, fromLine: 2 }
  const [, found = ','] = /^\s*"?\s*answer\s*"?\s*?([,;\t])/i.exec(content) ?? []
  return { delimiter: found, fromLine: 1 }
}

function parseCsv(content: string): CsvRow[] {
  try {
    const options = { info: true, relaxColumnCount: true, skipEmptyLines: true, ...delimiterOf(content) } as const
    return parse(content, options) as unknown as CsvRow[] // with `info`, each record has its line number
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause
    throw new Refusal('INVALID_REQUEST', `Line ${cause.lines}: this is not CSV; look at the quotes.`, { cause })
  }
}
