import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualWebchat, type WebchatSettings } from '@patchbay/contract/chat/settings.ts'
import type { Content } from '../../../../src/journey/channels/kinds/kind.ts'
import { webchat } from '../../../../src/journey/channels/kinds/webchat/webchat.ts'
import { Refusal } from '../../../../src/platform/refusal.ts'

const readPages = (...pages: string[]) => webchat.readSettings({ pages }, undefined).pages

test('pages are kept as browsers name them: in lower case and punycode, without a port that says nothing, once each', () => {
  const given = [
    ...['Shop.Example', 'https://shop.example/', 'shop.example:443', '*.Kettle-Lane.example'],
    ...['bücher.example', 'shop.example:8443', 'localhost:3000', 'http://localhost', '127.0.0.1:8080', '[::1]:3000'],
    ...['*.localhost', 'http://shop.localhost:80', 'shop.example.', 'intranet'],
  ]
  assert.deepEqual(readPages(...given), [
    ...['shop.example', '*.kettle-lane.example', 'xn--bcher-kva.example', 'shop.example:8443', 'localhost:3000'],
    ...['localhost', '127.0.0.1:8080', '[::1]:3000', '*.localhost', 'shop.localhost', 'intranet'],
  ])
})

test('a page that would be everybody’s, is not read by https or is no host is refused by name', () => {
  for (const [given, words] of [
    ['*', /anybody could/],
    ['*.', /anybody could/],
    ['*.com', /very many others/],
    ['*.127.0.0.1', /very many others/],
    ['http://shop.example', /http:\/\/shop\.example is not read by https/],
    ['shop.example/cart', /"shop\.example\/cart" is no host/],
    ['*.*.example', /is no host/],
    ['user@shop.example', /is no host/],
    ['shop example', /is no host/],
    ['ftp://shop.example', /is no host/],
    ['shop.example:99999', /is no host/],
    ['   ', /is no host/],
  ] as const) {
    assert.throws(
      () => readPages('ok.example', given),
      (error) => error instanceof Refusal && words.test(error.message),
      given,
    )
  }
  assert.throws(() => readPages(), /settings\.pages must name at least one page/)
  assert.throws(() => webchat.readSettings({}, undefined), /settings\.pages/)
})

test('only pages must be given; what is left out is as usual, and stays when something else is changed', () => {
  const made = webchat.readSettings({ pages: ['shop.example'] }, undefined)
  assert.deepEqual(made, { ...usualWebchat, pages: ['shop.example'] })
  const changed = webchat.readSettings({ colour: '#aa0000', members: 'may' }, made)
  assert.deepEqual(changed, { ...made, colour: '#aa0000', members: 'may' })
})

test('hours that are none are refused by name', () => {
  const hours = { zone: 'Europe/Berlin', windows: [], closed: [] }
  const readHours = (change: object) =>
    webchat.readSettings({ pages: ['a.example'], hours: { ...hours, ...change } }, undefined)
  assert.throws(
    () => readHours({ zone: 'Europe/Kettle' }),
    /settings\.hours\.zone: there is no time zone "Europe\/Kettle"/,
  )
  assert.throws(() => readHours({ closed: ['2026-02-30'] }), /there is no day 2026-02-30/)
  assert.throws(
    () => readHours({ windows: [{ day: 1, from: '09:00', to: '09:00' }] }),
    /settings\.hours\.windows\.0 has no length/,
  )
  assert.ok(readHours({ windows: [{ day: 5, from: '22:00', to: '02:00' }], closed: ['2026-12-25'] }).hours)
})

const facts = {
  settings: { ...usualWebchat, pages: ['shop.example'] } as WebchatSettings,
  publicUrl: 'https://patchbay.shop.example',
  ...{ seen: null, hasFirstMessage: false, hasSecret: false, hasMember: false, isForged: false, isHidden: false },
  today: { contacts: 0, messages: 0, fileBytes: 0, modelAnswers: 0 },
}
const found = (change: Partial<typeof facts>) => {
  const { checks, reason } = webchat.checks({ ...facts, ...change })
  return { checks: Object.fromEntries(checks.map(({ name, state }) => [name, state])), reason }
}

test('it works once pages can fetch it by https, or a page of this machine from this machine', () => {
  const waits = { pages: 'done', seen: 'waits', 'first message': 'waits' }
  assert.deepEqual(found({}), { checks: { address: 'done', ...waits }, reason: null })
  for (const publicUrl of ['http://patchbay.shop.example', 'https://localhost:8443', 'http://127.0.0.1:8080']) {
    assert.deepEqual(
      found({ publicUrl }),
      { checks: { address: 'failing', ...waits }, reason: 'no address' },
      publicUrl,
    )
  }
  const settings = { ...facts.settings, pages: ['shop.example', 'localhost:3000'] }
  assert.equal(found({ publicUrl: 'http://127.0.0.1:8080', settings }).reason, null)
  assert.equal(found({ publicUrl: 'http://patchbay.shop.example', settings }).reason, 'no address')
})

test('what came is shown as done, and a signed customer only where one is wanted', () => {
  const seen = { host: 'shop.example', at: new Date() }
  const done = { address: 'done', pages: 'done', seen: 'done', 'first message': 'done' }
  assert.deepEqual(found({ seen: seen as never, hasFirstMessage: true }).checks, done)
  const settings = { ...facts.settings, members: 'must' as const }
  assert.equal(found({ settings, hasMember: true }).checks['first member'], 'waits')
  assert.equal(found({ settings, hasSecret: true, hasMember: true }).checks['first member'], 'done')
})

const content: Content = { text: 'Hello', choices: [], file: null, replyTo: null }

test('everything that is said at once is one part: text, file and at most six buttons with short titles', () => {
  const choices = Array.from({ length: 7 }, (_, n) => ({ id: `ent_${n}`, title: `${n} ${'long '.repeat(20)}` }))
  const file = { contentType: 'image/png', fileName: 'a.png', sizeBytes: 100 }
  const [part, ...more] = webchat.split({ ...content, choices, file })
  assert.deepEqual([part?.text, part?.hasFile, part?.choices.length, more], ['Hello', true, 6, []])
  assert.ok(part?.choices.every(({ title }) => title.length <= 60 && title.endsWith('…')))
})

test('a person who writes too much, or sends too large a file, is told; what the bot says is never refused for its length', () => {
  const text = 'ä'.repeat(4_001)
  assert.throws(() => webchat.split({ ...content, text }), /takes 4000 characters, and it has 4001/)
  assert.equal(webchat.split({ ...content, text, isByBot: true })[0]?.text, text)
  const file = { contentType: 'application/pdf', fileName: 'a.pdf', sizeBytes: 11 * 1_048_576 }
  assert.throws(() => webchat.split({ ...content, file }), /files up to 10 MiB/)
})

test('a day that is nearly full, forged identities and a proxy that hides the visitors are told, the worst first, and end by themselves', () => {
  const today = (over: Partial<(typeof facts)['today']>) => ({ today: { ...facts.today, ...over } })
  const reasonOf = (change: Partial<typeof facts>) => found(change).reason
  const { modelAnswersADay, contactsADay } = usualWebchat.caps
  assert.equal(reasonOf(today({ modelAnswers: 0.8 * modelAnswersADay - 1 })), null)
  assert.equal(reasonOf(today({ modelAnswers: 0.8 * modelAnswersADay })), 'day nearly full')
  assert.equal(reasonOf(today({ modelAnswers: modelAnswersADay })), 'day full')
  assert.equal(reasonOf(today({ contacts: contactsADay })), 'day full')
  const all = { isForged: true, isHidden: true, ...today({ contacts: contactsADay, modelAnswers: modelAnswersADay }) }
  assert.equal(reasonOf(all), 'forged identities')
  const failing = webchat.checks({ ...facts, ...all }).checks.filter(({ state }) => state === 'failing')
  assert.deepEqual(
    failing.map(({ name }) => name),
    ['identities', 'limits', 'visitors'],
  )
  assert.match(failing[1]?.sentence ?? '', /^2,000 new visitors .* 500 answers today: .* midnight, UTC\.$/)
})
