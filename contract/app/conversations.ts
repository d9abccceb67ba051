import type { Static } from 'typebox'
import { forEachText } from '../api/contacts.ts'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText } from '../text.ts'
import { Cursor, CursorQuery, Done, Id, LimitQuery, oneOf, orNull, Time } from './fields.ts'
import {
  Answer,
  AttachedFile,
  Author,
  Channel,
  Message,
  MessagePath,
  Reply,
  ReplyWays,
  ThreadPage,
  ThreadQuery,
} from './messages.ts'
import type { AppRoute } from './route.ts'

export const ContactPath = Type.Object({ contactId: Id })
const MessageOfPath = Type.Object({ contactId: Id, messageId: Id })

/** `all`, `mine`, `unread` and `waiting` are of open conversations; `failed` of all of them. */
export const conversationFilters = ['all', 'mine', 'unread', 'waiting', 'failed', 'closed', 'snoozed'] as const
export type ConversationFilter = (typeof conversationFilters)[number]

export const ConversationQuery = Type.Object({
  filter: Type.Optional(oneOf(...conversationFilters)),
  /** Instead of a filter: open conversations of this channel, or all with this tag, the last tagged first. */
  channel: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000 })),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: limits.tagCharacters })),
  before: CursorQuery,
  limit: LimitQuery,
})

/** A user of the account, as colleagues see them. */
export const Colleague = Type.Object({ id: Type.String(), name: Type.String() })
export type Colleague = Static<typeof Colleague>

/** A row of the list of conversations. */
export const Conversation = Type.Object({
  contactId: Type.String(),
  name: nullableText({}),
  phone: nullableText({}),
  externalId: nullableText({}),
  isSimulated: Type.Boolean(),
  channel: Channel,
  lastAt: Time,
  /** The last message; where the contact waits for a person, the last one of the contact. */
  last: Type.Object({
    author: Author,
    userName: nullableText({}),
    kind: oneOf('text', 'reaction'),
    /** The beginning of the text. */
    text: Type.String(),
    hasFile: Type.Boolean(),
    isTakenBack: Type.Boolean(),
  }),
  unread: Type.Integer({ description: 'Messages of the contact that this user has not seen; 100 means 100 or more.' }),
  waitingSince: orNull(Time),
  waitingReason: nullableText({}),
  /** A reply was not delivered. One that waits for its channel has not failed. */
  hasFailed: Type.Boolean(),
  /**
   * It is not known of the last message whether it arrived, or once; or of another one, and a person decides. Not where one has failed
   * for certain, which is worse.
   */
  isInDoubt: Type.Boolean(),
  botIsWriting: Type.Boolean(),
  state: oneOf('open', 'snoozed', 'closed'),
  snoozedUntil: orNull(Time),
  assignee: orNull(Colleague),
})
export type Conversation = Static<typeof Conversation>

export const ConversationPage = Type.Object({ conversations: Type.Array(Conversation), next: Cursor })

/** What the rail and the filters show. 100 conversations means so many or more. */
export const Counts = Type.Object({
  mine: Type.Integer(),
  unread: Type.Integer(),
  waiting: Type.Integer(),
  failed: Type.Integer(),
  longestWaitingSince: orNull(Time),
  receiver: oneOf('none', 'working', 'failing', 'paused', 'gone'),
  failuresInRow: Type.Integer(),
  /** Built-in channels that need somebody, the one that needs them longest first. */
  channelsInNeed: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      /** This is a restored copy, and nobody has said yet that the channel goes on here. */
      isHeld: Type.Boolean(),
    }),
  ),
})
export type Counts = Static<typeof Counts>

/** Everything around a thread: who answers, the contact, lists. */
export const ConversationDetail = Type.Object({
  conversation: Conversation,
  contact: Type.Object({
    id: Type.String(),
    ...forEachText(() => nullableText({})),
    phone: nullableText({}),
    email: nullableText({}),
    externalId: nullableText({}),
    isSimulated: Type.Boolean(),
    createdAt: Time,
    optedOutAt: orNull(Time),
    optedOutBy: orNull(oneOf('contact', 'operator', 'returned')),
  }),
  handler: oneOf('bot', 'person', 'off'),
  handlerReason: nullableText({}),
  handlerSince: orNull(Time),
  /** Who took it over or typed last, if it is known. */
  handlerUser: orNull(Colleague),
  /** When the bot takes over again by itself. */
  botResumesAt: orNull(Time),
  botActive: Type.Boolean(),
  campaign: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
  /** When they asked last that what is here of them be erased; null: not, or somebody has decided that they stay. */
  askedToBeDeletedAt: orNull(Time),
  lists: Type.Array(Type.Object({ id: Type.String(), name: Type.String() })),
  tags: Type.Array(Type.String()),
  replies: Type.Object({
    sent: Type.Integer(),
    failed: Type.Integer(),
    inDoubt: Type.Integer(),
    waiting: Type.Integer(),
  }),
  readSeq: Type.Integer(),
  replyBy: ReplyWays,
})
export type ConversationDetail = Static<typeof ConversationDetail>

/** `contact`: null where the number is nobody's yet. Its ways are then those by which it may be written to first. */
export const WaysTo = Type.Object({
  contact: orNull(Type.Object({ id: Type.String(), name: nullableText({}), phone: nullableText({}) })),
  ...ReplyWays.properties,
})
export type WaysTo = Static<typeof WaysTo>

const FilePath = Type.Object({ contactId: Id, fileId: Id })

export const ReadUpTo = Type.Object({ seq: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) })
export const HandBack = Type.Object({ answersOld: Type.Boolean() })
export const MayBotWrite = Type.Object({ mayWrite: Type.Boolean() })

/** The website chat, by its id, that somebody writes over. */
const OnChat = Type.Object({ channelId: Id })
export const Block = Type.Object({
  channelId: Id,
  alsoNetwork: Type.Boolean({
    description: 'For a day nobody new who writes from the same network is taken either. It is kept in memory only.',
  }),
})

export const conversationRoutes = {
  'GET /api/counts': { guard: 'member', summary: 'What needs somebody', reply: Counts },
  'GET /api/conversations': {
    guard: 'member',
    summary: 'Conversations, newest first',
    query: ConversationQuery,
    reply: ConversationPage,
  },
  'GET /api/conversations/:contactId': {
    guard: 'member',
    summary: 'One conversation with its contact',
    params: ContactPath,
    reply: ConversationDetail,
  },
  'GET /api/conversations/:contactId/messages': {
    guard: 'member',
    summary: 'Messages of a conversation',
    params: ContactPath,
    query: ThreadQuery,
    reply: ThreadPage,
  },
  'POST /api/conversations/:contactId/replies': {
    guard: 'member',
    summary:
      'Reply, and take the conversation over. With a `channelId` it begins one that is not there yet: by a number, where the channel may write first to people',
    params: ContactPath,
    body: Reply,
    reply: Message,
  },
  'GET /api/ways': {
    guard: 'member',
    summary: 'Every way to write to a contact, or to a phone number and to whom it belongs: one of them is given',
    query: Type.Object({
      contactId: Type.Optional(Id),
      phone: Type.Optional(Type.String({ minLength: 1, maxLength: limits.phoneCharacters })),
    }),
    reply: WaysTo,
  },
  'POST /api/conversations/:contactId/files': {
    guard: 'member',
    summary: 'Attach a file to a reply that is sent later: its bytes are the body, as application/octet-stream',
    params: ContactPath,
    query: Type.Object({
      fileName: Type.String({ minLength: 1, maxLength: limits.nameCharacters }),
      contentType: Type.Optional(
        Type.String({ minLength: 1, maxLength: limits.nameCharacters, description: 'Its MIME type.' }),
      ),
    }),
    takesBytes: true,
    bodyBytes: limits.mediaBytes,
    mayBeLarge: true,
    reply: AttachedFile,
  },
  'DELETE /api/conversations/:contactId/files/:fileId': {
    guard: 'member',
    summary: 'Take an attached file away that was not sent',
    params: FilePath,
    reply: Done,
  },
  'PUT /api/conversations/:contactId/read': {
    guard: 'member',
    summary: 'Mark as read up to a message',
    params: ContactPath,
    body: ReadUpTo,
    reply: Done,
  },
  'POST /api/conversations/:contactId/messages/:messageId/arrived': {
    guard: 'member',
    summary: 'Say of a message in doubt that it arrived: what of it never left follows',
    params: MessageOfPath,
    reply: Message,
  },
  'POST /api/conversations/:contactId/messages/:messageId/fine': {
    guard: 'member',
    summary: 'Say that it is fine if a message arrived twice: nobody is told of it any more',
    params: MessageOfPath,
    reply: Message,
  },
  'POST /api/conversations/:contactId/messages/:messageId/again': {
    guard: 'member',
    summary: 'Send a message again that has not arrived, or may not have; what of it has arrived is not sent again',
    params: MessageOfPath,
    reply: Message,
  },
  'POST /api/conversations/:contactId/takeover': {
    guard: 'member',
    summary: 'Take over from the bot',
    params: ContactPath,
    reply: ConversationDetail,
  },
  'POST /api/conversations/:contactId/handback': {
    guard: 'member',
    summary: 'Hand back to the bot',
    params: ContactPath,
    body: HandBack,
    reply: ConversationDetail,
  },
  'PUT /api/conversations/:contactId/bot': {
    guard: 'member',
    summary: 'Whether the bot may write to this contact',
    params: ContactPath,
    body: MayBotWrite,
    reply: ConversationDetail,
  },
  'POST /api/conversations/:contactId/block': {
    guard: 'member',
    summary: 'Close the chat with a visitor of a website: nothing comes from them any more, and nothing goes to them',
    params: ContactPath,
    body: Block,
    reply: ConversationDetail,
  },
  'POST /api/conversations/:contactId/unblock': {
    guard: 'member',
    summary: 'Open the chat with a visitor again',
    params: ContactPath,
    body: OnChat,
    reply: ConversationDetail,
  },
  'POST /api/conversations/:contactId/keep': {
    guard: 'member',
    summary: 'Decide that a contact who asked to be deleted stays',
    params: ContactPath,
    reply: ConversationDetail,
  },
  'POST /api/conversations/:contactId/typing': {
    guard: 'member',
    summary: 'Show a visitor of a website that somebody writes to them, for a few seconds; nothing is kept',
    params: ContactPath,
    body: OnChat,
    reply: Done,
    changesNothing: true,
  },
  'GET /api/messages/:messageId/answer': {
    guard: 'member',
    summary: 'Why the bot answered this',
    params: MessagePath,
    reply: Answer,
  },
  'GET /api/media/:messageId': {
    guard: 'member',
    summary: 'The file of a message',
    params: MessagePath,
    reply: Type.Unsafe<unknown>({}),
    raw: true,
  },
} as const satisfies Record<string, AppRoute>
