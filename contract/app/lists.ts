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
  'DELETE /api/lists/:listId': { guard: 'member', summary: 'Delete a list', params: ListPath, reply: Done },
} as const satisfies Record<string, AppRoute>
