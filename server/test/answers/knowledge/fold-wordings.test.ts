import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldWordings } from '../../../src/answers/knowledge/unanswered/fold-wordings.ts'

const folded = (...questions: string[]) =>
  foldWordings(questions.map((question) => ({ question, times: 1 }))).map(({ question, times }) => [question, times])

test('wordings that differ by a typing error, by case, accents or the order of words are one; others and other numbers stay', () => {
  const long = 'Do you deliver heavy furniture to the islands in the north during the winter months'
  assert.deepEqual(
    folded(long, `${long.toUpperCase()}?`, long.replace('furniture', 'furnture'), 'Do you deliver on islands'),
    [
      [long, 3],
      ['Do you deliver on islands', 1],
    ],
  )
  assert.deepEqual(folded('to the islands in the north', 'in the north to the islands'), [
    ['to the islands in the north', 2],
  ])
  assert.equal(folded(`${long} 2026`, `${long} 2027`).length, 2)
  assert.equal(folded(long, `${long} and in the summer`).length, 2)
  assert.equal(folded('', '?', 'open').length, 2)
})

test('2,000 wordings of 512 characters in groups of 20 are folded in less than half a second of processor time', () => {
  const words = Array.from({ length: 90 }, (_, n) => `word${String.fromCharCode(97 + (n % 26), 97 + ((n * 7) % 26))}`)
  const question = (group: number, n: number) =>
    words
      .map((word, at) => (at % 3 === n % 3 ? `${word}${String.fromCharCode(97 + ((group + n * 5 + at) % 26))}` : word))
      .join(' ')
      .slice(0, 512)
  const groups = Array.from({ length: 100 }, (_, group) =>
    Array.from({ length: 20 }, (_, n) => ({ question: question(group, n), times: 1 })),
  )
  const before = process.cpuUsage()
  for (const group of groups) foldWordings(group)
  const took = process.cpuUsage(before).user / 1_000
  assert.ok(took < 500, `${took.toFixed()} ms`)
})
