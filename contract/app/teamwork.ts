import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { visibleText } from '../text.ts'
import { Colleague, ContactPath, ConversationDetail, ReadUpTo } from './conversations.ts'
import { Done, Id, orNull, Time } from './fields.ts'
import { Channel, NewNote, Note } from './messages.ts'
import type { AppRoute } from './route.ts'

const TagName = Type.String({ minLength: 1, maxLength: limits.tagCharacters })
const Tagging = Type.Object({ tag: visibleText(limits.tagCharacters, 'A word or a few.') })

/** `seq`: the last message that the user has seen. After a later one of the contact it is not done. */
const Snooze = Type.Object({ ...ReadUpTo.properties, until: Time })

export const SavedReply = Type.Object({
  id: Type.String(),
  /** Typed after a slash. */
  shortcut: Type.String(),
  /** `{{firstName}}` stands for the contact's first name. */
  body: Type.String(),
})
export type SavedReply = Static<typeof SavedReply>

const SavedReplyFields = Type.Object({
  shortcut: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$', description: 'Small letters, digits and hyphens.' }),
  body: visibleText(limits.savedReplyCharacters, 'The text.'),
})

const SavedReplyPath = Type.Object({ replyId: Id })

/** What a team does with conversations besides answering them. */
export const teamworkRoutes = {
  'GET /api/assignees': {
    guard: 'member',
    summary: 'Who conversations can be assigned to',
    reply: Type.Object({ users: Type.Array(Colleague) }),
  },
  'PUT /api/conversations/:contactId/assignee': {
    guard: 'member',
    summary: 'Assign a conversation',
    params: ContactPath,
    body: Type.Object({ userId: orNull(Id) }),
    reply: ConversationDetail,
  },
  'POST /api/conversations/:contactId/close': {
    guard: 'member',
    summary: 'Close a conversation; a new message opens it again',
    params: ContactPath,
    body: ReadUpTo,
    reply: ConversationDetail,
  },
  'POST /api/conversations/:contactId/reopen': {
    guard: 'member',
    summary: 'Open a conversation that was closed or put off',
    params: ContactPath,
    reply: ConversationDetail,
  },
  'POST /api/conversations/:contactId/snooze': {
    guard: 'member',
    summary: 'Put a conversation off until a time, or until a new message',
    params: ContactPath,
    body: Snooze,
    reply: ConversationDetail,
  },
  'POST /api/conversations/:contactId/notes': {
    guard: 'member',
    summary: 'Write a note that only the team sees',
    params: ContactPath,
    body: NewNote,
    reply: Note,
  },
  'DELETE /api/conversations/:contactId/notes/:noteId': {
    guard: 'member',
    summary: 'Delete a note, which only its writer may',
    params: Type.Object({ ...ContactPath.properties, noteId: Id }),
    reply: Done,
  },
  'GET /api/conversation-filters': {
    guard: 'member',
    summary: 'Channels and tags in use',
    reply: Type.Object({ channels: Type.Array(Channel), tags: Type.Array(Type.String()) }),
  },
  'POST /api/conversations/:contactId/tags': {
    guard: 'member',
    summary: 'Tag a conversation',
    params: ContactPath,
    body: Tagging,
    reply: ConversationDetail,
  },
  'DELETE /api/conversations/:contactId/tags/:tag': {
    guard: 'member',
    summary: 'Remove a tag',
    params: Type.Object({ ...ContactPath.properties, tag: TagName }),
    reply: ConversationDetail,
  },
  'GET /api/saved-replies': {
    guard: 'member',
    summary: 'Saved replies, by their shortcut',
    reply: Type.Object({ replies: Type.Array(SavedReply) }),
  },
  'POST /api/saved-replies': {
    guard: 'member',
    summary: 'Save a reply',
    body: SavedReplyFields,
    reply: SavedReply,
  },
  'PUT /api/saved-replies/:replyId': {
    guard: 'member',
    summary: 'Change a saved reply',
    params: SavedReplyPath,
    body: SavedReplyFields,
    reply: SavedReply,
  },
  'DELETE /api/saved-replies/:replyId': {
    guard: 'member',
    summary: 'Delete a saved reply',
    params: SavedReplyPath,
    reply: Done,
  },
} as const satisfies Record<string, AppRoute>
