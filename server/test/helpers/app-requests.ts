import assert from 'node:assert/strict'
import type { AppRoute } from '@patchbay/contract/app/route.ts'
import { appRoutes } from '@patchbay/contract/app/routes.ts'
import { contactTextNames } from '@patchbay/contract/contact-texts.ts'
import type { TSchema } from 'typebox'
import type { Names } from './tenants.ts'

/** A request to a route of the app's own API. */
export type AppRequest = { method: string; path: string; body: Record<string, unknown> | Buffer | undefined }

/** A parameter by which a request names something that belongs to an account. */
export type NamingParameter = { part: Part; parameter: string; kind: keyof Names }

type Part = 'params' | 'query' | 'body'
const parts: Part[] = ['params', 'query', 'body']

/** By parameter: what of an account can be given in it. */
const naming: Record<string, (keyof Names)[]> = {
  accountId: ['subaccount'],
  again: ['channel'],
  campaignId: ['campaign'],
  channelId: ['channel'],
  connectionId: ['connection'],
  contactId: ['contact'],
  entryId: ['entry'],
  fileId: ['unsentFile'],
  groupId: ['group'],
  importId: ['import'],
  listId: ['list'],
  messageId: ['message'],
  movementId: ['movement'],
  linkId: ['link'],
  userId: ['user'],
  replyId: ['savedReply'],
  broadcastId: ['broadcast'],
  noteId: ['note'],
  tag: ['tag'],
  id: ['message'],
  phone: ['phone'],
  email: ['email'],
  externalId: ['externalId'],
  words: ['name'],
  q: ['name', 'externalId', 'phone', 'email', 'contact', 'message', 'list'],
}

/** Where the same parameter means something else. */
const namingOf: Record<string, Record<string, (keyof Names)[]>> = {
  'GET /api/agency/subaccounts': { q: ['subaccountEmail', 'name'] },
  // An address that somebody signs in with is refused whoever it is: it is unique on the installation.
  'POST /api/agency/subaccounts': { email: [] },
  'PATCH /api/agency/subaccounts/:accountId': { email: [] },
  'PUT /api/agency/subaccounts/:accountId/campaigns/:campaignId': { campaignId: ['subCampaign', 'campaign'] },
  'PUT /api/agency/subaccounts/:accountId/channels/:channelId': { channelId: ['subChannel', 'channel'] },
  'GET /api/agency/deliveries/:id': { id: ['request', 'message'] },
  'POST /api/agency/deliveries/:id/resend': { id: ['request', 'message'] },
  'GET /api/alerts/deliveries/:id': { id: ['alert', 'message'] },
  'POST /api/alerts/deliveries/:id/resend': { id: ['alert', 'message'] },
  'GET /api/channels/:channelId/deliveries/:id': { id: ['channelMessage', 'message'] },
  'POST /api/conversations/:contactId/tags': { tag: [] }, // it makes one
  'DELETE /api/conversations/:contactId/tags/:tag': { tag: [] }, // of the conversation that is named
  // Contacts that other requests of the test have made are found by the others.
  'GET /api/contacts/export': { q: ['externalId', 'contact', 'message', 'list'] },
  'GET /api/media/:messageId': { messageId: ['file', 'message'] },
  'POST /api/simulator/contacts/:contactId/messages': { contactId: ['simulated', 'contact'] },
  'GET /api/simulator/contacts/:contactId/events': { contactId: ['simulated', 'contact'] },
}

/** Where the same parameter needs another value. */
const samplesOf: Record<string, Record<string, unknown>> = {
  'PATCH /api/campaigns/:campaignId': { version: 1 },
  'POST /api/agency/subaccounts': { email: 'new-sub@example.com' },
  'PATCH /api/agency/subaccounts/:accountId': { email: 'changed-sub@example.com' },
  'POST /api/lists/:listId/members': { found: {} },
  'POST /api/lists/:listId/members/remove': { found: {} },
  'POST /api/connections': { kind: 'openai', apiKey: 'sk-test' },
  'POST /api/channels': { kind: 'webchat', credentials: undefined }, // the kind that knows all parameters but this one
  'PATCH /api/channels/:channelId': { version: 1 },
  'PATCH /api/connections/:connectionId': { version: 1 },
  'PUT /api/account/retention': { kind: 'messages' },
  'POST /api/broadcasts': { channel: 'web chat', channelId: undefined },
  'POST /api/broadcasts/preview': { channel: 'web chat', channelId: undefined },
  'PATCH /api/broadcasts/:broadcastId': { channel: 'web chat', channelId: undefined },
}

/** A valid value for each parameter that names nothing of an account. */
const samples: Record<string, unknown> = {
  ...contactTextNames,
  active: true,
  alsoNetwork: false,
  amount: '2.5',
  answer: 'We are open from nine to five.',
  answersOld: false,
  behaviour: 'ok',
  body: 'Hello',
  startsAt: new Date(Date.now() + 86_400_000).toISOString(),
  takesOver: false,
  receivesBy: 'poll',
  whenInDoubt: 'person',
  perSecond: 5,
  credentials: { token: 'none' },
  clientId: 'client-0123456789abcdef',
  conditions: ['receiver'],
  creditsBelow: '5',
  creditsPerMessage: 2,
  creditsPerReply: 2,
  encoding: 'UTF-8',
  fileName: 'people.csv',
  mapping: ['phone'],
  overwrites: false,
  part: '0',
  parts: 1,
  row: '0',
  value: '+15550001111',
  current: 'correct horse battery',
  description: 'Top-up',
  format: 'json',
  handsOver: false,
  hidden: true,
  idempotencyKey: 'key-0123456789abcdef',
  isManager: false,
  isOwner: false,
  isOn: true,
  keepDays: 30,
  leaked: false,
  mayWrite: true,
  model: 'a-model',
  name: 'Another name',
  namesContacts: true,
  password: 'correct horse battery',
  question: 'When are you open?',
  questions: ['When are you open?'],
  range: '7',
  ratePerMinute: 60,
  which: 'failed',
  rateLimitPerMinute: 60,
  seq: 1,
  threshold: '1',
  timeZone: 'Europe/Berlin',
  token: 'no-link-has-this-token',
  settings: {},
  since: '2026-01-01T00:00:00Z',
  text: 'answer,question\nWe are in Kettle Lane.,Where are you?',
  shortcut: 'hours',
  tag: 'refund',
  until: new Date(Date.now() + 86_400_000).toISOString(),
  url: 'https://127.0.0.1:9/hook',
  userName: 'Mia',
  version: 'of-nothing',
}

/** Not required by the schema alone: a contact needs a phone number or an e-mail address. */
const needed: Record<string, string> = { 'POST /api/contacts': 'email' }

/**
 * Parameters that may be left out and name nothing. A cursor is a position in the pages of whoever asks; `user` is compared
 * with the session, and nothing is looked up by it; `offered` names entries of the campaign, which has a test of its own, and
 * so have `contactIds` and `found`.
 */
const leftOut = new Set([
  ...[
    'after',
    'apiKey',
    'baseUrl',
    'before',
    'older',
    'channel',
    'contactIds',
    'contentType',
    'filter',
    'found',
    'history',
    'isDefault',
    'kind',
    'leavesOut',
    'limit',
    'offered',
    'sort',
    'status',
    'times',
    'trial',
  ],
  ...['country', 'group', 'idFrom', 'newList', 'promptTokens', 'twice', 'user'],
])

export function routeOf(name: string): AppRoute {
  const route = (appRoutes as Record<string, AppRoute>)[name]
  assert.ok(route, `${name} is served, but is not in contract/app/routes.ts`)
  return route
}

/** Every parameter of a route that names something of an account. */
export function namingParameters(name: string): NamingParameter[] {
  return parts.flatMap((part) =>
    Object.keys(propertiesOf(routeOf(name)[part])).flatMap((parameter) =>
      kindsOf(name, parameter).map((kind) => ({ part, parameter, kind })),
    ),
  )
}

/** A valid request of an account with these names; `over` replaces one parameter. */
export function requestTo(
  name: string,
  own: Names,
  over?: { part: Part; parameter: string; value: string },
): AppRequest {
  const [method = '', url = ''] = name.split(' ')
  const given = Object.fromEntries(parts.map((part) => [part, valuesOf(name, part, own)]))
  if (over) given[over.part] = { ...given[over.part], [over.parameter]: over.value }
  const path = url.replace(/:(\w+)/g, (_, parameter: string) => encodeURIComponent(String(given.params?.[parameter])))
  const query = new URLSearchParams(given.query as Record<string, string>).toString()
  const { body: schema, takesBytes } = routeOf(name)
  const body = takesBytes ? Buffer.from('any bytes') : schema && given.body
  return { method, path: query === '' ? path : `${path}?${query}`, body }
}

function valuesOf(name: string, part: Part, own: Names): Record<string, unknown> {
  const schema = routeOf(name)[part]
  const required = new Set<string>((schema as { required?: string[] } | undefined)?.required ?? [])
  return Object.fromEntries(
    Object.keys(propertiesOf(schema)).flatMap((parameter) => {
      const [kind] = kindsOf(name, parameter)
      const isGiven = required.has(parameter) || needed[name] === parameter
      if (kind !== undefined) return isGiven ? [[parameter, own[kind]]] : []
      const values = { ...samples, ...samplesOf[name] }
      if (parameter in values) return [[parameter, values[parameter]]]
      assert.ok(
        leftOut.has(parameter) && !required.has(parameter),
        `${name} has a new parameter ${parameter}: say in server/test/helpers/app-requests.ts what it names, or give a sample`,
      )
      return []
    }),
  )
}

function kindsOf(name: string, parameter: string): (keyof Names)[] {
  return namingOf[name]?.[parameter] ?? naming[parameter] ?? []
}

function propertiesOf(schema: TSchema | undefined): Record<string, TSchema> {
  return (schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {}
}
