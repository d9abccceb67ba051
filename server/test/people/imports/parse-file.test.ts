import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FilePlace, parseFile } from '../../../src/people/imports/file/parse-file.ts'
import { Refusal } from '../../../src/platform/refusal.ts'

const runs = Math.max(150, Number(process.env.FUZZ_RUNS ?? 0) / 20)

/** Repeatable: the same numbers in every run. */
function randomFrom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** As the browser divides it: no character is cut. */
function partsOf(text: string, length: number): string[] {
  const characters = [...text]
  const count = Math.ceil(characters.length / length)
  return Array.from({ length: count }, (_, n) => characters.slice(n * length, (n + 1) * length).join(''))
}

async function parseAll(text: string, partLength = 1_000) {
  const parts = partsOf(text, partLength)
  const rows = []
  let place: FilePlace | undefined
  for await (const parsed of parseFile(async (n) => parts[n])) {
    rows.push(...parsed.rows)
    place = parsed.place
  }
  return { delimiter: place?.delimiter, rows }
}

/** The same by a parser that begins anew after each piece, at the place behind the rows so far. */
async function parseInTurns(text: string, partLength: number) {
  const parts = partsOf(text, partLength)
  const rows = []
  for (let place: FilePlace | undefined; ; ) {
    let isOver = true
    for await (const parsed of parseFile(async (n) => parts[n], place)) {
      if (parsed.rows.length === 0) continue
      rows.push(...parsed.rows)
      place = parsed.place
      isOver = false
      break
    }
    if (isOver) return rows
  }
}

const pieces = ['Ana', 'b', ' ', '"', ',', ';', '\t', '\n', '\r\n', "'", '=1+1', 'Zoë', '日本', '😀', '+44 77', 'x@y.z']

test('cells come back as they were written, with any delimiter, line break, quotes, byte order mark and size of parts', async () => {
  const random = randomFrom(20_261_116)
  for (let run = 0; run < runs; run += 1) {
    const delimiter = [',', ';', '\t'][random(3)] as string
    const newline = ['\n', '\r\n'][random(2)] as string
    const columns = 2 + random(5)
    const cell = () => Array.from({ length: 1 + random(4) }, () => pieces[random(pieces.length)]).join('')
    const table = Array.from({ length: 1 + random(12) }, () => Array.from({ length: columns }, cell))
    const head = Array.from({ length: columns }, (_, n) => `h${n}`)
    const mustQuote = (text: string) => /["\r\n,;\t]/.test(text) || random(4) === 0
    const write = (text: string) => (mustQuote(text) ? `"${text.replaceAll('"', '""')}"` : text)
    const lines = [head, ...table].map((row) => row.map(write).join(delimiter))
    const text = ['', '\ufeff'][random(2)] + lines.join(newline) + ['', newline][random(2)]
    const isVisible = (row: string[]) => row.some((one) => one.trim() !== '')
    const parsed = await parseAll(text, 1 + random(40))
    assert.equal(parsed.delimiter, delimiter, text)
    assert.deepEqual(
      parsed.rows.map(([, ...cells]) => cells),
      [head, ...table.filter(isVisible)],
      JSON.stringify(text),
    )
    const firstLines = lines.map(
      (_, n) =>
        lines
          .slice(0, n)
          .join('\n')
          .split(/\r\n|\n|\r/).length + (n === 0 ? 0 : 1),
    )
    const expected = [1, ...firstLines.slice(1).filter((_, n) => isVisible(table[n] ?? []))]
    assert.deepEqual(
      parsed.rows.map(([line]) => line),
      expected,
      JSON.stringify(text),
    )
    assert.deepEqual(await parseInTurns(text, 1 + random(40)), parsed.rows, JSON.stringify(text))
  }
})

test('a broken quote is refused with the line of its row', async () => {
  const refusalOf = (text: string) =>
    parseAll(text).then(
      () => assert.fail('it was read'),
      (error) => (error instanceof Refusal ? error.message : assert.fail(String(error))),
    )
  assert.match(await refusalOf('a,b\n1,2\n"3,4\n5,6\n'), /^Line 3: a quote is opened here and never closed/)
  assert.match(await refusalOf('a,b\n1,2\n"x\ny",2\n3,4 "four" 5\n'), /^Line 5: there is a quote in the middle/)
  assert.match(await refusalOf(`a,b\n1,2\n"${'long '.repeat(50_000)}`), /^Line 3: a quote is opened here/)
})

test('a spreadsheet may name the delimiter itself, and blank rows do not count', async () => {
  const { delimiter, rows } = await parseAll('sep=;\r\na;b\r\n;\r\n\r\n1,5;2\r\n;;\r\n')
  assert.equal(delimiter, ';')
  assert.deepEqual(rows, [
    [2, 'a', 'b'],
    [5, '1,5', '2'],
  ])
})

test('blank cells beyond the header are dropped, and a row with others keeps only their number', async () => {
  const { rows } = await parseAll(
    `a,b\n1,2${','.repeat(50_000)}\n${','.repeat(60_000)}\n1,2,,x,\n${','.repeat(60_000)}y\n1\n`,
  )
  assert.deepEqual(rows, [
    [1, 'a', 'b'],
    [2, '1', '2'],
    [4, 4],
    [5, 60_001],
    [6, '1'],
  ])
  const wide = await parseAll(`a,b${','.repeat(200)}\n1,2${','.repeat(300)}\n`)
  assert.deepEqual(wide.rows, [
    [1, 'a', 'b'],
    [2, '1', '2'],
  ])
})

test('a row that does not end is refused, of whatever it consists', async () => {
  await assert.rejects(parseAll(`a,b\n${','.repeat(300_000)}`, 100_000), /^Refusal: Line 2: .* more than 64 KiB/)
  const ofLines = `a,b,c\n${`"\n"${','.repeat(100_000)}`.repeat(4)}`
  await assert.rejects(parseAll(ofLines, 100_000), /^Refusal: Line 2: .* more than 64 KiB/)
  await assert.rejects(parseAll(`a,b\n${'"\r\n",'.repeat(30_000)}\n`, 100_000), /^Refusal: Line 2: /)
  const { rows } = await parseAll(`a,b\n${'\n'.repeat(300_000)}1,2\n`, 100_000)
  assert.deepEqual(rows[1], [300_002, '1', '2'])
})
