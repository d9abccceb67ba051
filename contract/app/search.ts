import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText } from '../text.ts'
import { orNull, Time } from './fields.ts'
import { Channel } from './messages.ts'
import type { AppRoute } from './route.ts'

export const SearchQuery = Type.Object({ q: Type.String({ minLength: 1, maxLength: limits.nameCharacters }) })

/** What the palette and the search of the inbox find. `messages` is null when no word is long enough to be looked up. */
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
