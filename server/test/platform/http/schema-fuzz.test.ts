import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { checkLedger } from '../../../src/business/credits/check.ts'
import { type Answer, sharedApp } from '../../helpers/harness.ts'

/** Printed with every run; set FUZZ_SEED to it to reproduce a failure. FUZZ_RUNS=20000 makes a long run. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
const numRuns = Number(process.env.FUZZ_RUNS ?? 150)

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  maxLength?: number
  enum?: unknown[]
  items?: Schema
}
type Parameter = { name: string; in: string; schema?: Schema }
type Operation = {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
type Document = { paths: Record<string, Record<string, Operation>> }

/** Values that a schema allows, values at its length limit, and any others. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 40, arbitrary: allowed(schema) }, { weight: 1, arbitrary: edge(schema) }, anything)
}

const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, '', 0, -0, 1e308, '\0', '\ud800', {}, []),
)

function allowed(schema: Schema): fc.Arbitrary<unknown> {
  const { properties, required = [], enum: values, items } = schema
  if (values) return fc.constantFrom(...values)
  if (properties) {
    const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, near(field)]))
    return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) })
  }
  if (items) return fc.array(near(items), { maxLength: 5 })
  const types = [schema.type ?? 'string'].flat()
  return fc.oneof(...types.map((type) => scalars[type] ?? anything))
}

const scalars: Record<string, fc.Arbitrary<unknown>> = {
  string: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 30 }),
    fc.constantFrom('+15551234567', 'ana@example.com', 'sub@example.com', 'data:image/png;base64,aGk=', 'image/png'),
    fc.constantFrom('https://example.com/a.png', 'reaction', 'text', 'chat'),
  ),
  number: fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -2, max: 1_000 })),
  integer: fc.integer(),
  boolean: fc.boolean(),
  null: fc.constant(null),
}

/** Texts as long as allowed, and one character longer. */
function edge({ maxLength = 64 }: Schema): fc.Arbitrary<unknown> {
  return fc.constantFrom(maxLength, maxLength + 1).map((length) => 'é'.repeat(Math.min(length, 70_000)))
}

// H23
test('requests generated from the schema of every endpoint are served or refused, never 500, and the ledger adds up', async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`)
  await using app = await sharedApp({ RATE_LIMIT_PER_MINUTE: '0' })
  const agency = await app.makeAccount({ kind: 'agency' })
  const { paths }: Document = (await app.call('GET', '/openapi.json')).body
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => typeof operation === 'object' && 'responses' in operation)
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  assert.ok(operations.length >= 6, 'the document names the endpoints')
  const statuses = new Map<number, number>()
  for (const { path, method, operation } of operations) {
    const property = fc.asyncProperty(...requestOf(operation), async (query, body, key) => {
      const address = fillIn(path, { ...query, listId: query.listId ?? agency.listId })
      const headers = { 'x-api-key': agency.apiKey, ...(key === undefined ? {} : { 'idempotency-key': key }) }
      const answer = await app.call(method, address, {
        headers,
        ...(body === undefined ? {} : { raw: JSON.stringify(body) }),
      })
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      assertServedOrRefused(answer, `${method} ${address} ${JSON.stringify(body)}`)
    })
    await fc.assert(property, { seed, numRuns })
  }
  t.diagnostic(JSON.stringify(Object.fromEntries(statuses)))
  assert.deepEqual(await checkLedger(app.db), [])
})

type Query = Record<string, string | undefined>

function requestOf({ parameters = [], requestBody }: Operation) {
  const named = parameters.filter((parameter) => parameter.in === 'query' || parameter.in === 'path')
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('+15551234567', 'ana@example.com'),
  )
  const query: fc.Arbitrary<Query> = fc.record(Object.fromEntries(named.map(({ name }) => [name, text])), {
    requiredKeys: [],
  })
  const [content] = Object.values(requestBody?.content ?? {})
  const body: fc.Arbitrary<unknown> = content
    ? fc.oneof({ weight: 9, arbitrary: near(content.schema) }, anything)
    : fc.constant(undefined)
  const key = fc.option(fc.stringMatching(/^[!-~]{0,20}$/), { nil: undefined })
  return [query, body, key] as const
}

function fillIn(path: string, values: Query): string {
  const rest = { ...values }
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name] ?? ''
    delete rest[name]
    return encodeURIComponent(value.toWellFormed())
  })
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined && name !== 'listId') query.set(name, value.toWellFormed())
  }
  return query.size === 0 ? filled : `${filled}?${query}`
}

function assertServedOrRefused({ status, body }: Answer, label: string): void {
  assert.ok([200, 201, 400, 404, 413].includes(status), `${label} -> ${status} ${JSON.stringify(body)}`)
  if (status >= 400) assert.equal(typeof (body.error.message ?? body.error), 'string', label)
}
