import { setImmediate } from 'node:timers/promises'
import { limits } from '@patchbay/contract/limits.ts'
import { CsvError, type Info, parse } from 'csv-parse'
import { Refusal } from '../../../platform/refusal.ts'

/**
 * The line that a row begins in, and its cells, as many as the header has at most. Of a row that has more, which are not
 * blank, only their number: nobody can tell which column they are of, and there may be very many.
 */
export type ParsedRow = [line: number, ...cells: string[]] | [line: number, cells: number]

export const isTooWide = (row: ParsedRow): row is [line: number, cells: number] => typeof row[1] === 'number'

/** Where a row begins, and what is needed to go on from there. */
export type FilePlace = {
  part: number
  /** The byte in this part. */
  byte: number
  line: number
  delimiter: Delimiter
  newline: string[]
  /** Cells of the header; null: it comes next. */
  columns: number | null
}

/** Rows of a piece of the file, and the place behind them; `hasMoved`: it is another than where this began. */
type ParsedPiece = { rows: ParsedRow[]; place: FilePlace; hasMoved: boolean }

/** So many bytes are parsed before others get their turn: some 3 ms; of nothing but commas, some 10. */
const pieceBytes = 32 * 1024

/** More than a row of a hundred cells has. A quote that is never closed would make one row of the rest of the file. */
const rowBytes = 64 * 1024

/** The delimiter is found in so much of the beginning. */
const headCharacters = 64 * 1024

type ReadPart = (n: number) => Promise<string | undefined>

/**
 * Parses a file that comes in parts, piece by piece, in constant memory, from the beginning or from a place that it told
 * before. What is not CSV is refused with the line: that of the row, where the quote stands that is wrong.
 */
export async function* parseFile(readPart: ReadPart, from?: FilePlace): AsyncGenerator<ParsedPiece, void> {
  const begin = from ?? (await findBeginning(readPart))
  const { delimiter, newline } = begin
  const rows = gatherRows(begin)
  const parser = parse({
    delimiter,
    recordDelimiter: newline,
    relaxColumnCount: true,
    maxRecordSize: rowBytes,
    onRecord: (record: string[], info) => {
      rows.add(record, info)
      // Else it makes an error, with a stack, for each row that is not as wide as the first.
      Object.assign(parser.info, { records: 0 })
      return null // it keeps none itself
    },
  })
  parser.on('error', () => {}) // thrown below
  const feed = (piece: Buffer | undefined) =>
    new Promise<void>((resolve, reject) => {
      const end = (error?: Error | null) => (error ? reject(error) : resolve())
      if (piece) parser.write(piece, end)
      else parser.end(end)
    })
  const places = openPlaces(begin)
  const behind = (): ParsedPiece => {
    const bytes = rows.bytes()
    return { rows: rows.take(), place: { ...begin, ...rows.at(), ...places.of(bytes) }, hasMoved: bytes > 0 }
  }
  try {
    for await (const piece of pieces(readPart, { begin, places })) {
      await feed(piece)
      rows.requireEnd(piece)
      yield behind()
      await setImmediate()
    }
    await feed(undefined)
    yield behind()
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause
    throw new Refusal('INVALID_REQUEST', whyNot(cause, rows.at().line), { cause })
  }
}

/**
 * Reads as many parts as the format is found in. A byte order mark is not read, nor the line in which a spreadsheet
 * names the delimiter.
 */
async function findBeginning(readPart: ReadPart): Promise<FilePlace> {
  let beginning = ''
  for (let n = 0; beginning.length < headCharacters; n += 1) {
    const part = await readPart(n)
    if (part === undefined) break
    beginning += part
  }
  const text = beginning.replace(/^\uFEFF/, '')
  const { delimiter, newline, skipped } = findFormat(text.slice(0, headCharacters))
  const byte = Buffer.byteLength(beginning.slice(0, beginning.length - text.length + skipped))
  return { part: 0, byte, line: skipped === 0 ? 1 : 2, delimiter, newline, columns: null }
}

type Places = ReturnType<typeof openPlaces>

/** Tells in which part a byte is, of all that were parsed. */
function openPlaces({ part, byte }: FilePlace) {
  let places = [{ part, from: -byte }]
  let to = -byte
  return {
    add: (n: number, bytes: number) => {
      if (n !== part) places.push({ part: n, from: to })
      to += bytes
    },
    /** Is called with ever greater numbers. */
    of: (bytes: number) => {
      const at = places.findLastIndex(({ from }) => from <= bytes)
      places = places.slice(Math.max(0, at))
      const [first = { part, from: -byte }] = places
      return { part: first.part, byte: bytes - first.from }
    },
  }
}

async function* pieces(
  readPart: ReadPart,
  { begin, places }: { begin: FilePlace; places: Places },
): AsyncGenerator<Buffer, void> {
  let skip = begin.byte
  for (let n = begin.part; ; n += 1) {
    const part = await readPart(n)
    if (part === undefined) return
    const bytes = Buffer.from(part)
    places.add(n, bytes.length)
    for (let from = skip; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes)
    skip = Math.max(0, skip - bytes.length) // a byte order mark, or a place, may be all that a part has
  }
}

/**
 * Gathers the rows that the parser finds, without blank ones, each with the line that it begins in. The parser tells the
 * line that a row ends in, and counts a line break of two characters inside of quotes twice.
 */
function gatherRows(begin: FilePlace) {
  let { columns } = begin
  let rows: ParsedRow[] = []
  let countedTwice = 0
  let endedIn = begin.line - 1
  let bytes = 0
  let fed = 0
  return {
    add: (record: string[], info: Info): void => {
      let breaks = 0
      for (const cell of record) {
        if (!cell.includes('\n') && !cell.includes('\r')) continue
        breaks += cell.split(/\r\n|\n|\r/).length - 1
        countedTwice += cell.split('\r\n').length - 1
      }
      endedIn = begin.line - 1 + info.lines - countedTwice
      bytes = info.bytes
      const filled = record.findLastIndex((cell) => cell.trim() !== '') + 1
      if (filled === 0) return
      const line = endedIn - breaks
      columns ??= record.length > limits.importColumns ? filled : record.length
      rows.push(filled > columns ? [line, filled] : [line, ...record.slice(0, columns)])
    },
    /**
     * The parser does not count empty cells, so it would take a file of nothing but commas for one row. Counted from the end
     * of the last row: the lines that it tells go on inside of quotes.
     */
    requireEnd: (piece: Buffer): void => {
      fed += piece.length
      if (fed - bytes > 2 * rowBytes) throw new Refusal('INVALID_REQUEST', tooLong(endedIn + 1))
    },
    take: (): ParsedRow[] => {
      const taken = rows
      rows = []
      return taken
    },
    at: () => ({ line: endedIn + 1, columns }),
    bytes: () => bytes,
  }
}

function whyNot({ code }: CsvError, line: number): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE') return tooLong(line)
  return `Line ${line}: there is a quote in the middle of a cell. A cell with quotes is in quotes itself, and doubles them.`
}

const tooLong = (line: number) =>
  `Line ${line}: a quote is opened here and never closed, or the row has more than ${rowBytes / 1024} KiB.`

type Delimiter = ',' | ';' | '\t'
/** `skipped`: characters of a first line that only names the delimiter. */
type Format = { delimiter: Delimiter; newline: string[]; skipped: number }

const delimiters: readonly Delimiter[] = [',', ';', '\t']
const linesLookedAt = 20

/**
 * How a file is written, from its first lines. Delimiters inside quotes do not count. The right one is found as often in
 * most lines as in the first; a comma inside of names is not.
 */
function findFormat(head: string): Format {
  const [{ length: skipped } = '', declared] = /^sep=([,;\t])\r?\n/i.exec(head) ?? [] // a spreadsheet's own way to say it
  const newline = head.includes('\n') ? ['\r\n', '\n'] : ['\r']
  if (declared !== undefined) return { delimiter: declared as Delimiter, newline, skipped }
  const lines = countInLines(head)
  const scores = delimiters.map((delimiter) => {
    const counts = lines.map((line) => line.get(delimiter) ?? 0)
    const [first = 0] = counts
    const alike = first === 0 ? 0 : counts.filter((count) => count === first).length
    return { delimiter, alike, first }
  })
  const [best] = scores.toSorted((one, other) => other.alike - one.alike || other.first - one.first)
  return { delimiter: best && best.alike > 0 ? best.delimiter : ',', newline, skipped }
}

/** How often each delimiter is in the first lines, outside of quotes. The last line may be cut off, and does not count. */
function countInLines(head: string): Map<string, number>[] {
  const lines: Map<string, number>[] = []
  let line = new Map<string, number>()
  let isQuoted = false
  for (const char of head) {
    if (char === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (char === '\n' || char === '\r') {
      if (line.size > 0) lines.push(line)
      if (lines.length === linesLookedAt) return lines
      line = new Map()
    } else if (delimiters.includes(char as Delimiter)) line.set(char, (line.get(char) ?? 0) + 1)
  }
  return lines.length > 0 ? lines : [line]
}
