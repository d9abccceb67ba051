import { setImmediate } from 'node:timers/promises'
import { Type } from '@patchbay/contract/schema.ts'
import { CsvError, parse } from 'csv-parse/sync'
import { violationsOf } from '../../../platform/http/describe-violation.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { checkEntry, comparable, type GivenEntry } from './import.ts'

/** Where an entry stands in its file: in JSON the entry is counted, in CSV the line. */
type Place = { unit: 'line' | 'entry'; n: number }
type FileRow = Place & { entry: GivenEntry }
export type WrongRow = Place & { reason: string }

/** The entries of a file that can be read, and what is wrong with the others. */
type FileRows = { rows: FileRow[]; wrong: WrongRow[] }

/** The entries of a file all of which must be right. A refusal names the first that is not. */
export function readKnowledgeFile(text: string): GivenEntry[] {
  const { rows, wrong } = readKnowledgeRows(text)
  if (wrong[0]) throw refuseRow(wrong[0])
  return rows.map(({ entry }) => entry)
}

export function refuseRow({ unit, n, reason }: WrongRow): Refusal {
  return new Refusal('INVALID_REQUEST', `${unit === 'line' ? 'Line' : 'Entry'} ${n}: ${reason}`)
}

/**
 * Reads entries from the text of a file: JSON as `[{ "questions": ["…"], "answer": "…" }]`, or CSV with a header line
 * of `answer,question,question…`, with commas, semicolons or tabs between the cells. What is neither is refused.
 */
export function readKnowledgeRows(text: string): FileRows {
  const content = text.replace(/^\uFEFF/, '')
  const { unit, given } = /^\s*[[{]/.test(content) ? readJson(content) : readCsv(content)
  const rows = given.flatMap(({ n, entry }) => (typeof entry === 'string' ? [] : [{ unit, n, entry }]))
  const wrong = given.flatMap(({ n, entry }) => (typeof entry === 'string' ? [{ unit, n, reason: entry }] : []))
  return { rows, wrong }
}

/** The entries of a file; a text instead of one says what is wrong with it. */
type FileEntries = { unit: Place['unit']; given: { n: number; entry: GivenEntry | string }[] }

const Entry = Type.Object(
  {
    questions: Type.Array(Type.String()),
    answer: Type.String(),
    handsOver: Type.Optional(Type.Boolean()),
    isOn: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)

function readJson(content: string): FileEntries {
  const value = parseJson(content)
  if (!Array.isArray(value)) {
    throw new Refusal('INVALID_REQUEST', 'The file must hold a list: [{ "questions": ["…"], "answer": "…" }].')
  }
  return { unit: 'entry', given: value.map((one, i) => ({ n: i + 1, entry: readEntry(one) })) }
}

function readEntry(value: unknown): GivenEntry | string {
  const [error] = violationsOf(Entry, value)
  if (!error) return value as GivenEntry // it fits the schema
  const [, ...field] = error.instancePath.split('/')
  return `${[...field, error.message].join(' ')}.`
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch (cause) {
    throw new Refusal('INVALID_REQUEST', `Line ${lineOfError(content)} is not JSON.`, { cause })
  }
}

/** The parser does not always report the position, so this finds the longest part that can be the beginning of JSON. */
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

function readCsv(content: string): FileEntries {
  const [header, ...rows] = parseCsv(content)
  const names = header?.record.map((name) => name.trim().toLowerCase()) ?? []
  const isKnown = names.slice(1).every((name) => name === 'question' || name in flagOf)
  if (names[0] !== 'answer' || !names.includes('question') || !isKnown) {
    throw new Refusal('INVALID_REQUEST', 'The first line must be a header: answer,question,question…')
  }
  return { unit: 'line', given: rows.map(({ record, info }) => ({ n: info.lines, entry: readRecord(names, record) })) }
}

function readRecord(names: string[], record: string[]): GivenEntry | string {
  const cells = record.map((cell) => cell.trim())
  const answer = readCell(cells[0] ?? '')
  const questions = cells.filter((cell, i) => i > 0 && cell !== '' && !((names[i] ?? '') in flagOf)).map(readCell)
  if (answer === '') return 'the answer is empty.'
  if (questions.length === 0) return 'there is no question.'
  const flags = readFlags(names, cells)
  return typeof flags === 'string' ? flags : { answer, questions, ...flags }
}

/** Columns that a file may have besides; an empty cell is the usual value. */
const flagOf: Record<string, 'handsOver' | 'isOn'> = { handsover: 'handsOver', ison: 'isOn' }

function readFlags(names: string[], cells: string[]): Partial<Record<'handsOver' | 'isOn', boolean>> | string {
  const given = names.flatMap((name, i) => {
    const [flag, cell = ''] = [flagOf[name], cells[i]?.toLowerCase()]
    return flag === undefined || cell === '' ? [] : [{ flag, cell }]
  })
  const wrong = given.find(({ cell }) => cell !== 'true' && cell !== 'false')
  if (wrong) return `${wrong.flag} must be true or false.`
  return Object.fromEntries(given.map(({ flag, cell }) => [flag, cell === 'true']))
}

/** What `write-knowledge-file.ts` has put before a cell that a spreadsheet would take for a formula is not part of it. */
function readCell(cell: string): string {
  return cell.replace(/^'(?=[=+\-@])/, '')
}

/** Where the comma is the decimal sign, spreadsheets separate cells by semicolons; some say so in a first line. */
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

/** Yields to the event loop after so many. */
const rowsAtOnce = 250

/** The entries of a file that an import takes, and why it would refuse the others, in the order of the file. */
export async function checkRows({ rows, wrong }: FileRows): Promise<{ entries: GivenEntry[]; wrong: WrongRow[] }> {
  const entries: GivenEntry[] = []
  const refused = [...wrong]
  const places = new Map<string, FileRow>()
  for (const [i, row] of rows.entries()) {
    if (i % rowsAtOnce === 0) await setImmediate()
    const { unit, n, entry } = row
    const reason = whyNot(entry, places)
    if (reason !== undefined) {
      refused.push({ unit, n, reason })
      continue
    }
    places.set(comparable(entry.questions[0] ?? ''), row)
    entries.push(entry)
  }
  return { entries, wrong: refused.sort((one, other) => one.n - other.n) }
}

function whyNot(entry: GivenEntry, places: Map<string, FileRow>): string | undefined {
  const earlier = places.get(comparable(entry.questions[0] ?? ''))
  if (earlier) return `question 1 is the same as that of ${earlier.unit} ${earlier.n}.`
  try {
    checkEntry(entry)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}
