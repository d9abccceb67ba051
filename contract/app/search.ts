import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText } from '../text.ts'
import { Cursor, orNull, Time } from './fields.ts'
import { Channel } from './messages.ts'
import type { AppRoute } from './route.ts'

/** `before`: goes on with the search of messages, from the `next` of an answer; people and lists are in the first answer only. */
export const SearchQuery = Type.Object({
  q: Type.String({ minLength: 1, maxLength: limits.nameCharacters }),
  before: Type.Optional(Type.String({ pattern: '^msg_[0-9a-f]{32}$' })),
})

/**
 * What the palette and the search of the inbox find. `messages` is null when no word is long enough to be looked up.
 * `next`: older messages were not searched yet, only those that are newer than this one. Null: the newest are found.
 */
export const Found = Type.Object({
  people: Type.Array(
    Type.Object({
      contactId: Type.String(),
      name: nullableText({}),
      phone: nullableText({}),
      email: nullableText({}),
      externalId: nullableText({}),
      channel: orNull(Channel),
      hasConversation: Type.Boolean(),
    }),
  ),
  lists: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  messages: orNull(
    Type.Array(
      Type.Object({
        messageId: Type.String(),
        contactId: Type.String(),
        contactName: nullableText({}),
        channel: Channel,
        /** The words around the match. */
        text: Type.String(),
        at: Time,
      }),
    ),
  ),
  next: Cursor,
})
export type Found = Static<typeof Found>

export const searchRoutes = {
  'GET /api/search': {
    guard: 'member',
    summary: 'Search people, lists and messages',
    query: SearchQuery,
    reply: Found,
  },
} as const satisfies Record<string, AppRoute>
