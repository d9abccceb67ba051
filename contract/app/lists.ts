import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { requiredText } from '../text.ts'
import { Done, Id, Time } from './fields.ts'
import type { AppRoute } from './route.ts'

export const ListPath = Type.Object({ listId: Id })

export const ShownList = Type.Object({
  id: Type.String(),
  name: Type.String(),
  contacts: Type.Integer(),
  optedOut: Type.Integer(),
  createdAt: Time,
})
export type ShownList = Static<typeof ShownList>

export const Lists = Type.Object({ lists: Type.Array(ShownList) })
export const ListName = Type.Object({ name: requiredText(limits.nameCharacters, 'Name of the list.') })

/** Contacts by their ids; or all that a search finds, of the account or of one of its lists. */
export const ManyContacts = Type.Object({
  contactIds: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: limits.contactsAtOnce })),
  found: Type.Optional(
    Type.Object({
      q: Type.Optional(Type.String({ maxLength: limits.nameCharacters })),
      listId: Type.Optional(Id),
    }),
  ),
})
export type ManyContacts = Static<typeof ManyContacts>

export const listRoutes = {
  'GET /api/lists': { guard: 'member', summary: 'Lists', reply: Lists },
  'POST /api/lists': { guard: 'member', summary: 'Create a list', body: ListName, reply: ShownList },
  'PATCH /api/lists/:listId': {
    guard: 'member',
    summary: 'Rename a list',
    params: ListPath,
    body: ListName,
    reply: ShownList,
  },
  'POST /api/lists/:listId/members': {
    guard: 'member',
    summary: 'Put many contacts on a list',
    params: ListPath,
    body: ManyContacts,
    waits: true,
    /** `missing`: contacts that are not there, or not any more. */
    reply: Type.Object({ added: Type.Integer(), already: Type.Integer(), missing: Type.Integer() }),
  },
  'POST /api/lists/:listId/members/remove': {
    guard: 'member',
    summary: 'Take many contacts off a list',
    params: ListPath,
    body: ManyContacts,
    waits: true,
    reply: Type.Object({ removed: Type.Integer() }),
  },
  'DELETE /api/lists/:listId': { guard: 'manager', summary: 'Delete a list', params: ListPath, reply: Done },
} as const satisfies Record<string, AppRoute>
