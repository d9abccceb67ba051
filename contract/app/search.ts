import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText } from '../text.ts'
import { Cursor, orNull, Time } from './fields.ts'
import { Channel } from './messages.ts'
import type { AppRoute } from './route.ts'

const messageId = Type.String({ pattern: '^msg_[0-9a-f]{32}$' })

/** `before`: goes on with the search of messages, from the `next` of an answer; people and lists are in the first answer only. */
export const SearchQuery = Type.Object({
  q: Type.String({ minLength: 1, maxLength: limits.nameCharacters }),
  before: Type.Optional(messageId),
  /** Messages older than this one, for the next page. */
  older: Type.Optional(messageId),
})

export const CountQuery = Type.Object({
  q: Type.String({ minLength: 1, maxLength: limits.nameCharacters }),
  before: Type.Optional(messageId),
})

/** How many messages have the words, as far as one request counts; `next`: goes on with this as `before`. */
export const FoundCount = Type.Object({ count: Type.Integer(), next: Cursor })
export type FoundCount = Static<typeof FoundCount>

/**
 * What the palette and the search of the inbox find. `messages` is null when no word is long enough to be looked up.
 * `next`: older messages were not searched yet, only those that are newer than this one. Null: the newest are found, at most
 * 20; with as many there may be more, `older` than the last of them. `hasMorePeople`, `hasMoreLists`: there are more
 * than these.
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
  hasMorePeople: Type.Boolean(),
  lists: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  hasMoreLists: Type.Boolean(),
  messages: orNull(
    Type.Array(
      Type.Object({
        messageId: Type.String(),
        contactId: Type.String(),
        contactName: nullableText({}),
        channel: Channel,
        /** The words around the match. */
        text: Type.String(),
        /** Where in `text` the words are that were looked for. */
        marks: Type.Array(Type.Object({ from: Type.Integer(), to: Type.Integer() })),
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
  'GET /api/search/count': {
    guard: 'member',
    summary: 'How many messages a search finds',
    query: CountQuery,
    reply: FoundCount,
  },
} as const satisfies Record<string, AppRoute>
