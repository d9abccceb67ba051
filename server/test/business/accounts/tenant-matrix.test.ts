import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { contactTextNames } from '@patchbay/contract/contact-texts.ts'
import { makeSubaccount } from '../../helpers/credits.ts'
import { sharedApp, startApp, type TestAccount, type TestApp } from '../../helpers/harness.ts'
import { comparable, digestRows, fillTenant, type Names, unknownNames } from '../../helpers/tenants.ts'

/** A route of the API as its description has it; parameters of the body by their path in it. */
type Route = { name: string; parameters: Parameter[] }
type Parameter = { in: 'path' | 'query' | 'header' | 'body'; name: string; isRequired: boolean }

/** By parameter: what of an account can be given in it. */
const naming: Record<string, keyof Names> = {
  'POST /subaccounts/credits email': 'subaccountEmail',
  listId: 'list',
  contactId: 'contact',
  broadcastId: 'broadcast',
  campaignId: 'campaign',
  phone: 'phone',
  phoneNumber: 'phone',
  email: 'email',
  fromId: 'externalId',
  'Idempotency-Key': 'idempotencyKey',
  'customData.messageSid': 'messageSid',
  'customData.id': 'messageSid',
  'customData.fromId': 'externalId',
  'customData.campaignId': 'campaign',
  'customData.email': 'email',
}

/** A valid value for each parameter that names nothing of an account. */
const samples: Record<string, unknown> = {
  ...contactTextNames,
  amount: 1,
  body: 'Hello',
  customChannel: 'chat',
  description: 'A grant',
  messageType: 'text',
  name: 'News',
  ratePerMinute: 600,
  'customData.body': 'Hello',
  'customData.channel': 'chat',
  'customData.customChannel': 'chat',
  'customData.firstName': 'Ana',
  'customData.lastName': 'Alvarez',
  'customData.status': 'received',
  'customData.toId': 'shop',
}

/** A file that comes with a message names nothing, nor does what ids are made from. */
const leftOut = new Set(['customData.mediaUrl', 'customData.mediaContentType', 'apiKey', 'X-Api-Key', 'idFrom'])

type Schema = { type?: string; properties?: Record<string, Schema>; required?: string[]; $ref?: string }
type Given = { in: Parameter['in']; name: string; required?: boolean; $ref?: string }
type Operation = { parameters?: Given[]; requestBody?: { content: Record<string, { schema: Schema }> } }

async function readRoutes(): Promise<Route[]> {
  const text = await readFile(join(resolve(import.meta.dirname, '../../../..'), 'docs/openapi.json'), 'utf8')
  const document = JSON.parse(text)
  const resolved = <Value extends { $ref?: string }>(value: Value): Value =>
    value.$ref
      ? value.$ref
          .slice(2)
          .split('/')
          .reduce((at, key) => at[key], document)
      : value
  const paths: [string, Record<string, Operation>][] = Object.entries(document.paths)
  return paths.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const schema = Object.values(requestBody?.content ?? {})[0]?.schema
      const given = parameters.map(resolved).map((one) => ({ ...one, isRequired: one.required ?? false }))
      return {
        name: `${method.toUpperCase()} ${path}`,
        parameters: [...given, ...(schema ? fieldsOf(resolved(schema)) : [])],
      }
    }),
  )
}

function fieldsOf(schema: Schema, prefix = ''): Parameter[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (field.properties) return fieldsOf(field, `${prefix}${name}.`)
    return [{ in: 'body' as const, name: `${prefix}${name}`, isRequired: schema.required?.includes(name) ?? false }]
  })
}

/** A valid request of an account with these names; `over` is one parameter with another value. */
function requestTo({ name, parameters }: Route, own: Names, over?: { parameter: Parameter; value: string }) {
  const [method = '', template = ''] = name.split(' ')
  let path = template
  const [query, headers, body] = [new URLSearchParams(), {} as Record<string, string>, {} as Record<string, unknown>]
  for (const parameter of parameters) {
    const value = over?.parameter === parameter ? over.value : ownValue(name, parameter, own)
    if (value === undefined) continue
    if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, String(value))
    if (parameter.in === 'query') query.set(parameter.name, String(value))
    if (parameter.in === 'header') headers[parameter.name] = String(value)
    if (parameter.in === 'body') setIn(body, parameter.name.split('.'), value)
  }
  const hasBody = parameters.some((one) => one.in === 'body')
  return { method, path: query.size > 0 ? `${path}?${query}` : path, headers, ...(hasBody && { body }) }
}

function ownValue(name: string, parameter: Parameter, own: Names): unknown {
  const kind = kindOf(name, parameter)
  if (kind !== undefined) return parameter.isRequired || isNeeded(parameter) ? own[kind] : undefined
  if (leftOut.has(parameter.name) && !parameter.isRequired) return undefined
  assert.ok(
    parameter.name in samples,
    `${name} has a new parameter ${parameter.name}: say here what it names, or give a sample`,
  )
  return samples[parameter.name]
}

function kindOf(route: string, { name }: Parameter): keyof Names | undefined {
  return naming[`${route} ${name}`] ?? naming[name]
}

/** Not required by the schema alone: a message needs an id, and a contact a phone number or an e-mail address. */
function isNeeded(parameter: Parameter): boolean {
  return parameter.in === 'body' && ['customData.messageSid', 'email'].includes(parameter.name)
}

function setIn(body: Record<string, unknown>, [first = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    body[first] = value
    return
  }
  body[first] ??= {}
  setIn(body[first] as Record<string, unknown>, rest, value)
}

const mark = 'Quixotic'

test("another account's name for anything, in any parameter of any route, gets the answer of an unknown one and changes nothing of theirs", async () => {
  await using app = await sharedApp()
  const [agency, rival] = [await app.makeAccount({ kind: 'agency' }), await app.makeAccount({ kind: 'agency' })]
  const callers = { agency, shop: await app.makeAccount() }
  const sub = await makeSubaccount(app.db, rival.accountId, `sub-${mark}@example.org`.toLowerCase())
  const theirs = { ...(await fillTenant(app, rival, mark)), subaccountEmail: sub.email }
  const { email: subaccountEmail } = await makeSubaccount(app.db, agency.accountId, 'own-sub@example.org')
  let cells = 0
  for (const [kind, caller] of Object.entries(callers)) {
    const own = { ...(await fillTenant(app, caller, `Plain${kind}`)), subaccountEmail }
    for (const route of await readRoutes()) {
      for (const parameter of route.parameters.filter(({ name }) => name in naming)) {
        cells += 1
        await assertApart(app, { caller, own, theirs, rivals: [rival.accountId, sub.accountId] }, { route, parameter })
      }
    }
  }
  assert.ok(cells >= 30)
})

type World = { caller: TestAccount; own: Names; theirs: Names; rivals: string[] }

async function assertApart(
  app: TestApp,
  { caller, own, theirs, rivals }: World,
  { route, parameter }: { route: Route; parameter: Parameter },
) {
  const kind = kindOf(route.name, parameter) ?? 'name'
  const label = `${route.name}, ${parameter.name}`
  const value = theirs[kind]
  const ask = (given: string) => {
    const { method, path, headers, body } = requestTo(route, own, { parameter, value: given })
    return app.call(method, path, { headers: { 'x-api-key': caller.apiKey, ...headers }, ...(body && { body }) })
  }
  const before = await digestRows(app.db)
  const [unknown, answer] = [await ask(unknownNames[kind]), await ask(value)]
  // Only an agency may grant, an unknown campaign is no valid one, and a new contact cannot have the id of one that a message
  // of the caller's own has made above; anything else about these requests is valid.
  const mayBeRefused = parameter.name === 'campaignId' || label === 'POST /contacts, fromId'
  const isValid = answer.status !== 400 || mayBeRefused || answer.body.error.code === 'NOT_AN_AGENCY'
  assert.ok(isValid, `${label}: ${JSON.stringify(answer.body)}`)
  assert.deepEqual(comparable(answer, value), comparable(unknown, unknownNames[kind]), label)
  const text = (JSON.stringify(answer.body) ?? '').replaceAll(value, '')
  for (const secret of [...Object.values(theirs), mark])
    if (secret !== value) assert.ok(!text.includes(secret), `${label}: ${text}`)
  const after = await digestRows(app.db)
  for (const account of rivals) assert.equal(after.get(account), before.get(account), label)
  if (answer.status >= 400) assert.deepEqual(after, before, label)
}

test('the description has every route of the API that takes parameters', async () => {
  await using app = await startApp()
  const known = (await readRoutes()).map(({ name }) => name.replace(/\{(\w+)\}/g, ':$1'))
  const served = app.routes
    .filter((name) => name.includes(' /v1/') && !name.endsWith('/openapi.json'))
    .map((name) => name.replace('/v1/', '/').replaceAll('-', '_')) // the same route under two spellings
  assert.deepEqual([...new Set(served)].sort(), known.sort())
})
