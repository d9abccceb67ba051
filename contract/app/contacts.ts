import type { Static } from 'typebox'
import { forEachText } from '../api/contacts.ts'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText, optionalText } from '../text.ts'
import { ContactPath } from './conversations.ts'
import { Cursor, CursorQuery, Done, Id, LimitQuery, oneOf, orNull, Time } from './fields.ts'
import { Channel } from './messages.ts'
import type { AppRoute } from './route.ts'

export const ContactQuery = Type.Object({
  /** Part of a name, or the beginning of a phone number, an e-mail address, an external id or an @user name. */
  q: Type.Optional(Type.String({ maxLength: limits.nameCharacters })),
  listId: Type.Optional(Id),
  /** Of all contacts, without `q` and `listId`: there is an index for these orders. Without it, newest first. */
  sort: Type.Optional(oneOf('newest', 'name')),
  before: CursorQuery,
  limit: LimitQuery,
})

export const ShownContact = Type.Object({
  id: Type.String(),
  /** What they are called: their name, or `Visitor 4F2A` of somebody on a website whom nothing else names. */
  name: nullableText({}),
  ...forEachText(() => nullableText({})),
  phone: nullableText({}),
  email: nullableText({}),
  externalId: nullableText({}),
  isSimulated: Type.Boolean(),
  createdAt: Time,
  optedOutAt: orNull(Time),
  lists: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  /** Of the conversation, if there is one. */
  channel: orNull(Channel),
  /** How they are known on built-in channels, the one by which they wrote last first. */
  addresses: Type.Array(
    Type.Object({
      channel: Channel,
      /** `@ana`, or an id. */
      address: Type.String(),
      /** Why nothing can be sent there. */
      whyNot: orNull(oneOf('stopped', 'closed', 'channel_removed')),
    }),
  ),
  lastAt: orNull(Time),
  /** When it was put on the list; only in a page of a list. */
  addedAt: orNull(Time),
})
export type ShownContact = Static<typeof ShownContact>

export const ContactPage = Type.Object({
  contacts: Type.Array(ShownContact),
  next: Cursor,
  /**
   * How many there are in all; 10,000 means that many or more. Null in later pages, because the first has said it, and
   * for a search that finds more than 1,000.
   */
  total: orNull(Type.Integer()),
})

/** For a new contact, and for a change: an absent field stays, null or an empty text removes it. */
export const ContactFields = Type.Object({
  ...forEachText(() => optionalText(limits.nameCharacters, '')),
  phone: optionalText(limits.phoneCharacters, 'With country code.'),
  email: optionalText(limits.idCharacters, 'E-mail address.'),
  /** On the external platform. It is filled where there is none; one that is there stays. */
  externalId: optionalText(limits.idCharacters, 'Id on the external platform.'),
})

/** `isNew` is false when the phone number belonged to a contact already; that one is returned. */
export const ContactMade = Type.Object({ contact: ShownContact, isNew: Type.Boolean() })

export const Erased = Type.Object({ messages: Type.Integer() })
export const ListMemberPath = Type.Object({ contactId: Id, listId: Id })

export const contactRoutes = {
  'GET /api/contacts': { guard: 'member', summary: 'Contacts', query: ContactQuery, reply: ContactPage },
  'GET /api/contacts/export': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Contacts as a CSV file, which can be imported again: all, those that a search finds, those of a list',
    query: Type.Object({ q: ContactQuery.properties.q, listId: ContactQuery.properties.listId }),
    raw: true,
  },
  'POST /api/contacts': { guard: 'member', summary: 'Create a contact', body: ContactFields, reply: ContactMade },
  'GET /api/contacts/:contactId': { guard: 'member', summary: 'One contact', params: ContactPath, reply: ShownContact },
  'PATCH /api/contacts/:contactId': {
    guard: 'member',
    summary: 'Change a contact',
    params: ContactPath,
    body: ContactFields,
    reply: ShownContact,
  },
  'DELETE /api/contacts/:contactId': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Erase a contact and everything of it',
    params: ContactPath,
    reply: Erased,
  },
  'PUT /api/contacts/:contactId/lists/:listId': {
    guard: 'member',
    summary: 'Add a contact to a list',
    params: ListMemberPath,
    reply: Done,
  },
  'DELETE /api/contacts/:contactId/lists/:listId': {
    guard: 'member',
    summary: 'Take a contact off a list',
    params: ListMemberPath,
    reply: Done,
  },
} as const satisfies Record<string, AppRoute>
