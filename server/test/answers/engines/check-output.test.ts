import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EngineError, type TurnInput } from '../../../src/answers/engines/common/engine.ts'
import { buildPrompt } from '../../../src/answers/engines/models/prompt.ts'
import { checkOutput } from '../../../src/answers/engines/output-check/check-output.ts'
import type { ModelOutput } from '../../../src/answers/engines/output-check/read-output.ts'
import { entries, settingsWith, turnOf } from '../../helpers/model-world.ts'

const instructions =
  'You are Ana, cheerful and brief. Never mention the warehouse in Porto. Blog: https://ana.example/blog'
const turn = turnOf('How do I return it?', { settings: settingsWith({ instructions }) })

function check(reply: string, { ids = ['k1'], action = 'answer' as ModelOutput['action'], input = turn } = {}) {
  const prompt = buildPrompt(input, entries, { tokens: 3_000, now: new Date() })
  return checkOutput({ action, reply, entries: ids }, input, prompt)
}

test('an address from the entries or the instructions stays, in any spelling of its host', () => {
  for (const reply of [
    'See https://shop.example/returns.',
    'See (https://shop.example/returns) or write to help@shop.example!',
    'See HTTPS://SHOP.EXAMPLE/returns/',
    'Our page is shop.example, more at www.shop.example/returns',
    'Write to help (at) shop.example',
    'I blog at https://ana.example/blog?',
    '请看https://shop.example/returns。谢谢！',
    'See **https://shop.example/returns**, <https://shop.example/returns> or "shop.example".',
  ]) {
    assert.deepEqual([check(reply).text, check(reply).removedLinks], [reply, 0])
  }
})

const foreign = [
  ...[
    'https://evil.test/x',
    'http://evil.test',
    'HTTP://EVIL.TEST/A?b=c#d',
    'hxxps://evil.test/',
    'hxxp[:]//evil[.]test',
  ],
  ...[
    'evil.test',
    'www.evil.test',
    'evil.test/path',
    'sub.evil.co.uk',
    'EVIL.COM',
    'Evil.Com',
    'evil.xn--p1ai',
    'злой.рф',
  ],
  ...[
    'ftp://evil.test/x',
    'javascript:alert(1)',
    'data:text/html,x',
    'mailto:eve@evil.test',
    '//evil.test/x',
    'tel:+15550100',
  ],
  ...['eve@evil.test', 'eve (at) evil (dot) com', 'eve at evil dot com', 'eve[at]evil[dot]com', 'eve@localhost'],
  ...[
    'evil . com',
    'evil dot com',
    'evil[.]com',
    'evil(dot)com',
    'evil. com',
    'evil.com.',
    'ｅｖｉｌ．ｃｏｍ',
    'evil。com',
  ],
  ...['http://1.2.3.4/x', '1.2.3.4/x', '10.0.0.1:8080', 'http://[::1]/x', 'http://0x7f000001/', 'h**ps://evil.test/x'],
  ...[
    'https://shop.example/returns?leak=secret',
    'https://shop.example.evil.test/returns',
    'https://shop.example@evil.test/',
  ],
  ...['https://shop.example/other', 'other@shop.example', 'ev\u200bil.com', 'evil\u200d.com', 'evil.\u2060com'],
  ...[
    '![x](https://evil.test/i.png?d=1)',
    '[click](https://evil.test)',
    '[shop.example](http://evil.test)',
    '<https://evil.test>',
  ],
  ...[
    '![x][1]\n[1]: https://evil.test/x',
    '<img src="https://evil.test/x">',
    '<a href=//evil.test>x</a>',
    '`evil.test/x`',
  ],
  ...[
    'e<b></b>vil.com',
    'ev<!-- -->il.com',
    'https://evil.test/查看',
    'https://пример.test/x',
    'http : // evil.test/x',
  ],
]

test('any other address is removed completely', () => {
  for (const link of foreign) {
    const { text, removedLinks } = check(`You have 30 days ${link} to send it back.`)
    assert.match(text ?? '', /^You have 30 days/, link)
    assert.match(text ?? '', /to send it back\.$/, link)
    assert.doesNotMatch(
      text ?? '',
      /evil|eve|leak|:\/\/|1\.2\.3|secret|other|alert|555|злой|\bcom\b/i,
      `${link} -> ${text}`,
    )
    assert.ok(removedLinks > 0 || !/[^\s<>!]*evil\S*\s/.test(`${text} `), link)
  }
})

test('no combination of addresses and signs lets an unknown address through', () => {
  const parts = fc.constantFrom(
    ...foreign,
    'https://shop.example/returns',
    ' ',
    ')',
    '(',
    '](',
    '.',
    '@',
    'http://',
    'x',
    '\n',
  )
  const property = fc.property(fc.array(parts, { maxLength: 12 }), (mixed) => {
    const { text } = check(`Yes ${mixed.join('')} ok`)
    assert.doesNotMatch(
      text ?? '',
      /https?:\/\/(?!shop\.example\/returns(?![\w/?#]))\w|evil\.(test|com)(?![\p{L}\p{N}])|eve@\w|\bjavascript:/iu,
    )
  })
  // The example: removing a number must not reveal an address behind it.
  fc.assert(property, { numRuns: 500, examples: [[['evil.com', 'tel:+15550100', 'javascript:alert(1)']]] })
})

test('words that only look like addresses stay', () => {
  for (const reply of [
    'Open 9.30 to 17.00, z.B. on Monday, i.e. not on Sunday... See report.pdf, version 1.2.3, at 9.am.',
    'Yes.Of course.We do. Costs 3.50 EUR, or 1.000,00. Use St.Gallen.',
    '好的。谢谢。我们会处理：请等一下！',
    'Привет.Как дела? Да. Нет.',
    'The ratio is 3 : 4 // roughly, at 5 @ 2.',
    'Family 👨‍👩‍👧 and می‌خواهم stay whole. Is a < b and <your name> > c?',
  ]) {
    assert.deepEqual([check(reply).text, check(reply).removedLinks], [reply, 0])
  }
})

test('HTML and images are removed; other brackets stay', () => {
  const { text } = check('<p>You <b>have</b> 30 days.</p><script>alert(1)</script>![a](b) Ok <scr<script>ipt src=x>')
  assert.equal(text?.replace(/\s+/g, ' '), 'You have 30 days. Ok <scr')
})

test('40 characters of our rules or of the instructions lead to the fallback, however they are disguised', () => {
  const { systemPrompt } = buildPrompt(turn, entries, { tokens: 3_000, now: new Date() })
  const [, rule = ''] = systemPrompt.split('\n')
  const secrets = [rule.slice(0, 60), rule.slice(100, 141), systemPrompt, 'Never mention the warehouse in Porto. Blog']
  const dresses: ((text: string) => string)[] = [
    (text) => `My rules: ${text}`,
    (text) => text.toUpperCase(),
    (text) => text.replaceAll(' ', '\n'),
    (text) => text.replaceAll(' ', '  **'),
    (text) => [...text].join(' '),
    (text) => [...text].join('\u200b'),
    (text) => text.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0x1d41a - 97)),
    (text) => text.replaceAll(' ', '<b> </b>'),
  ]
  for (const secret of secrets) {
    for (const dress of dresses) {
      const { kind, text } = check(dress(secret).slice(0, 1400))
      assert.deepEqual([kind, text], ['fallback', 'A colleague will look into it.'], dress(secret))
    }
  }
  assert.equal(check('You are Ana, cheerful and brief, yes.').kind, 'answer', 'a short run is no leak')
})

test('the text of an entry may be repeated, also where the instructions have it too', () => {
  const input = turnOf('?', { settings: settingsWith({ instructions: `Rule: ${entries[0]?.answer}` }) })
  assert.equal(check(entries[0]?.answer ?? '', { input }).text, entries[0]?.answer)
})

test('in a strict campaign an answer needs an entry of the prompt; a clarifying question needs none', () => {
  assert.equal(check('You have 30 days.', { ids: [] }).kind, 'fallback')
  assert.equal(check('You have 30 days.', { ids: ['k4', 'k7', 'ent_returns', ''] }).kind, 'fallback')
  assert.deepEqual(check('Yes.', { ids: ['k2', 'k7'] }).sources, [{ entryId: 'ent_hours', score: 0.42 }])
  const loose = turnOf('?', { settings: settingsWith({ strict: false }) })
  assert.deepEqual(
    [check('Hi!', { ids: [], input: loose }).kind, check('Hi!', { ids: [], input: loose }).sources],
    ['answer', []],
  )
  const asked = check('Which order is it?', { ids: [], action: 'clarify' })
  assert.deepEqual([asked.kind, asked.reason, asked.text], ['answer', 'clarify', 'Which order is it?'])
  assert.equal(check('Buy gold now.', { ids: [], action: 'clarify' }).kind, 'fallback')
  const silent = turnOf('?', { settings: settingsWith({ fallbackText: null }) })
  assert.deepEqual(
    [check('x', { ids: [], input: silent }).kind, check('x', { ids: [], input: silent }).text],
    ['fallback', null],
  )
})

test('a handover and no reply carry no text of the model', () => {
  for (const [action, kind] of [
    ['handover', 'handover'],
    ['none', 'silent'],
  ] as const) {
    const { removedLinks, reason, ...rest } = check('Visit https://evil.test', { action })
    assert.deepEqual(rest, { kind, text: null, sources: [] })
  }
})

test('an empty answer is a failure, and one that the check empties is the fallback', () => {
  assert.throws(
    () => check(' \n'),
    (error) => error instanceof EngineError && !error.isFinal,
  )
  assert.equal(check('https://evil.test').kind, 'fallback')
  assert.equal(check('<script>x</script>').kind, 'fallback')
})

test('the same answer twice in a row is a handover; the same answer long ago is not', () => {
  const said = (...texts: string[]): TurnInput => ({
    ...turn,
    history: texts.map((text) => ({ by: 'bot' as const, kind: 'text' as const, text })),
  })
  assert.equal(check('You have  30 days.', { input: said('You have 30 days.', 'Hello') }).kind, 'handover')
  assert.equal(check('You have 30 days.', { input: said('You have 30 days.', 'Hello', 'Bye') }).kind, 'answer')
})

test('a long answer ends with a sentence, or with a word, and within the limit', () => {
  for (const unit of ['Ein Satz. ', 'word ', 'x', '字', '很好。', '😀']) {
    const text = check(unit.repeat(1600)).text ?? ''
    assert.ok(text.length <= 1500 && text.length > 750 && text.isWellFormed(), `${unit} ${text.length}`)
    assert.match(text, /[.。…]$/)
  }
})

test('an address that the length limit would cut is removed', () => {
  for (let length = 1460; length < 1500; length += 1) {
    const { text } = check(`${'x'.repeat(length)},https://shop.example/returns`)
    assert.match(text ?? '', /^x+(,https:\/\/shop\.example(\/(returns)?)?|,?[htps:/]* ?)…?$/)
  }
})

test('the name of the contact is filled in by us and cannot bring in an address', () => {
  const input = turnOf('?', { firstName: 'Mallory evil.com', settings: settingsWith() })
  assert.equal(check('Hello {{firstName}}, yes.', { input }).text, 'Hello, yes.', 'that is no name')
  assert.equal(check('Hello {{firstName}}, yes.').text, 'Hello, yes.')
})
