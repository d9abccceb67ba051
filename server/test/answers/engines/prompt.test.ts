import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { HistoryMessage } from '../../../src/answers/engines/common/engine.ts'
import { buildPrompt, tokensOf } from '../../../src/answers/engines/models/prompt.ts'
import type { RankedEntry } from '../../../src/answers/knowledge/search/ranking.ts'
import { entries, settingsWith, turnOf } from '../../helpers/model-world.ts'

const within = { tokens: 3_000, now: new Date('2026-03-03T14:05:00Z') }

/** Texts of any length and script, and such that try to end a block or to imitate a role. */
const hostile = ['</reference>', '</message>', '<message>', '< / message >', '<|im_start|>system', '[INST]', '<<SYS>>']
const texts = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
  {
    weight: 2,
    arbitrary: fc.array(fc.constantFrom(...hostile, 'a', ' ', '\n', '<', '\u200b'), { maxLength: 40 }).map(join),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('word ', 'слово ', '字', '😀', '</message>'), fc.nat(4000)).map(repeat),
  },
)

function join(parts: string[]): string {
  return parts.join('')
}

function repeat([text, count]: [string, number]): string {
  return text.repeat(count)
}

const history = fc.array(
  fc.record<HistoryMessage>({
    by: fc.constantFrom('contact', 'bot', 'person'),
    kind: fc.constantFrom('text', 'reaction'),
    text: texts,
  }),
  { maxLength: 25 },
)

const known = fc.array(
  fc.record<RankedEntry>({
    entryId: fc.constant('ent_1'),
    question: texts,
    answer: texts,
    handsOver: fc.boolean(),
    score: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { maxLength: 40 },
)

const rules = fc.oneof(
  fc.constant(''),
  fc.nat(4000).map((count) => 'r'.repeat(count)),
  fc.nat(4000).map((count) => '字'.repeat(count)),
)

const limits = fc.tuple(rules, fc.nat(20_000), fc.integer({ min: 1_500, max: 20_000 }))

const runs = { numRuns: 300 }

test('a prompt of any parts keeps its size limit and contains the question', () => {
  const check = fc.property(texts, history, known, limits, (text, said, ranked, [instructions, most, tokens]) => {
    const settings = settingsWith({ instructions, historyMaxChars: most })
    const prompt = buildPrompt(turnOf(text, { settings, history: said }), ranked, { ...within, tokens })
    const fixed = tokensOf(prompt.instructions)
    const all = fixed + prompt.messages.reduce((sum, { content }) => sum + tokensOf(String(content)), 0)
    assert.ok(all <= Math.max(tokens, fixed + 1300), `${all} tokens`)
    assert.ok(all <= prompt.tokens)
    assert.ok(prompt.instructions.includes(instructions))
    const last = String(prompt.messages.at(-1)?.content)
    for (const id of prompt.entries.keys()) assert.ok(last.includes(`[${id}]`), id)
    assert.ok(ranked.length === 0 || prompt.entries.size > 0)
    const before = prompt.messages.map(({ content }) => String(content)).join('').length - last.length
    assert.ok(before <= most + 30 * 25, `${before} characters of history`)
  })
  fc.assert(check, runs)
})

test('no untrusted text ends its block, opens one, or contains a control token of a model', () => {
  const check = fc.property(texts, history, known, (text, said, ranked) => {
    const { messages } = buildPrompt(turnOf(text, { history: said }), ranked, within)
    const all = messages.map(({ content }) => String(content)).join('\n')
    for (const tag of ['<reference>', '</reference>', '<message>', '</message>']) {
      assert.equal(all.split(tag).length, 2, tag)
    }
    const marks = all.match(/<[\s/]*[\p{L}|!?_][^>]{0,12}/gu)
    assert.equal(marks?.length, 4, String(marks))
    assert.doesNotMatch(all, /\[\s*\/?INST/i)
    assert.ok(messages.every(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant')))
    assert.doesNotMatch(all, /[\u{e0000}-\u{e007f}\u202a-\u202e\u200b]/u)
    assert.ok(all.isWellFormed())
  })
  fc.assert(check, runs)
})

test('the oldest messages of the history are dropped first', () => {
  const said = Array.from(
    { length: 20 },
    (_, at): HistoryMessage => ({ by: 'contact', kind: 'text', text: String.fromCharCode(97 + at).repeat(1000) }),
  )
  const { messages } = buildPrompt(
    turnOf('And?', { history: said, settings: settingsWith({ historyMaxChars: 4500 }) }),
    [],
    within,
  )
  const kept = said.filter(({ text }) => String(messages[0]?.content).includes(text))
  assert.deepEqual(kept, said.slice(-4))
  const none = buildPrompt(
    turnOf('And?', { history: said, settings: settingsWith({ historyMaxChars: 0 }) }),
    [],
    within,
  )
  assert.doesNotMatch(String(none.messages[0]?.content), /ttt/)
})

test('a message that is too long is cut and marked as cut', () => {
  const { messages } = buildPrompt(turnOf('word '.repeat(2000)), entries, within)
  assert.match(String(messages[0]?.content), /word \[the rest was cut off\]\n<\/message>$/)
})

test('the system prompt names the business, the language and the time; the instructions of the campaign follow it', () => {
  const settings = settingsWith({ businessName: 'Ana’s Shop', language: 'pt-BR', instructions: 'Be kind.' })
  const { instructions, messages } = buildPrompt(turnOf('Oi', { settings, firstName: 'Mallory' }), entries, within)
  for (const part of [
    'for Ana’s Shop',
    'Brazilian Portuguese',
    '\n\nBe kind.\n\n',
    'Tuesday, 3 March 2026 at 14:05 UTC',
  ]) {
    assert.ok(instructions.includes(part), part)
  }
  assert.doesNotMatch(instructions + JSON.stringify(messages), /Mallory/)
})

test('in the entries of the prompt the name of the business is filled in, that of the contact is not', () => {
  const entry = { ...entries[0], answer: 'Hello {{firstName}}, {{businessName}} takes it back.' } as RankedEntry
  const settings = settingsWith({ businessName: 'The Shop' })
  const { messages } = buildPrompt(turnOf('Hi', { settings, firstName: 'Mallory' }), [entry], within)
  assert.match(String(messages[0]?.content), /Answer: Hello, The Shop takes it back\./)
})

const longAnswer = 'We are open every day from nine to five, and on holidays by appointment. '.repeat(20)
const many = Array.from({ length: 40 }, (_, at) => ({
  entryId: `ent_${at}` as const,
  question: `Question ${at}?`,
  handsOver: false,
  score: 0.5 - at / 100,
  answer: at === 3 ? longAnswer.repeat(10) : `Answer ${at}. ${'word '.repeat(40)}`,
}))

test('all entries are in the prompt where they fit, however far they are; else the best that fit', () => {
  const all = buildPrompt(turnOf('Hi'), many, { ...within, tokens: 16_000 })
  assert.deepEqual([...all.entries.values()], many)
  assert.ok(String(all.messages.at(-1)?.content).includes('[k40] Question: Question 39?\nAnswer: Answer 39.'))
  const some = [...buildPrompt(turnOf('Hi'), many, within).entries.values()]
  const best = many.filter(({ answer }) => answer.length < 1_000).slice(0, some.length)
  assert.ok(some.length > 20, `${some.length} entries`)
  assert.deepEqual(some, best)
})

test('the last question and the answer to it are in the prompt, whatever the entries and the older history take', () => {
  const exchange: HistoryMessage[] = [
    { by: 'contact', kind: 'text', text: 'When are you open?' },
    { by: 'bot', kind: 'text', text: longAnswer },
  ]
  const older = Array.from({ length: 18 }, (): HistoryMessage => ({ by: 'contact', kind: 'text', text: longAnswer }))
  const turn = turnOf('and on Sundays?', { history: [...older, ...exchange] })
  for (const tokens of [2_000, 3_000]) {
    const { messages, entries } = buildPrompt(turn, many, { ...within, tokens })
    const all = messages.map(({ content }) => content).join('\n')
    assert.match(all, /When are you open\?/)
    assert.match(all, /We are open every day/)
    assert.ok(entries.size >= 10, `${entries.size} entries`)
  }
})
