import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stopPatterns } from '../../../src/answers/engines/intents/intent-patterns.ts'
import * as phrases from '../../../src/answers/engines/intents/intent-phrases.ts'
import { readConsent, readIntent, withoutGreeting } from '../../../src/answers/engines/intents/read-intent.ts'

const none = { personPhrases: [], stopPhrases: [] }

const examples = {
  person: [
    'can I speak to someone about my order',
    'I want a human',
    'agent please',
    'real person',
    'Hello, could you connect me with an AGENT?',
    'I do not want to talk to a bot',
    'Ich möchte mit einem Mitarbeiter sprechen',
    '¿Puedo hablar con una persona?',
    'Je voudrais parler à un conseiller',
    'Quero falar com um atendente',
    'Vorrei parlare con un operatore',
    'can i tlak to a person',
  ],
  stop: [
    'stop',
    'STOP!!',
    'Please unsubscribe',
    'unsubscribe me',
    'stop messaging me',
    'Abmelden',
    'no me escriban más',
  ],
  greeting: ['Hi', 'hello there!', 'Good morning 👋', 'Guten Tag', '¡Hola!', 'bonjour', 'Hi, how are you?'],
  thanks: ['thanks', 'Thank you so much!', 'ok great, thx', '👍', '🙏🙏', 'Vielen Dank', 'hi, thanks'],
}

for (const [intent, texts] of Object.entries(examples)) {
  test(`an intent is recognised from its words: ${intent}`, () => {
    for (const text of texts) assert.equal(readIntent(text, none), intent, text)
  })
}

test('a question that only shares words with an intent has none', () => {
  const questions = [
    'how do I stop the machine',
    'how do I unsubscribe from the newsletter',
    'is the sales person in store on Sunday',
    'is there a weight limit per person',
    'can you send me the price per person',
    'who is the manager of the store',
    'do you have human resources',
    'Hello, where is my order?',
    'thanks, but where is my order?',
    'do I have to be there in person',
    'can someone help me with my return',
    'cancel',
    'yes',
    'no',
    '2',
    '?',
    '😡',
    '',
    '   ',
  ]
  for (const question of questions) assert.equal(readIntent(question, none), undefined, question)
})

test("a campaign's own phrases count as well, whatever their case and accents", () => {
  const settings = { personPhrases: ['Chefín', 'front desk'], stopPhrases: ['Genug davon!'] }
  assert.equal(readIntent('I need the FRONT  DESK now', settings), 'person')
  assert.equal(readIntent('chefin bitte', settings), 'person')
  assert.equal(readIntent('frontdesk', settings), undefined)
  assert.equal(readIntent('genug davon', settings), 'stop')
  assert.equal(readIntent('ich habe genug davon bestellt', settings), undefined)
})

test('opt-out and opt-in are distinguished from all other texts', () => {
  const consent = {
    stop: ['STOP', 'unsubscribe please', 'Abmelden!', 'baja', 'arrêt', 'sair', 'basta'],
    start: ['START', 'unstop', 'please subscribe me', 'Anmelden bitte', 'alta', 'reprendre', 'retomar', 'iscrivimi'],
  }
  for (const [intent, texts] of Object.entries(consent)) {
    for (const text of texts) assert.equal(readConsent(text, []), intent, text)
  }
  for (const text of ['', '👍', 'how do I start', 'start the machine', 'Hello', 'I cannot resume my order']) {
    assert.equal(readConsent(text, []), undefined, text)
  }
})

test('an opt-out or opt-in is found with or without a look at single words first, in 100,000 texts made of both', () => {
  const other = [
    'when does it come',
    'do you have it in blue',
    'a start',
    'I compare lists',
    'no',
    'stopping',
    'été',
    '',
  ]
  const errors = [...phrases.misspelt.keys()]
  const said = [...phrases.stopPhrases, ...phrases.startPhrases, ...stopPatterns.flatMap(textsOf), ...errors]
  const part = fc.oneof(fc.constantFrom(...said), fc.constantFrom(...phrases.politeness), fc.constantFrom(...other))
  const text = fc.array(part, { minLength: 1, maxLength: 4 })
  const [joint, at] = [fc.constantFrom(' ', '\n', ', ', '-', '... ', '_'), fc.nat(30)]
  const styles = [
    (each: string) => each,
    (each: string) => each.toUpperCase(),
    (each: string) => `${each.slice(0, 1).toUpperCase()}${each.slice(1)}!`,
    (each: string) => each.replaceAll('dont', "don't"),
    (each: string, place: number) => `${each.slice(0, place)}'${each.slice(place)}`,
    (each: string, place: number) => each.slice(0, place) + each.slice(place + 1),
  ]
  const found = { stop: 0, start: 0, none: 0 }
  const isSame = fc.property(text, joint, fc.constantFrom(...styles), at, (parts, between, style, place) => {
    const written = style(parts.join(between), place)
    const intent = readConsent(written, ['a phrase that is in no text'])
    found[intent ?? 'none'] += 1
    assert.equal(readConsent(written, []), intent, written)
  })
  fc.assert(isSame, { numRuns: 100_000, seed: 28 })
  assert.ok(Math.min(...Object.values(found)) > 1_000, JSON.stringify(found))
})

/** All texts that a pattern means, with up to one word for a star. */
function textsOf(pattern: string): string[] {
  const parts = pattern.match(/\([^)]*\) ?|[^ ()*]+ ?|\* /g) ?? []
  const choices = parts.map((each) => {
    if (each === '* ') return ['', 'any ']
    return each.startsWith('(')
      ? each
          .replace(/[()]| $/g, '')
          .split('|')
          .map((word) => (each.endsWith(' ') ? `${word} ` : word))
      : [each]
  })
  return choices.reduce((texts, words) => texts.flatMap((start) => words.map((word) => start + word)), [''])
}

test('an opt-out takes precedence over a request for a person', () => {
  assert.equal(readIntent('stop messaging me or let me talk to a human', none), 'stop')
})

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.array(fc.string()), (text, phrases) => {
      readIntent(text, { personPhrases: phrases, stopPhrases: phrases })
      readConsent(text, phrases)
      withoutGreeting(text)
    }),
  )
})

/** The least time of many tries, which other processes disturb least. */
function leastMs(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 40; tries += 1) {
    const startedAt = performance.now()
    work()
    least = Math.min(least, performance.now() - startedAt)
  }
  return least
}

test('the time grows at most in proportion to the text, and above some length not at all', () => {
  const parts = [
    'talk to ',
    'a ',
    'mit ',
    'stop ',
    'please ',
    'can i speak to the ',
    'no me ',
    'do not want to ',
    'hi ',
  ]
  for (const part of parts) {
    const ofLength = (characters: number) => `${part.repeat(characters / part.length)}bot`
    const [short, long, endless] = [500, 2_000, 64_000].map(ofLength).map((text) =>
      leastMs(() => {
        readIntent(text, none)
        readConsent(text, [])
      }),
    )
    assert.ok(short !== undefined && long !== undefined && endless !== undefined)
    // Four times the length: linear is 4, quadratic 16. A ratio, so that it holds on any machine.
    assert.ok(long < 10 * (short + 0.02), `"${part}": ${short} ms, and ${long} ms for four times as much`)
    assert.ok(endless < 8 * (long + 0.02), `"${part}": ${long} ms, and ${endless} ms for 32 times as much`)
  }
})

test('unrelated words are no intent', () => {
  const word = fc.constantFrom(
    ...'table lamp order blue seven wood chair arrive window large under kitchen price week paint shelf river green'.split(
      ' ',
    ),
  )
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), (words) => {
      assert.equal(readIntent(words.join(' '), none), undefined)
    }),
  )
})

test('a greeting before a question is removed, and nothing else', () => {
  assert.equal(withoutGreeting('Hello there, where is my order?'), 'where is my order?')
  assert.equal(withoutGreeting('Hola, buenas tardes. ¿Dónde está?'), '¿Dónde está?')
  assert.equal(withoutGreeting('Hello I need a refund'), 'I need a refund')
  assert.equal(withoutGreeting('where is my order?'), 'where is my order?')
  assert.equal(withoutGreeting('Hi'), 'Hi')
})
