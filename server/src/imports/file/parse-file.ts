import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import { Refusal } from '../../platform/refusal.ts'
import { type Delimiter, findFormat } from './find-delimiter.ts'

/** The line that a row begins in, and its cells. */
type ParsedRow = [line: number, ...cells: string[]]

export type Parsed = { delimiter: Delimiter; records: AsyncGenerator<ParsedRow, void> }

/** So many bytes are parsed before others get their turn: some 3 ms. */
const pieceBytes = 32 * 1024

/** More than a row of a hundred cells has. A quote that is never closed would make one row of the rest of the file. */
const rowBytes = 64 * 1024

/** The delimiter is found in so much of the beginning. */
const headCharacters = 64 * 1024

/**
 * Parses a file that comes in parts, row by row, in constant memory. What is not CSV is refused with the line: that of the
 * row, where the quote stands that is wrong.
 */
export async function parseFile(parts: AsyncGenerator<string, void>): Promise<Parsed> {
  const beginning = (await readBeginning(parts)).replace(/^\uFEFF/, '')
  const { delimiter, newline, fromLine } = findFormat(beginning.slice(0, headCharacters))
  const lines = countLines()
  const parser = parse({
    delimiter,
    recordDelimiter: newline,
    fromLine,
    relaxColumnCount: true,
    skipEmptyLines: true,
    maxRecordSize: rowBytes,
    onRecord: lines.onRecord,
  })
  const source = Readable.from(pieces(beginning, parts))
  source.on('error', (error) => parser.destroy(error))
  return { delimiter, records: orRefuse(source.pipe(parser), lines) }
}

/** As many parts as the format is found in. */
async function readBeginning(parts: AsyncGenerator<string, void>): Promise<string> {
  for (let beginning = ''; ; ) {
    const next = await parts.next()
    if (next.done) return beginning
    beginning += next.value
    if (beginning.length >= headCharacters) return beginning
  }
}

async function* pieces(beginning: string, parts: AsyncGenerator<string, void>): AsyncGenerator<Buffer, void> {
  for (let part: string | undefined = beginning; part !== undefined; ) {
    const bytes = Buffer.from(part)
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      yield bytes.subarray(from, from + pieceBytes)
      await setImmediate()
    }
    const next = await parts.next()
    part = next.done ? undefined : next.value
  }
}

type Lines = { onRecord: (record: string[], info: { lines: number }) => string[] | null; endedIn: () => number }

/**
 * Puts the line that it begins in before each row, when it is parsed, and leaves out blank rows. The parser tells the line
 * that a row ends in, and counts a line break of two characters inside of quotes twice.
 */
function countLines(): Lines {
  let countedTwice = 0
  let endedIn = 0
  return {
    onRecord: (record, info) => {
      const breaks = record.reduce((sum, cell) => sum + cell.split(/\r\n|\n|\r/).length - 1, 0)
      countedTwice += record.reduce((sum, cell) => sum + cell.split('\r\n').length - 1, 0)
      endedIn = info.lines - countedTwice
      return record.every((cell) => cell.trim() === '') ? null : [String(endedIn - breaks), ...record]
    },
    endedIn: () => endedIn,
  }
}

async function* orRefuse(rows: AsyncIterable<unknown>, lines: Lines): Parsed['records'] {
  try {
    for await (const [line, ...cells] of rows as AsyncIterable<string[]>) yield [Number(line), ...cells]
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause
    throw new Refusal('INVALID_REQUEST', whyNot(cause, lines.endedIn() + 1), { cause })
  }
}

function whyNot({ code }: CsvError, line: number): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE') {
    return `Line ${line}: a quote is opened here and never closed, or the row has more than ${rowBytes / 1024} KiB.`
  }
  return `Line ${line}: there is a quote in the middle of a cell. A cell with quotes is in quotes itself, and doubles them.`
}
