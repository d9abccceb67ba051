import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { requiredText } from '../text.ts'
import type { ApiRoute } from './route.ts'

export const ListPath = Type.Object({ listId: Type.String({ description: "The list's ID, as the app shows it." }) })

export const NewMember = Type.Object({
  contactId: requiredText(limits.idCharacters, 'ID of an existing contact.'),
})

export const MemberAdded = Type.Object({
  success: Type.Literal(true),
  listId: Type.String(),
  contactId: Type.String(),
  message: Type.String({ description: 'A confirmation to read.' }),
})

export const listRoutes = {
  'POST /v1/lists/:listId/contacts': {
    guard: 'key',
    operationId: 'addContactToList',
    tag: 'Lists',
    summary: 'Add an existing contact to a list',
    description: 'Adding a contact that is on the list already gives the same answer.',
    params: ListPath,
    body: NewMember,
    reply: MemberAdded,
  },
} as const satisfies Record<string, ApiRoute>
