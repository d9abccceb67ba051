import { AlertEvent } from '@patchbay/contract/alert-event.ts'
import { RechargeEvent } from '@patchbay/contract/api/credits.ts'
import { ReplyEvent } from '@patchbay/contract/api/messages.ts'
import { FlatError, GeneralError } from '@patchbay/contract/error-bodies.ts'
import { examples } from '@patchbay/contract/examples.ts'
import { refusals } from './openapi-document.ts'

type Json = Record<string, unknown>
type Media = { schema?: Json; example?: unknown }
type Answer = { description: string; headers?: Json; content?: Record<string, Media> }
type Operation = {
  operationId?: string
  parameters?: unknown[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Answer>
}
type Document = { paths?: Record<string, Record<string, Operation>>; components?: Json }

/** Every installation of a self-hosted service has its own host. */
export const anyServer = [
  {
    url: 'https://{host}/v1',
    description: 'Your installation.',
    variables: { host: { default: 'localhost:8443', description: 'Where it is reached: PUBLIC_URL.' } },
  },
]

/**
 * Adds to the OpenAPI document what the routes do not declare: headers, examples, pairs of fields of which one is
 * required, and the events that we post.
 */
export function finishOpenApi(document: object, flat: Set<string>): Json {
  const { paths = {}, components, ...rest } = structuredClone(document) as Document
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods)))
    finishOperation(operation, flat)
  return {
    ...rest,
    servers: anyServer,
    // The version is part of the server's URL.
    paths: Object.fromEntries(Object.entries(paths).map(([path, methods]) => [path.replace(/^\/v1/, ''), methods])),
    webhooks,
    components: { ...components, schemas, headers, parameters: { IdempotencyKey: idempotencyKey } },
  }
}

function finishOperation(operation: Operation, flat: Set<string>): void {
  const { operationId = '', requestBody, responses } = operation
  const example = examples[operationId]
  Object.assign(responses, refusalsOf(flat.has(operationId) ? 'FlatError' : 'GeneralError'))
  for (const [status, answer] of Object.entries(responses)) finishAnswer(status, answer, example?.answer)
  const body = requestBody?.content['application/json']
  if (body && example?.body) body.example = example.body
  if (body) requireOneOf(operationId, body.schema)
  if (takeIdempotencyKey.has(operationId)) {
    operation.parameters = [...(operation.parameters ?? []), ref('parameters', 'IdempotencyKey')]
  }
}

function finishAnswer(status: string, answer: Answer, example: unknown): void {
  const media = answer.content?.['application/json']
  answer.headers = { 'x-request-id': ref('headers', 'RequestId') }
  if (!['401', '405'].includes(status)) Object.assign(answer.headers, rateLimitHeaders)
  if (status === '405') answer.headers.Allow = ref('headers', 'Allow')
  if (status === '429') answer.headers['Retry-After'] = ref('headers', 'RetryAfter')
  if (!media) return
  if (!status.startsWith('2')) return
  media.example = example
  if (answer.description === 'Default Response') answer.description = 'Done.'
}

function refusalsOf(shape: string): Record<string, Answer> {
  const content = { 'application/json': { schema: ref('schemas', shape) } }
  return Object.fromEntries(Object.entries(refusals).map(([status, description]) => [status, { description, content }]))
}

function ref(kind: string, name: string): Json {
  return { $ref: `#/components/${kind}/${name}` }
}

const takeIdempotencyKey = new Set(['createContact', 'sendMessage', 'startBroadcast', 'grantCredits'])

/** Not in the routes' schemas: the operations check it themselves, with a message that names both fields. */
function requireOneOf(operationId: string, schema: Json | undefined): void {
  const properties = schema?.properties as Record<string, Json> | undefined
  if (operationId === 'receiveMessage' && properties?.customData) {
    properties.customData.anyOf = [{ required: ['messageSid'] }, { required: ['id'] }]
  }
  if (operationId === 'createContact' && schema) {
    schema.anyOf = [{ required: ['phone'] }, { required: ['phoneNumber'] }, { required: ['email'] }]
  }
}

const schemas = { GeneralError, FlatError, ReplyEvent, RechargeEvent, AlertEvent }

const rateLimitHeaders = {
  RateLimit: ref('headers', 'RateLimit'),
  'RateLimit-Policy': ref('headers', 'RateLimitPolicy'),
}

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

const headers = {
  RequestId: text('Names this request; the same id is in the log of the server.', 'req_019a8b0e'),
  RateLimit: text('How many requests are left, and after how many seconds there are all again.', '"key";r=599;t=60'),
  RateLimitPolicy: text('How many requests a key may make in how many seconds.', '"key";q=600;w=60'),
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 }, example: 7 },
  Allow: text('The methods that this path knows.', 'POST'),
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes it safe to repeat: the same key with the same body gets the first answer again, with another body 400. Kept for 24 hours, on credits for ever.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: '6f1c7a52-0f5e-4d0c-9a55-2f6f7c3a1b10',
}

const header = (name: string, description: string, example: string, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  example,
  schema: { type: 'string' },
})

const signedHeaders = [
  header('webhook-id', 'The same at every attempt: remember it, and what comes twice is done once.', 'msg_019a8b0e'),
  header(
    'webhook-timestamp',
    'Seconds since 1970 at this attempt. Refuse what is more than 5 minutes off.',
    '1763200000',
  ),
  header(
    'webhook-signature',
    'One or more of `v1,<base64>`, with a space between them. One must fit.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  header('patchbay-attempt', 'Which attempt this is, from 1.', '1'),
]

const eventAnswers = {
  '2XX': { description: 'It has arrived. What the body says does not matter.' },
  '410': { description: 'It is not wanted any more: no further attempt is made for it.' },
  default: { description: 'Anything else: it is posted again later.' },
}

function event(name: string, operation: Json, more: Json[]): Json {
  const schema = ref('schemas', name)
  const content = { 'application/json': { schema, example: examples[String(operation.operationId)]?.body } }
  const parameters = [...signedHeaders, ...more]
  const requestBody = { required: true, content }
  return { post: { ...operation, tags: ['Events'], security: [], parameters, requestBody, responses: eventAnswers } }
}

const webhooks = {
  reply: event(
    'ReplyEvent',
    {
      operationId: 'replyEvent',
      summary: 'A message leaves',
      description:
        'Posted to the address saved for replies, for each reply of the bot or of a person and each message sent with the API.',
    },
    [
      header('patchbay-author', '`bot`, `person` or `api`.', 'bot', false),
      header('patchbay-sequence', 'The number of this message among those that left in its conversation.', '1', false),
    ],
  ),
  recharge: event(
    'RechargeEvent',
    {
      operationId: 'rechargeEvent',
      summary: 'A sub-account needs credits',
      description:
        "Posted to the agency's address for recharges. Answer with a grant, with the event's `idempotency_key` as `Idempotency-Key`.",
    },
    [],
  ),
  alert: event(
    'AlertEvent',
    {
      operationId: 'alertEvent',
      summary: 'Somebody should know something',
      description:
        'Posted to the alert address, once when something begins that somebody should know. An address of Google Chat gets `text` alone.',
    },
    [],
  ),
}
