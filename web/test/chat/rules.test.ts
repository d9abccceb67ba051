import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAllowed } from '../../chat/page/allowed.ts'
import { isKey, newKey, subjectOf } from '../../chat/page/bearers.ts'
import { stateByHours } from '../../chat/page/hours.ts'
import { inkOn } from '../../chat/page/ink.ts'
import { chooseLanguage } from '../../chat/page/language.ts'
import { openMemory } from '../../chat/page/memory.ts'
import { isAddress } from '../../chat/view/text.ts'

const at = (url: string) => new URL(url)

test('the chat is only on pages that its owner has named, on https but for this machine', () => {
  const pages = ['kettlelane.example', '*.shop.example', 'localhost:3000', 'other.example:8443']
  const right = [
    'https://kettlelane.example/a?b',
    'https://KettleLane.example/',
    'https://a.b.shop.example/',
    'http://localhost:3000/',
    'https://localhost:3000/',
    'https://other.example:8443/',
  ]
  const wrong = [
    'http://kettlelane.example/',
    'https://kettlelane.example.evil.example/',
    'https://evilkettlelane.example/',
    'https://www.kettlelane.example/',
    'https://kettlelane.example:444/',
    'https://shop.example/',
    'http://localhost/',
    'https://other.example/',
    'file:///kettlelane.example',
  ]
  for (const url of right) assert.ok(isAllowed(pages, at(url)), url)
  for (const url of wrong) assert.ok(!isAllowed(pages, at(url)), url)
  assert.ok(!isAllowed([], at('https://kettlelane.example/')))
})

test('the language is that of the page, else of the visitor, else the first that is offered', () => {
  assert.equal(chooseLanguage(['en', 'de', 'ar'], 'ar-EG', ['de']), 'ar')
  assert.equal(chooseLanguage(['en', 'de'], 'fr', ['it-IT', 'de-AT']), 'de')
  assert.equal(chooseLanguage(['fr', 'de'], '', ['sv']), 'fr')
})

test('before a chat has begun, who is there is told by the hours in the loader', () => {
  const hours: [number, number][] = [
    [100, 200],
    [300, 400],
  ]
  const read = (now: number) => {
    const { isOpen, opensAt } = stateByHours({ hours, hasBot: false }, now)
    return [isOpen, opensAt]
  }
  assert.deepEqual([50, 100, 199, 200, 400].map(read), [
    [false, 100],
    [true, null],
    [true, null],
    [false, 300],
    [false, null],
  ])
  assert.equal(stateByHours({ hours: null, hasBot: true }, 0).by, 'bot')
})

test('a key is 32 random bytes in base64url', () => {
  const keys = Array.from({ length: 200 }, newKey)
  assert.equal(new Set(keys).size, 200)
  for (const key of keys) {
    assert.ok(isKey(key))
    assert.equal(Buffer.from(key, 'base64url').toString('base64url'), key)
    assert.equal(Buffer.from(key, 'base64url').length, 32)
  }
})

test('who a token is of is compared and never trusted: what is no token is of nobody', () => {
  const token = (sub: unknown) => `x.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.y`
  assert.equal(subjectOf(token('ana')), subjectOf(token('ana')))
  assert.notEqual(subjectOf(token('ana')), subjectOf(token('bea')))
  for (const wrong of ['', 'x', 'x.!.y', token(7), 'a.b.c']) assert.equal(subjectOf(wrong), '')
})

test('links lead only where a browser runs nothing', () => {
  for (const right of ['https://a.example/b', 'http://a.example', 'mailto:a@b.example'])
    assert.ok(isAddress(right), right)
  for (const wrong of [
    'javascript:alert(1)',
    'JaVaScRiPt:x',
    'data:text/html,x',
    'vbscript:x',
    'blob:x',
    '//a.example',
    'x',
  ])
    assert.ok(!isAddress(wrong), wrong)
})

test('the better of black and white on any colour reads 4.5 to 1', () => {
  assert.equal(inkOn('#00616E'), '#FFFFFF')
  assert.equal(inkOn('#F2B705'), '#000000')
  assert.equal(inkOn('#63C9D3'), '#000000')
})

function storage(given: Partial<Storage> = {}) {
  const values = new Map<string, string>()
  return {
    values,
    area: () =>
      ({
        getItem: (name: string) => values.get(name) ?? null,
        setItem: (name: string, value: string) => void values.set(name, value),
        removeItem: (name: string) => void values.delete(name),
        ...given,
      }) as Storage,
  }
}

test('a browser that may keep nothing until the page says so keeps the key in its tab, and moves it both ways', () => {
  const [lasting, passing] = [storage(), storage()]
  const memory = openMemory('x', false, { lasting: lasting.area, passing: passing.area })
  const key = memory.makeKey('')
  assert.deepEqual([lasting.values.size, passing.values.get('patchbay.x')?.includes(key)], [0, true])
  memory.consent(true)
  assert.ok(lasting.values.get('patchbay.x')?.includes(key))
  assert.ok(!passing.values.get('patchbay.x')?.includes(key))
  memory.consent(false)
  assert.equal(lasting.values.size, 0)
  assert.equal(openMemory('x', false, { lasting: lasting.area, passing: passing.area }).key(), key)
})

test('what was written before a member signed in is theirs: without them there is no chat in any tab, and whoever writes next has a key of their own', () => {
  const lasting = storage()
  const openTab = () => openMemory('x', true, { lasting: lasting.area, passing: storage().area })
  const tab = openTab()
  const key = tab.makeKey('')
  tab.saveThread({ isKnown: true })
  const other = openTab()
  assert.deepEqual([other.key(), other.isKnown()], [key, true])
  tab.setToken('of Ana')
  assert.equal(tab.makeKey('ana'), key)
  other.saveThread({ seen: 2 })
  assert.deepEqual([other.key(), other.thread(), other.isKnown()], [undefined, undefined, false])
  other.forgetKey()
  const later = openTab()
  assert.deepEqual([later.key(), later.thread(), later.isKnown()], [undefined, undefined, false])
  later.setToken('of Ana')
  assert.deepEqual([later.key(), later.under()], [key, 'ana'])
  later.setToken('')
  const next = later.makeKey('')
  assert.notEqual(next, key)
  assert.equal(openTab().key(), next)
})

test('storage that throws, is full or was cleared costs no word: the key lives as long as the page, which can say so', () => {
  const fails = () => {
    throw new DOMException('no', 'SecurityError')
  }
  const full = storage({ setItem: fails })
  for (const area of [fails as () => Storage, full.area]) {
    const memory = openMemory('x', true, { lasting: area, passing: area })
    const key = memory.makeKey('')
    memory.saveTab({ draft: 'a' })
    memory.saveThread({ seen: 3 })
    assert.deepEqual([memory.key(), memory.thread()?.seen, memory.endsWithPage()], [key, 3, true])
    memory.forget()
    assert.equal(memory.key(), undefined)
  }
  const cleared = storage()
  const memory = openMemory('x', true, { lasting: cleared.area, passing: storage().area })
  memory.makeKey('')
  assert.ok(!memory.endsWithPage())
  cleared.values.clear()
  memory.saveThread({ seen: 4 })
  assert.deepEqual([memory.endsWithPage(), cleared.values.size], [true, 0], 'what was cleared is not written again')
})

test('what is no key of ours, or was unused for a year, is no chat', () => {
  const read = (value: string) => {
    const lasting = storage()
    lasting.values.set('patchbay.x', value)
    return openMemory('x', true, { lasting: lasting.area, passing: storage().area }).thread()
  }
  const chat = (given: object) => JSON.stringify({ key: newKey(), at: Date.now(), ...given })
  assert.ok(read(chat({})))
  for (const wrong of [
    '',
    '7',
    'null',
    '{',
    '[]',
    chat({ key: '<x>' }),
    chat({ at: Date.now() - 366 * 86_400_000 }),
    chat({ at: 'x' }),
  ])
    assert.equal(read(wrong), undefined, wrong)
})
