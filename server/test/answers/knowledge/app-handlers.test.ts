import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeUnanswered } from '../../../src/answers/knowledge/unanswered/unanswered-store.ts'
import { newId } from '../../../src/platform/ids.ts'
import { sharedApp, type TestApp } from '../../helpers/harness.ts'
import { signIn } from '../../helpers/sessions.ts'

async function openCampaign(app: TestApp) {
  const shop = await app.makeAccount()
  const browser = await signIn(app, shop)
  const { id } = (await browser.call('GET', '/api/campaigns')).body.campaigns[0]
  const path = `/api/campaigns/${id}`
  const call = (method: string, rest: string, body?: unknown) => browser.call(method, `${path}${rest}`, body)
  const questions = async () =>
    (await call('GET', '/entries')).body.entries.map((entry: { questions: string[] }) => entry.questions[0])
  return { shop, browser, id, path, call, questions }
}

const entryOf = (question: string, answer: string, over: object = {}) => ({
  questions: [question],
  answer,
  handsOver: false,
  isOn: true,
  ...over,
})

test('entries are added, changed, switched off and deleted; each change names what it was made to', async () => {
  await using app = await sharedApp()
  const { call, questions } = await openCampaign(app)
  const added = (await call('POST', '/entries', entryOf(' When do you open? ', ' At nine. '))).body
  assert.deepEqual([added.questions, added.answer, added.isOn], [['When do you open?'], 'At nine.', true])
  await call('POST', '/entries', entryOf('Do you ship?', 'Yes.'))
  assert.deepEqual((await questions()).sort(), ['Do you ship?', 'When do you open?'])

  const change = {
    ...entryOf('When do you open?', 'At ten.', { isOn: false, handsOver: true }),
    version: added.version,
  }
  const changed = await call('PUT', `/entries/${added.id}`, change)
  assert.deepEqual([changed.status, changed.body.answer, changed.body.isOn], [200, 'At ten.', false])
  assert.notEqual(changed.body.version, added.version)
  const late = await call('PUT', `/entries/${added.id}`, { ...change, answer: 'At eleven.' })
  assert.deepEqual([late.status, late.body.error.code], [409, 'CONFLICT'])
  const lateDelete = await call('DELETE', `/entries/${added.id}?version=${added.version}`)
  assert.equal(lateDelete.status, 409)
  const { entries } = (await call('GET', '/entries')).body
  assert.equal(entries[1].answer, 'At ten.')

  const twin = await call('POST', '/entries', entryOf('when do you OPEN', 'Never.'))
  assert.deepEqual([twin.status, twin.body.error.code], [409, 'CONFLICT'])
  assert.equal((await call('DELETE', `/entries/${added.id}?version=${changed.body.version}`)).status, 200)
  assert.deepEqual(await questions(), ['Do you ship?'])
})

test('pages of entries meet without a gap, and words are found in every text, with signs as they are', async () => {
  await using app = await sharedApp()
  const { call } = await openCampaign(app)
  for (const n of [1, 2, 3, 4, 5]) await call('POST', '/entries', entryOf(`Question ${n}?`, `Answer ${n}: 10${n}%`))
  const seen: string[] = []
  for (let before = ''; ; ) {
    const { entries, next, total } = (await call('GET', `/entries?limit=2${before && `&before=${before}`}`)).body
    assert.equal(total, 5)
    seen.push(...entries.map(({ answer }: { answer: string }) => answer))
    if (next === null) break
    before = next
  }
  assert.deepEqual(
    seen,
    [5, 4, 3, 2, 1].map((n) => `Answer ${n}: 10${n}%`),
  )
  const found = async (words: string) =>
    (await call('GET', `/entries?words=${encodeURIComponent(words)}`)).body.entries.length
  assert.deepEqual([await found('question 3'), await found('103%'), await found('1_3'), await found('%')], [1, 1, 0, 5])
})

test('an export is imported again without a change, also with flags, quotes and what looks like a formula', async () => {
  await using app = await sharedApp()
  const { call, browser, path } = await openCampaign(app)
  const hard = [
    entryOf('=1+1', 'Two, "always";\nsaid he', { handsOver: true }),
    { ...entryOf('Olá, aberto?', '-5 %'), questions: ['Olá, aberto?', '@noon?', "it's, so"], isOn: false },
  ]
  for (const entry of hard) await call('POST', '/entries', entry)
  const before = (await call('GET', '/entries')).body.entries
  for (const format of ['csv', 'json']) {
    const response = await readText(app, browser.cookie, `${path}/export?format=${format}`)
    assert.match(response.disposition, new RegExp(`attachment; filename="default-knowledge.${format}"`))
    if (format === 'csv') assert.ok(!/(^|,|\n)"?[=+@-]/.test(response.text), response.text)
    const preview = await call('POST', '/import/preview', { text: response.text })
    assert.deepEqual(preview.body, { added: 0, replaced: 0, same: 2, entries: [], wrongRows: 0, wrong: [] })
    assert.deepEqual((await call('POST', '/import', { text: response.text })).body, { added: 0, replaced: 0, same: 2 })
  }
  assert.deepEqual((await call('GET', '/entries')).body.entries, before)
})

async function readText(app: TestApp, cookie: string, path: string) {
  const { Agent, request } = await import('node:https')
  const agent = new Agent({ ca: app.certificate })
  return new Promise<{ text: string; disposition: string }>((resolve, reject) => {
    const asked = request(`${app.url}${path}`, { agent, headers: { cookie, 'sec-fetch-site': 'same-origin' } })
    asked.on('error', reject)
    asked.on('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      agent.destroy()
      resolve({
        text: Buffer.concat(chunks).toString(),
        disposition: String(response.headers['content-disposition']),
      })
    })
    asked.end()
  })
}

test('a preview says what an import will do and changes nothing; a wrong file is refused with its line', async () => {
  await using app = await sharedApp()
  const { call, questions } = await openCampaign(app)
  await call('POST', '/entries', entryOf('When do you open?', 'At nine.'))
  const text = 'answer,question,question\nAt ten.,When do you open?\nYes.,Do you ship?,Can you send it?\n'
  const { body } = await call('POST', '/import/preview', { text })
  assert.deepEqual(
    [body.added, body.replaced, body.entries.map(({ change, was }: { change: string; was: string }) => [change, was])],
    [
      ...[1, 1],
      [
        ['replaces', 'At nine.'],
        ['new', null],
      ],
    ],
  )
  assert.deepEqual(await questions(), ['When do you open?'])
  const wrong: [string, RegExp][] = [
    ['question\nx', /first line must be a header/],
    ['answer,question\nYes.,', /Line 2: there is no question/],
    ['answer,isOn,question\nYes.,maybe,Really?', /Line 2: isOn must be true or false/],
    ['[{"questions": []}]', /Entry 1/],
    ['[{', /Line 1 is not JSON/],
  ]
  for (const [file, named] of wrong) {
    const refused = await call('POST', '/import', { text: file })
    assert.equal(refused.status, 400)
    assert.match(refused.body.error.message, named)
  }
  for (const file of ['question\nx', '[{', 'answer,question\nb,"a\nb']) {
    assert.equal((await call('POST', '/import/preview', { text: file })).status, 400)
  }
  assert.deepEqual((await call('POST', '/import', { text })).body, { added: 1, replaced: 1, same: 0 })
  const large = `answer,question\n${'Yes.,Really?\n'.repeat(100_000)}`
  assert.equal((await call('POST', '/import', { text: large })).status, 413)
})

test('rows of a file that are wrong are named with the reason, and the others are imported when that is asked for', async () => {
  await using app = await sharedApp()
  const { call, questions } = await openCampaign(app)
  const csv =
    'answer,question,isOn\nAt nine.,When do you open?,\n,Where?,\nYes.,,\nNo.,Really?,maybe\nAt ten.,when do you OPEN,\nYes.,Do you ship?,'
  const preview = (await call('POST', '/import/preview', { text: csv })).body
  assert.deepEqual([preview.added, preview.wrongRows], [2, 4])
  assert.deepEqual(
    preview.wrong.map(({ unit, n, reason }: { unit: string; n: number; reason: string }) => `${unit} ${n}: ${reason}`),
    [
      'line 3: the answer is empty.',
      'line 4: there is no question.',
      'line 5: isOn must be true or false.',
      'line 6: question 1 is the same as that of line 2.',
    ],
  )
  const json = JSON.stringify([
    { questions: ['a'.repeat(600)], answer: 'Yes.' },
    7,
    { questions: ['b'], answer: 'Yes.' },
  ])
  const { added, wrong } = (await call('POST', '/import/preview', { text: json })).body
  assert.deepEqual(
    [added, wrong.map(({ unit, n }: { unit: string; n: number }) => [unit, n])],
    [
      1,
      [
        ['entry', 1],
        ['entry', 2],
      ],
    ],
  )
  const refused = await call('POST', '/import', { text: csv })
  assert.deepEqual([refused.status, await questions()], [400, []], 'nothing is left out without being asked')
  const imported = await call('POST', '/import', { text: csv, leavesOut: true })
  assert.deepEqual(imported.body, { added: 2, replaced: 0, same: 0 })
  assert.deepEqual((await questions()).sort(), ['Do you ship?', 'When do you open?'])
  assert.equal((await call('POST', '/import', { text: 'answer,question\n,x', leavesOut: true })).status, 400)
})

test('unanswered questions come in groups with all wordings, and a group is dismissed until it is asked again', async () => {
  await using app = await sharedApp()
  const { shop, id, call } = await openCampaign(app)
  const asked = { accountId: shop.accountId, campaignId: id, contactId: newId('con') }
  const groups = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
  const ask = (question: string, groupId = '') =>
    app.db
      .transaction()
      .execute((tx) => writeUnanswered(tx, asked, { question, asked: question, groupId, vector: null, nearest: 0.25 }))
  await ask('is there parking', groups[0])
  await ask('is there parking', groups[0])
  await ask('where can i park', groups[0])
  await ask('can i bring my dog', groups[1])
  const listed = (await call('GET', '/unanswered')).body
  assert.equal(listed.asked, 4)
  assert.deepEqual(
    listed.groups.map(({ times, questions, nearest }: { times: number; questions: object[]; nearest: number }) => [
      times,
      questions.length,
      nearest,
    ]),
    [
      [3, 2, 0.25],
      [1, 1, 0.25],
    ],
  )
  assert.equal((await call('GET', '')).body.unanswered, 4)
  assert.equal((await call('DELETE', `/unanswered/${groups[0]}`)).status, 200)
  assert.equal((await call('DELETE', `/unanswered/${groups[0]}`)).status, 404)
  assert.equal((await call('DELETE', '/unanswered/none')).status, 404)
  assert.equal((await call('GET', '/unanswered')).body.asked, 1)
})
