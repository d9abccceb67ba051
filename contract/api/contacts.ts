import type { Static } from 'typebox'
import { type ContactText, contactTextNames } from '../contact-texts.ts'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText, optionalText } from '../text.ts'
import type { ApiRoute } from './route.ts'

/** The same schema for each of the texts, with its own description. */
export function forEachText<Schema>(make: (description: string) => Schema): Record<ContactText, Schema> {
  const entries = Object.entries(contactTextNames).map(([name, description]) => [name, make(description)])
  return Object.fromEntries(entries) as Record<ContactText, Schema>
}

export const NewContact = Type.Object(
  {
    ...forEachText((description) => optionalText(limits.nameCharacters, `${description}.`)),
    phone: optionalText(limits.phoneCharacters, 'Phone number with country code, such as +15551234567.'),
    phoneNumber: optionalText(limits.phoneCharacters, 'The same as `phone`, which wins when both are given.'),
    email: optionalText(limits.idCharacters, 'E-mail address.'),
    fromId: optionalText(
      limits.idCharacters,
      "The contact's id on your side, as you send it as `fromId` with messages; compared exactly. It is filled where there is none, and never overwritten.",
    ),
  },
  { description: 'At least one of `phone` and `email` is required.' },
)
export type NewContact = Static<typeof NewContact>

const contactFields = {
  id: Type.String({ description: 'Assigned by the service.' }),
  ...forEachText((description) => nullableText({ description: `${description}, or null.` })),
  phone: nullableText({ description: 'Phone number in E.164 form, or null.' }),
  email: nullableText({ description: 'E-mail address in lower case, or null.' }),
  createdAt: Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' }),
}

export const Contact = Type.Object(contactFields)
export type Contact = Static<typeof Contact>

export const ContactQuery = Type.Object({
  phoneNumber: Type.Optional(Type.String({ description: 'The phone number to look for, in any spelling.' })),
  email: Type.Optional(Type.String({ description: 'The e-mail address to look for, without regard to case.' })),
  fromId: Type.Optional(Type.String({ description: 'The id on your side to look for, exactly as you send it.' })),
})

const ContactPath = Type.Object({
  contactId: Type.String({ description: 'The id that answers and events name as `contactId`.' }),
})

export const FoundContact = Type.Object({
  success: Type.Literal(true),
  contactId: Type.String(),
  ...contactFields,
  contact: Contact,
})
export type FoundContact = Static<typeof FoundContact>

export const contactRoutes = {
  'POST /v1/contacts': {
    guard: 'key',
    operationId: 'createContact',
    tag: 'Contacts',
    summary: 'Create a contact',
    description:
      'When the phone number already belongs to a contact, that contact is returned, unchanged; only `fromId` becomes its id if it has none. 400 if it has another one, or another contact has this one.',
    body: NewContact,
    reply: Contact,
    statuses: [200, 201],
  },
  'GET /v1/contacts': {
    guard: 'key',
    operationId: 'findContact',
    tag: 'Contacts',
    summary: 'Look up a contact',
    description:
      'By phone number, by e-mail address or by `fromId`, one of them. Of several with one e-mail address, the oldest.',
    query: ContactQuery,
    reply: FoundContact,
  },
  'GET /v1/contacts/:contactId': {
    guard: 'key',
    operationId: 'showContact',
    tag: 'Contacts',
    summary: 'The contact with this id',
    description: 'Every event names its contact by this id. The answer is that of looking a contact up.',
    params: ContactPath,
    reply: FoundContact,
  },
} as const satisfies Record<string, ApiRoute>
