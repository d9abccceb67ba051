import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statusOf } from '@patchbay/contract/errors.ts'
import { examples } from '@patchbay/contract/examples.ts'
import { Value } from 'typebox/value'
import { makeSubaccount } from '../../helpers/credits.ts'
import { sharedApp, startApp } from '../../helpers/harness.ts'

type Json = Record<string, unknown>
type Operation = {
  operationId: string
  tags: string[]
  description: string
  parameters?: { $ref?: string; name?: string; in?: string }[]
  requestBody?: { content: Record<string, { schema: Json; example?: Json }> }
  responses: Record<string, { headers?: Json; content?: Record<string, { schema: Json; example?: Json }> }>
}
// biome-ignore lint/suspicious/noExplicitAny: a document is walked, and each place is asserted
type Document = any

async function describe() {
  await using app = await startApp({ PUBLIC_URL: 'https://chat.example.com' })
  const { body } = await app.call('GET', '/openapi.json')
  return body as Document
}

const operationsOf = (document: Document): Operation[] =>
  [...Object.values<Json>(document.paths), ...Object.values<Json>(document.webhooks)].flatMap(
    (methods) => Object.values(methods) as Operation[],
  )

test('every operation and event has a unique name, a described tag, a description and an example', async () => {
  const document = await describe()
  const operations = operationsOf(document)
  const names = operations.map(({ operationId }) => operationId)
  assert.deepEqual(names.toSorted(), Object.keys(examples).toSorted())
  const tags = document.tags.map(({ name }: { name: string }) => name)
  for (const { operationId, tags: used, description, requestBody, responses } of operations) {
    assert.ok(used.length === 1 && tags.includes(used[0]), operationId)
    assert.ok(description.length > 20, operationId)
    const bodies = [
      requestBody,
      ...Object.entries(responses)
        .filter(([status]) => /^2\d\d$/.test(status))
        .map(([, one]) => one),
    ]
    for (const media of bodies.flatMap((one) => Object.values(one?.content ?? {}))) {
      assert.ok(media.example, operationId)
      const schema = media.schema.$ref === undefined ? media.schema : resolve(document, String(media.schema.$ref))
      assert.ok(Value.Check(schema, media.example), `${operationId}: the example does not fit its schema`)
    }
  }
})

function resolve(document: Document, ref: string): Json {
  const found = ref
    .slice(2)
    .split('/')
    .reduce((at, name) => at?.[name], document)
  assert.ok(found, `${ref} does not resolve`)
  return found
}

test('every event that is posted is described', async () => {
  assert.deepEqual(Object.keys((await describe()).webhooks), ['reply', 'recharge', 'alert'])
})

test('every reference resolves, the key in the header comes first, and the server has an absolute URL', async () => {
  const document = await describe()
  for (const [, ref = ''] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) resolve(document, ref)
  assert.deepEqual(document.security, [{ header: [] }, { query: [] }])
  assert.deepEqual(document.paths['/subaccounts/credits'].post.security, [{ header: [] }])
  assert.deepEqual(document.servers, [{ url: 'https://chat.example.com/v1' }])
})

test('the headers of answers are described: request id, rate limit, Retry-After, Allow', async () => {
  const document = await describe()
  for (const { responses } of operationsOf({ ...document, webhooks: {} })) {
    for (const [status, { headers = {} }] of Object.entries(responses)) {
      assert.ok(headers['x-request-id'], status)
      assert.equal('Retry-After' in headers, status === '429')
      assert.equal('Allow' in headers, status === '405')
      assert.equal('RateLimit' in headers, !['401', '405'].includes(status))
    }
  }
  assert.ok(Object.values(statusOf).includes(429))
})

test('Idempotency-Key is a parameter of the four operations that take it', async () => {
  const document = await describe()
  const taking = operationsOf(document)
    .filter(({ parameters = [] }) => parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')))
    .map(({ operationId }) => operationId)
  assert.deepEqual(taking.toSorted(), ['createContact', 'grantCredits', 'sendMessage', 'startBroadcast'])
  const { name, in: place, required } = document.components.parameters.IdempotencyKey
  assert.deepEqual([name, place, required], ['Idempotency-Key', 'header', false])
})

test('messageSid or id is required, and a phone number or an e-mail address', async () => {
  const document = await describe()
  const schemaOf = (path: string) => document.paths[path].post.requestBody.content['application/json'].schema
  assert.deepEqual(schemaOf('/incoming_custom_channel_message').properties.customData.anyOf, [
    { required: ['messageSid'] },
    { required: ['id'] },
  ])
  assert.deepEqual(schemaOf('/contacts').anyOf.length, 3)
})

test('the examples of requests are accepted unchanged, and answered with the fields of the example answers', async () => {
  await using app = await sharedApp()
  const shop = await app.makeAccount({ kind: 'agency' })
  const sub = await makeSubaccount(app.db, shop.accountId)
  const sent: [string, string, Json | undefined][] = [
    ['receiveMessage', '/incoming_custom_channel_message', undefined],
    ['sendMessage', '/send_custom_channel_message', undefined],
    ['createContact', '/contacts', undefined],
  ]
  const fieldsOf = (value: unknown) => Object.keys(Object(value)).toSorted()
  for (const [name, path] of sent) {
    const { status, body } = await shop.post(path, examples[name]?.body)
    assert.ok(status === 200 || status === 201, name)
    assert.deepEqual(fieldsOf(body), fieldsOf(examples[name]?.answer), name)
  }
  const found = await shop.get('/contacts?phoneNumber=%2B15551234567')
  assert.deepEqual(fieldsOf(found.body), fieldsOf(examples.findContact?.answer))
  const added = await shop.post(`/lists/${shop.listId}/contacts`, { contactId: found.body.id })
  assert.deepEqual(fieldsOf(added.body), fieldsOf(examples.addContactToList?.answer))
  const started = await shop.post('/broadcasts', { ...Object(examples.startBroadcast?.body), listId: shop.listId })
  assert.deepEqual(fieldsOf(started.body), fieldsOf(examples.startBroadcast?.answer))
  const shown = await shop.get(`/broadcasts/${started.body.id}`)
  assert.deepEqual(fieldsOf(shown.body), fieldsOf(examples.showBroadcast?.answer))
  assert.deepEqual(fieldsOf(shown.body.counts.leftOut), [
    'erased',
    'idTaken',
    'noAddress',
    'noId',
    'optedOut',
    'stopped',
  ])
  const granted = await app.call('POST', '/subaccounts/credits', {
    headers: { 'x-api-key': shop.apiKey },
    body: { ...Object(examples.grantCredits?.body), email: sub.email },
  })
  assert.deepEqual(fieldsOf(granted.body), fieldsOf(examples.grantCredits?.answer))
})
