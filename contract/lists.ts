import { limits } from './limits.ts'
import { Type } from './schema.ts'
import { requiredText } from './text.ts'

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
