import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startAgency } from '../../helpers/credits.ts'
import { assertFlat } from '../../helpers/flat-refusals.ts'
import { type Answer, sharedApp } from '../../helpers/harness.ts'
import { incoming, incomingPath, outgoing, sendPath } from '../../helpers/message-requests.ts'
import { assertRefused } from '../../helpers/refusals.ts'

/** Printed with every run; set FUZZ_SEED to it to reproduce a failure. FUZZ_RUNS=20000 makes a long run. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
const numRuns = Number(process.env.FUZZ_RUNS ?? 250)

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.stringMatching(/^(\+|00)?[\d .()-]{0,20}$/),
  fc.emailAddress(),
  fc.constantFrom('', ' ', '\0', '\ud800', '+15551234567', 'ana@example.com', '__proto__', '🌱'),
)
const value = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) })

/** Objects similar to those that the endpoint accepts, any JSON, any bytes, and JSON that is cut off. */
function bodies(fields: string[]): fc.Arbitrary<string | Buffer> {
  const near = fc.record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] })
  return fc.oneof(
    { weight: 6, arbitrary: near.map((body) => JSON.stringify(body)) },
    { weight: 2, arbitrary: fc.json({ maxDepth: 20 }) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.tuple(near, fc.nat()).map(([body, cut]) => cutShort(JSON.stringify(body), cut)) },
  )
}

function cutShort(whole: string, cut: number): string {
  return whole.slice(0, cut % whole.length)
}

function assertAnswered(answer: Answer, label: string): void {
  if (answer.status === 200 || answer.status === 201) return
  assert.ok([400, 404].includes(answer.status), `${label} -> ${answer.status} ${JSON.stringify(answer.body)}`)
  assertRefused(answer, answer.body?.error?.code, { label })
}

test('whatever is posted to /contacts is served or refused, and what is served can be found again', async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  const fields = ['firstName', 'lastName', 'phone', 'phoneNumber', 'email', 'extra']
  const property = fc.asyncProperty(bodies(fields), async (raw) => {
    const answer = await app.call('POST', '/contacts', { key: shop.apiKey, raw })
    assertAnswered(answer, String(raw))
    if (answer.status > 201) return
    const { id, phone, email, ...rest } = answer.body
    assert.deepEqual(Object.keys(rest).sort(), ['createdAt', 'firstName', 'lastName'])
    const query = phone === null ? `email=${encodeURIComponent(email)}` : `phoneNumber=${encodeURIComponent(phone)}`
    const found = await shop.get(`/contacts?${query}`)
    assert.equal(found.status, 200, query)
    assert.equal(phone === null ? found.body.email : found.body.id, phone === null ? email : id)
  })
  await fc.assert(property, { seed, numRuns })
})

test('whatever is posted as a grant is served or refused, and the ledger adds up', async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  await using world = await startAgency()
  const { email } = await world.makeSub()
  const number = fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -1, max: 100 }))
  const near = fc.record({
    email: fc.oneof(fc.constant(email), value),
    amount: fc.oneof(number, value),
    description: value,
  })
  const raw = fc.oneof(
    near.map((body) => JSON.stringify(body)),
    bodies(['email', 'amount', 'description']).map(String),
  )
  const property = fc.asyncProperty(raw, async (text) => assertAnswered(await world.ask(text), text))
  await fc.assert(property, { seed, numRuns })
})

test('whatever is posted to a list is served or refused, and no membership is made without a contact', async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  const listId = fc.oneof(
    fc.constant(shop.listId),
    text.map((part) => encodeURIComponent(part.toWellFormed())),
  )
  const property = fc.asyncProperty(listId, bodies(['contactId', 'extra']), async (id, raw) => {
    assertAnswered(await app.call('POST', `/lists/${id}/contacts`, { key: shop.apiKey, raw }), `${id} ${raw}`)
  })
  await fc.assert(property, { seed, numRuns })
  assert.deepEqual(await app.db.selectFrom('listMembers').selectAll().execute(), [])
})

test('whatever contact is looked up is found, refused or not found', async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const shop = await app.makeAccount()
  const part = fc.oneof(
    text.map((given) => encodeURIComponent(given.toWellFormed())),
    fc.stringMatching(/^[!-~]{0,30}$/),
  )
  const query = fc.array(fc.tuple(fc.constantFrom('phoneNumber', 'email', 'x'), part), { maxLength: 3 })
  const property = fc.asyncProperty(query, async (pairs) => {
    const path = `/contacts?${pairs.map(([name, given]) => `${name}=${given}`).join('&')}`
    assertAnswered(await app.call('GET', path, { headers: { 'x-api-key': shop.apiKey } }), path)
  })
  await fc.assert(property, { seed, numRuns })
})

/** Complete messages in which some fields have any value, similar objects, and any other body. */
function messages({ customData }: ReturnType<typeof incoming>, others: string[]): fc.Arbitrary<string | Buffer> {
  const fields = [...Object.keys(customData), ...others]
  const changes = fc.record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] })
  const few = fc.tuple(fc.uuid(), changes, fc.subarray(fields, { maxLength: 3 })).map(([messageSid, all, kept]) => {
    const some = Object.entries(all).filter(([field]) => kept.includes(field))
    return JSON.stringify({ customData: { ...customData, messageSid, ...Object.fromEntries(some) } })
  })
  const near = fc.record({ customData: changes, messageType: value }, { requiredKeys: [] })
  return fc.oneof(
    { weight: 6, arbitrary: few },
    { weight: 2, arbitrary: near.map((body) => JSON.stringify(body)) },
    { weight: 2, arbitrary: bodies(['customData', 'messageType']) },
  )
}

const person = ['firstName', 'lastName', 'email', 'campaignId']
const media = fc.oneof(value, fc.constantFrom('data:image/png;base64,', 'data:;base64,aGk=', 'https://example.com/a'))

for (const [path, raw] of Object.entries({
  [incomingPath]: fc.oneof(
    messages(incoming(), ['id', 'status', 'channel', ...person]),
    fc
      .record({ mediaUrl: media, mediaContentType: fc.oneof(value, fc.constant('image/png')) })
      .map((file) => JSON.stringify(incoming(file))),
  ),
  [sendPath]: messages(outgoing(), person),
})) {
  test(`whatever is posted to ${path} is stored or refused, and only what was answered with 200 is stored`, async (t) => {
    t.diagnostic(`FUZZ_SEED=${seed}`)
    await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
    const shop = await app.makeAccount()
    const answered = new Set<string>()
    const property = fc.asyncProperty(raw, async (text) => {
      const answer = await app.call('POST', path, { key: shop.apiKey, raw: text })
      if (answer.status === 200) answered.add(answer.body.messageId)
      else assertFlat(answer, 400, { label: String(text) })
    })
    await fc.assert(property, { seed, numRuns })
    const kept = await app.db.selectFrom('messages').select('id').execute()
    assert.deepEqual(new Set(kept.map(({ id }) => id)), answered)
    assert.ok(answered.size > 10, `only ${answered.size} were accepted`)
  })
}
