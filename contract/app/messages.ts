import type { Static } from 'typebox'
import { channelKinds } from '../channels.ts'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText, visibleText } from '../text.ts'
import { Id, LimitQuery, oneOf, orNull, Time } from './fields.ts'

export const MessagePath = Type.Object({ messageId: Id })

export const Channel = Type.Object({
  /** Of a custom channel what its callers named it by; of a built-in one its id. */
  label: Type.String(),
  /** What people call it. */
  name: Type.String(),
  /** Null: a custom one. */
  kind: orNull(oneOf(...channelKinds)),
  /** The number of its colour, 1 to 8, in order of first use; it stays. */
  colour: Type.Integer(),
})
export type Channel = Static<typeof Channel>

export const Author = oneOf('contact', 'bot', 'person', 'api')

export const DeliveryFault = Type.Object({
  category: Type.String(),
  httpStatus: orNull(Type.Integer()),
  detail: nullableText({}),
})
export type DeliveryFault = Static<typeof DeliveryFault>

/** A message that another one answers, or reacts to. */
export const Quoted = Type.Object({
  /** Null, with what follows from it: it is from before the channel was connected, or was removed. */
  messageId: nullableText({}),
  author: orNull(Author),
  /** The beginning of its text as it is now; empty where it has none. */
  text: Type.String(),
})
export type Quoted = Static<typeof Quoted>

/** What the text of a message describes. */
export const describedThings = ['location', 'contact', 'poll', 'dice', 'sticker'] as const

/** What a channel told of a message besides its text. */
export const MessageDetails = Type.Object({
  /** By the clock of its provider, where that is far from the time of arrival. */
  writtenAt: orNull(Time),
  /** The body is the new text; `before` is the first one. */
  edited: orNull(Type.Object({ at: Time, before: Type.String() })),
  /** When its writer took it back. Then nothing of it is here. */
  takenBackAt: orNull(Time),
  replyTo: orNull(Quoted),
  /** It is a tap on a button below the message that it answers: which one. */
  choice: nullableText({}),
  described: orNull(oneOf(...describedThings)),
  place: orNull(Type.Object({ latitude: Type.Number(), longitude: Type.Number(), name: nullableText({}) })),
  /** The page of a website that it was written on. `isOurs`: the channel is on that page by its owner's word. */
  page: orNull(Type.Object({ url: Type.String(), isOurs: Type.Boolean() })),
  /** The language of the chat, such as `de`. */
  language: nullableText({}),
  /** The website has vouched for who wrote it. */
  isSigned: Type.Boolean(),
})
export type MessageDetails = Static<typeof MessageDetails>

/** What is known of a message on its way over a built-in channel. */
export const ChannelDelivery = Type.Object({
  /** Since when nobody knows whether it left. */
  doubtSince: orNull(Time),
  /** When it left once more because of a doubt. */
  repeatedAt: orNull(Time),
  /** It left, may have left twice, and nobody has said yet that this is fine. */
  mayBeTwice: Type.Boolean(),
  /** Who has ended a doubt: the name of a user. */
  doubtEndedBy: nullableText({}),
  /** Whether the channel tells later that it arrived; false: that it was taken is its last word. */
  receipts: Type.Boolean(),
  /** When all of it was in front of its reader, and when it was read. */
  deliveredAt: orNull(Time),
  readAt: orNull(Time),
  /** The requests of which it consists, and how many of them the channel has taken. */
  parts: Type.Integer(),
  partsSent: Type.Integer(),
  /** Buttons that were sent with it. */
  choices: Type.Array(Type.Object({ id: Type.String(), title: Type.String() })),
})
export type ChannelDelivery = Static<typeof ChannelDelivery>

export const Message = Type.Object({
  id: Type.String(),
  contactId: Type.String(),
  /** Order in the conversation. */
  seq: Type.Integer(),
  direction: oneOf('incoming', 'outgoing'),
  author: Author,
  /** The user who wrote it; null for messages from before it was kept. */
  userId: nullableText({}),
  userName: nullableText({}),
  kind: oneOf('text', 'reaction'),
  body: Type.String(),
  channel: Channel,
  createdAt: Time,
  /** Of an outgoing message. */
  delivery: orNull(
    Type.Object({
      status: oneOf('Waiting', 'Sent', 'Failed'),
      /** All, of which a person has asked for `askedAttempts`; at most `maxAttempts` of the others come by themselves. */
      attempts: Type.Integer(),
      askedAttempts: Type.Integer(),
      maxAttempts: Type.Integer(),
      sentAt: orNull(Time),
      nextAttemptAt: orNull(Time),
      /** An attempt is being made, or is about to be because a person has asked for it. */
      isSending: Type.Boolean(),
      fault: orNull(DeliveryFault),
      /** Null: over a custom channel. */
      overChannel: orNull(ChannelDelivery),
    }),
  ),
  file: orNull(
    Type.Object({
      state: oneOf('stored', 'not fetched yet', 'unreachable', 'not allowed', 'wrong type', 'too large', 'removed'),
      contentType: Type.String(),
      /** Null: it has none, or only its content was given. */
      fileName: nullableText({}),
      /** Of one that is not stored, as it was announced. */
      sizeBytes: orNull(Type.Integer()),
      /** Whether the browser may show it in the page: a raster image that is stored. */
      isPicture: Type.Boolean(),
    }),
  ),
  /** The broadcast that it is part of. */
  broadcast: orNull(Type.Object({ id: Type.String(), name: Type.String() })),
  /** Whether the bot wrote it and can say why. */
  hasAnswer: Type.Boolean(),
  details: orNull(MessageDetails),
})
export type Message = Static<typeof Message>

/** A line in the thread that is no message. */
export const ThreadEvent = Type.Object({
  id: Type.String(),
  /** It comes after the message with this number. */
  seq: Type.Integer(),
  kind: oneOf(
    ...(['taken over', 'handed back', 'switched off', 'asked for a person', 'opted out', 'opted in'] as const),
    ...(['assigned', 'unassigned', 'closed', 'reopened', 'snoozed', 'snooze ended'] as const),
    ...(['blocked', 'unblocked', 'signed in', 'left e-mail', 'asked to be deleted', 'not deleted'] as const),
  ),
  userId: nullableText({}),
  userName: nullableText({}),
  /** Of `assigned`: to whom. */
  toUserId: nullableText({}),
  toUserName: nullableText({}),
  /** Of `snoozed`. */
  until: orNull(Time),
  /** Of `signed in`: the other contact of the same browser, before they signed in or since. */
  other: orNull(Type.Object({ contactId: Type.String(), name: nullableText({}) })),
  at: Time,
})
export type ThreadEvent = Static<typeof ThreadEvent>

/** What a user has written for the others; it never leaves the service. */
export const Note = Type.Object({
  id: Type.String(),
  /** It comes after the message with this number. */
  seq: Type.Integer(),
  userId: Type.String(),
  userName: nullableText({}),
  body: Type.String(),
  at: Time,
})
export type Note = Static<typeof Note>

export const ThreadQuery = Type.Object({
  /** Messages before this number, for older ones. */
  before: Type.Optional(Type.String({ pattern: '^[0-9]{1,18}$' })),
  limit: LimitQuery,
})

/**
 * Oldest first. `older`: pass it as `before` for the messages before these. `removedBefore`: these are the first that there are,
 * because those from before this time were removed.
 */
export const ThreadPage = Type.Object({
  messages: Type.Array(Message),
  events: Type.Array(ThreadEvent),
  notes: Type.Array(Note),
  older: orNull(Type.Integer()),
  removedBefore: orNull(Time),
})

/** A way by which a contact can be written to, or why they cannot. */
export const ReplyWay = Type.Object({
  /** What a reply names it by. */
  channelId: Type.String(),
  channel: Channel,
  /** As the contact is known there: `@ana`, or an id. Who has not been written to there yet has their phone number. */
  address: nullableText({}),
  /** Why nothing can be sent by it. */
  whyNot: orNull(
    oneOf(
      ...(['no_address', 'no_number', 'number_taken'] as const),
      ...(['stopped', 'closed', 'channel_removed', 'channel_paused'] as const),
    ),
  ),
  /** Of `number_taken`: whom the channel knows by this number. */
  takenBy: orNull(Type.Object({ contactId: Type.String(), name: nullableText({}) })),
  /** Of `stopped`: they have blocked it, have written the word that ends it, or its provider has said that they take nothing. */
  stopped: orNull(Type.Object({ at: Time, by: oneOf('block', 'word', 'provider') })),
  /** Why what is sent by it waits. */
  waits: orNull(oneOf('connecting', 'attention', 'paused', 'held')),
  /** A message by it was not delivered, and waits for somebody. */
  hasFailed: Type.Boolean(),
  /** How many bytes a file may have that is sent by it; null: it takes no files. */
  fileBytes: orNull(Type.Object({ picture: Type.Integer(), other: Type.Integer() })),
  /** A text costs by its segments, so they are counted while it is written. */
  countsSegments: Type.Boolean(),
  /** What is known of somebody who writes on a website; null: this is another way, or they never wrote there. */
  visitor: orNull(
    Type.Object({
      /** When they last had the chat before them. */
      seenAt: orNull(Time),
      /** An e-mail address that they left, as they wrote it. Nobody has verified it. */
      leftEmail: orNull(Type.Object({ address: Type.String(), at: Time })),
      /** Since when the team has closed the chat with them. */
      closedAt: orNull(Time),
    }),
  ),
})
export type ReplyWay = Static<typeof ReplyWay>

/** Every way to write to a contact, those that cannot be used last; `usual` is the `channelId` of the one that a reply takes. */
export const ReplyWays = Type.Object({ usual: nullableText({}), ways: Type.Array(ReplyWay) })

/** Made by the browser; the same one again is the same reply, or note. */
const ClientId = Type.String({ pattern: '^[A-Za-z0-9_-]{16,64}$' })

export const Reply = Type.Object({
  body: Type.Optional(visibleText(limits.bodyBytes, 'The text. It may be left out where there is a file.')),
  fileId: Type.Optional(Id),
  channelId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.idCharacters,
      description:
        'The built-in channel by which it leaves, or `custom`: your own platform. Left out: the channel of the last message.',
    }),
  ),
  clientId: ClientId,
})

export const NewNote = Type.Object({ body: visibleText(limits.bodyBytes, 'The text.'), clientId: ClientId })

/** A file that was attached and not sent yet. It is good for an hour. */
export const AttachedFile = Type.Object({
  /** What a reply names it by. */
  id: Type.String(),
  fileName: Type.String(),
  contentType: Type.String(),
  sizeBytes: Type.Integer(),
  isPicture: Type.Boolean(),
})
export type AttachedFile = Static<typeof AttachedFile>

/** Why the bot answered as it did. */
export const Answer = Type.Object({
  outcome: oneOf('answered', 'offered', 'fell back', 'handed over', 'silent', 'skipped'),
  reason: Type.String(),
  routing: nullableText({}),
  campaign: orNull(Type.Object({ id: Type.String(), name: Type.String(), version: orNull(Type.Integer()) })),
  engine: nullableText({}),
  model: nullableText({}),
  sources: Type.Array(
    Type.Object({ entryId: nullableText({}), question: nullableText({}), score: orNull(Type.Number()) }),
  ),
  thresholds: orNull(Type.Object({ answer: Type.Number(), offer: Type.Number(), margin: Type.Number() })),
  inputTokens: orNull(Type.Integer()),
  outputTokens: orNull(Type.Integer()),
  durationMs: orNull(Type.Integer()),
  /** As a decimal number; null when nothing was charged. */
  credits: nullableText({}),
  createdAt: Time,
})
export type Answer = Static<typeof Answer>
