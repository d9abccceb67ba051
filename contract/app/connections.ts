import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { connectionKinds } from '../model-connections.ts'
import { Type } from '../schema.ts'
import { nullableText, requiredText } from '../text.ts'
import { Done, Id, oneOf, orNull, Time } from './fields.ts'
import type { AppRoute } from './route.ts'

/** The result of one call to the model. `refused`: its address was not called. */
export const TryResult = Type.Object({
  at: Time,
  outcome: oneOf('answered', 'refused', 'failed'),
  sentence: Type.String(),
  durationMs: Type.Integer(),
})
export type TryResult = Static<typeof TryResult>

export const Connection = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind: oneOf(...connectionKinds),
  /** Null: the vendor's own. */
  baseUrl: nullableText({}),
  /** The key itself is never shown. */
  hasKey: Type.Boolean(),
  /** For campaigns that name none themselves. */
  model: nullableText({}),
  /** How much a model is given for one answer: rules, entries and the conversation. */
  promptTokens: Type.Integer(),
  /** Goes up with every change; a change names the one that it was made to. */
  version: Type.Integer(),
  /** The campaigns that use it. `model`: the one that the campaign names itself. */
  usedBy: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), model: nullableText({}) })),
  lastTry: orNull(TryResult),
})
export type Connection = Static<typeof Connection>
export const Connections = Type.Object({ connections: Type.Array(Connection) })

const Name = requiredText(limits.nameCharacters, 'What people call it.')
const Model = requiredText(limits.nameCharacters, 'Name of the language model at its provider.')
const optional = {
  baseUrl: Type.Optional(nullableText({ minLength: 1, maxLength: limits.urlCharacters, pattern: '\\S' })),
  apiKey: Type.Optional(nullableText({ minLength: 1, maxLength: limits.idCharacters, pattern: '\\S' })),
  /** Null, or left out of a new one: as usual for its kind. */
  promptTokens: Type.Optional(
    orNull(Type.Integer({ minimum: limits.promptTokens.from, maximum: limits.promptTokens.to })),
  ),
}

export const NewConnection = Type.Object({
  name: Name,
  kind: oneOf(...connectionKinds),
  ...optional,
  model: Model,
})
export type NewConnection = Static<typeof NewConnection>

/** What is left out stays; a new address without a new key has none, because a key is only for the address it was given for. */
export const ConnectionChange = Type.Object({
  name: Type.Optional(Name),
  ...optional,
  model: Type.Optional(Model),
  version: Type.Integer({ minimum: 1, description: 'The one that the change was made to.' }),
})
export type ConnectionChange = Static<typeof ConnectionChange>

const path = Type.Object({ connectionId: Id })
const byOwner = { guard: 'owner', notVisiting: true } as const

export const connectionRoutes = {
  'GET /api/connections': { guard: 'member', summary: 'Connections to language models', reply: Connections },
  'POST /api/connections': {
    ...byOwner,
    summary: 'Make a connection',
    body: NewConnection,
    reply: Connection,
    callsOut: true, // its name is looked up
  },
  'PATCH /api/connections/:connectionId': {
    ...byOwner,
    summary: 'Change a connection',
    params: path,
    body: ConnectionChange,
    reply: Connection,
    callsOut: true, // its name is looked up
  },
  'DELETE /api/connections/:connectionId': {
    ...byOwner,
    summary: 'Delete a connection that no campaign uses',
    params: path,
    reply: Done,
  },
  'POST /api/connections/:connectionId/try': {
    ...byOwner,
    summary: 'Call the model once',
    params: path,
    reply: Connection,
    callsOut: true,
  },
} as const satisfies Record<string, AppRoute>
