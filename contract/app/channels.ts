import type { Static } from 'typebox'
import { attentionReasons, channelKinds, channelStates, providerKinds } from '../channels.ts'
import { GivenWebchat, WebchatSettings } from '../chat/settings.ts'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { requiredText } from '../text.ts'
import { Cursor, CursorQuery, Id, oneOf, orNull, Time } from './fields.ts'
import type { AppRoute } from './route.ts'
import { Attempt, Delivery, DeliveryPage, DeliveryQuery } from './webhook.ts'

/** What was found when a channel was looked at. `quote`: what the provider said, word for word. */
export const ChannelCheck = Type.Object({
  name: oneOf(
    ...(['credentials', 'receiving', 'first message', 'address', 'pages', 'seen', 'first member'] as const),
    ...(['limits', 'identities', 'visitors', 'sender', 'account'] as const),
  ),
  state: oneOf('done', 'waits', 'failing'),
  sentence: Type.String(),
  quote: orNull(Type.String()),
  /** The host that the provider reports to in our place; it can be taken over. */
  reportsTo: Type.Optional(Type.String()),
})
export type ChannelCheck = Static<typeof ChannelCheck>

/** What an owner chooses from. */
export const ChannelSender = Type.Object({
  /** To be given as `credentials.sender`. */
  sender: Type.String(),
  name: Type.String(),
  /** What it can do, and what sort it is. */
  says: Type.String(),
  what: oneOf('number', 'short code', 'messaging service'),
  /** Where what is written to it goes now: a host, or in words; null: nowhere. It is taken over when it is connected. */
  reportsTo: orNull(Type.String()),
  /** Why it cannot be connected; null: it can. */
  why: orNull(Type.String()),
})
export type ChannelSender = Static<typeof ChannelSender>

export const ChannelSenders = Type.Object({
  /** Whose they are, by the provider. */
  of: Type.String(),
  /** What is to be known of that account. */
  remark: orNull(Type.String()),
  senders: Type.Array(ChannelSender),
})
export type ChannelSenders = Static<typeof ChannelSenders>

/** What is known of a website chat besides. */
export const ChatChannel = Type.Object({
  settings: WebchatSettings,
  /** The line that puts it on a page. */
  line: Type.String(),
  /** When the secret was made by which a shop signs who its customers are; null: there is none. */
  secretMadeAt: orNull(Time),
  /** Where it was seen last; noted once a minute. */
  seen: orNull(Type.Object({ host: Type.String(), at: Time })),
  /** The last page that wanted it and is not among those that it may be on. */
  refused: orNull(Type.Object({ origin: Type.String(), at: Time })),
  /** Panels that listen at this moment, in all processes: of visitors who have written. A few seconds late. */
  openPanels: Type.Integer(),
  /** What this day, in UTC, has come to of what `settings.caps` allow, and how many requests were refused. */
  today: Type.Object({
    contacts: Type.Integer(),
    messages: Type.Integer(),
    fileBytes: Type.Integer(),
    modelAnswers: Type.Integer(),
    /** `page`: not among those it may be on. `pace`: too much at once. `full`: the limits above. `forged`: tokens that no secret fits. */
    refused: Type.Object({
      all: Type.Integer(),
      page: Type.Integer(),
      pace: Type.Integer(),
      full: Type.Integer(),
      forged: Type.Integer(),
    }),
  }),
})
export type ChatChannel = Static<typeof ChatChannel>

export const Channel = Type.Object({
  id: Type.String(),
  kind: oneOf(...channelKinds),
  name: Type.String(),
  /** As people know it, such as `@shop_bot`, or a page. */
  address: Type.String(),
  state: oneOf(...channelStates),
  attention: orNull(Type.Object({ reason: oneOf(...attentionReasons), since: Time })),
  paused: orNull(Type.Object({ at: Time, by: orNull(Type.String({ description: 'The name of a user.' })) })),
  /** This is a restored copy, and nobody has said yet that the channel goes on here. */
  isHeld: Type.Boolean(),
  receivesBy: oneOf('auto', 'poll', 'hook'),
  /** What that comes to: whether we fetch, or are called. */
  receivingBy: oneOf('poll', 'hook'),
  whenInDoubt: oneOf('resend', 'person'),
  /** What each message costs, whoever writes it; 0 in an account that is none of an agency's. */
  creditsPerMessage: Type.Number(),
  /** Messages a second; null: as usual for the kind, which is `usualPerSecond`, or 0 where nothing has to leave. */
  perSecond: orNull(Type.Number()),
  usualPerSecond: Type.Number(),
  /** Goes up with every change; a change names the one that it was made to. */
  version: Type.Integer(),
  checks: Type.Array(ChannelCheck),
  checkedAt: orNull(Time),
  lastEventAt: orNull(Time),
  createdAt: Time,
  /** Null: it is none. */
  chat: orNull(ChatChannel),
})
export type Channel = Static<typeof Channel>

/** What goes over a channel, or over all custom ones together. */
const channelUse = {
  /** The number of its colour, 1 to 8. */
  colour: Type.Integer(),
  /** Messages of this day in the account's time zone, as the reports count them, a few seconds late. */
  today: Type.Object({ in: Type.Integer(), out: Type.Integer() }),
  /** When a message was last taken; noted at most once a minute. */
  lastOutAt: orNull(Time),
  /** Messages that are to be sent, or are held back; counted up to 10,000. */
  waiting: Type.Integer(),
}

/** A channel with what goes over it. */
export const ChannelInUse = Type.Object({
  ...Channel.properties,
  use: Type.Object({
    ...channelUse,
    /** The provider has asked us to send nothing until then. */
    slowedUntil: orNull(Time),
    /** It has not answered several times in a row, so that only now and then a message is tried. */
    silentSince: orNull(Time),
  }),
})
export type ChannelInUse = Static<typeof ChannelInUse>

/** All custom channels: they have one receiver. */
export const CustomChannels = Type.Object({
  /** The first of them, in order of first use. */
  names: Type.Array(Type.String()),
  /** How many there are besides. */
  moreNames: Type.Integer(),
  /** Where replies are posted; null: no address is saved. */
  host: orNull(Type.String()),
  state: oneOf('none', 'working', 'failing', 'paused', 'gone'),
  use: Type.Object(channelUse),
})
export type CustomChannels = Static<typeof CustomChannels>

/** A website chat that was removed, and can be there again. */
export const RemovedChat = Type.Object({
  id: Type.String(),
  name: Type.String(),
  address: Type.String(),
  removedAt: Time,
})
export type RemovedChat = Static<typeof RemovedChat>

/** What came in and could not be read, as it came. */
export const RawEvent = Type.Object({
  id: Type.String(),
  at: Time,
  why: Type.String(),
  /** Its beginning. */
  body: Type.String(),
  characters: Type.Integer(),
})
export type RawEvent = Static<typeof RawEvent>

export const RawEventPage = Type.Object({
  events: Type.Array(RawEvent),
  next: Cursor,
  /** What was only counted, on all days that are kept: known and of no concern here, or too much of the unreadable. */
  counted: Type.Array(Type.Object({ why: Type.String(), times: Type.Integer(), lastAt: Time })),
})

/** One message over a channel: its attempts, newest first, and the requests that it consists of. */
export const ChannelDelivery = Type.Object({
  delivery: Delivery,
  /** Its provider says later what became of a message. */
  tells: Type.Boolean(),
  attempts: Type.Array(Attempt),
  parts: Type.Array(
    Type.Object({
      n: Type.Integer(),
      text: Type.String(),
      acceptedAt: orNull(Time),
      deliveredAt: orNull(Time),
      readAt: orNull(Time),
      /** By what its provider said after it had taken it. */
      failedAt: orNull(Time),
      /** The last that its provider has said of it, in one word. */
      says: orNull(Type.String()),
      doubtSince: orNull(Time),
      /** It left once more, because nobody knew whether it had arrived. */
      resentAt: orNull(Time),
      code: orNull(Type.String()),
      detail: orNull(Type.String()),
    }),
  ),
})
export type ChannelDelivery = Static<typeof ChannelDelivery>

const Name = requiredText(limits.nameCharacters, 'What people call it.')

/** What the owner gives, by the names of its kind. It goes in and never comes out. */
const Credentials = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 4_096 },
  maxProperties: 16,
  description:
    'Of Telegram: `token`. Of SMS by Twilio: `accountSid`, `authToken`, `sender`, and `keySid` with `keySecret` to call with an API key; of new ones what stays may be left out.',
})

/** Of a website chat. */
const ChatSettings = Type.Optional(GivenWebchat)

export const NewChannel = Type.Object({
  kind: oneOf(...channelKinds),
  credentials: Type.Optional(Credentials),
  settings: ChatSettings,
  name: Type.Optional(Name),
  takesOver: Type.Optional(
    Type.Boolean({
      description: 'What another tool has set at the sender is replaced, because its owner has seen it.',
    }),
  ),
  again: Type.Optional(
    Type.Unsafe<string>({
      ...Id,
      description:
        'A website chat that was removed: it is that one again, with its line, its settings and its visitors.',
    }),
  ),
})
export type NewChannel = Static<typeof NewChannel>

/** What is left out stays. New credentials must be of the same sender. */
export const ChannelChange = Type.Object({
  name: Type.Optional(Name),
  credentials: Type.Optional(Credentials),
  settings: ChatSettings,
  receivesBy: Type.Optional(oneOf('auto', 'poll', 'hook')),
  whenInDoubt: Type.Optional(oneOf('resend', 'person')),
  perSecond: Type.Optional(orNull(Type.Number({ minimum: 0.1, maximum: 1_000 }))),
  version: Type.Integer({ minimum: 1, description: 'The one that the change was made to.' }),
})
export type ChannelChange = Static<typeof ChannelChange>

const path = Type.Object({ channelId: Id })
const byOwner = { guard: 'owner', notVisiting: true } as const

export const channelRoutes = {
  'GET /api/channels': {
    guard: 'member',
    summary:
      'Built-in channels, in the order in which they were connected, the custom ones together, and website chats that were removed',
    reply: Type.Object({
      channels: Type.Array(ChannelInUse),
      custom: orNull(CustomChannels),
      /** Kinds that cannot be connected here, because their provider has no address to call us by. */
      unreachable: Type.Array(oneOf(...channelKinds)),
      /** The last one first. */
      removed: Type.Array(RemovedChat),
    }),
  },
  'POST /api/channels': {
    ...byOwner,
    summary:
      'Connect a sender, whose credentials are tried before anything is kept, or make a website chat of these settings',
    body: NewChannel,
    reply: Channel,
    callsOut: true,
  },
  'POST /api/channels/senders': {
    ...byOwner,
    summary: 'What credentials could be connected with: the numbers of an account. Nothing is kept',
    body: Type.Object({ kind: oneOf(...providerKinds), credentials: Credentials }),
    reply: ChannelSenders,
    callsOut: true,
  },
  'GET /api/channels/:channelId': { guard: 'member', summary: 'One of them', params: path, reply: ChannelInUse },
  'PATCH /api/channels/:channelId': {
    ...byOwner,
    summary: 'Change a channel',
    params: path,
    body: ChannelChange,
    reply: Channel,
    callsOut: true,
  },
  'POST /api/channels/:channelId/check': {
    ...byOwner,
    summary: 'Look at it now; with `takesOver`, what another tool has set is replaced',
    params: path,
    body: Type.Object({ takesOver: Type.Optional(Type.Boolean()) }),
    reply: Channel,
    callsOut: true,
  },
  'POST /api/channels/:channelId/secret': {
    ...byOwner,
    summary:
      'Make the secret of a website chat by which a shop signs who its customers are; the one before counts for a day',
    params: path,
    reply: Type.Object({
      secret: Type.String({ description: 'It is shown in this answer alone.' }),
      channel: Channel,
    }),
  },
  'POST /api/channels/:channelId/pause': {
    ...byOwner,
    summary: 'Stop sending; what comes is kept, what is to be sent waits',
    params: path,
    reply: Channel,
  },
  'POST /api/channels/:channelId/resume': {
    ...byOwner,
    summary: 'Send again, in a restored copy too',
    params: path,
    reply: Channel,
  },
  'POST /api/channels/resume': {
    ...byOwner,
    summary: 'In a restored copy: it is the one that goes on, so all of its channels send and fetch again',
    reply: Type.Object({ channels: Type.Array(Channel) }),
  },
  'DELETE /api/channels/:channelId': {
    ...byOwner,
    summary: 'Disconnect it; its history stays',
    params: path,
    reply: Type.Object({ left: orNull(Type.String({ description: 'What is still there at the provider.' })) }),
    callsOut: true,
  },
  'GET /api/channels/:channelId/events': {
    ...byOwner,
    summary: 'What came in and could not be read',
    params: path,
    query: Type.Object({ before: CursorQuery }),
    reply: RawEventPage,
  },
  'GET /api/channels/:channelId/deliveries': {
    guard: 'member',
    summary: 'Messages over it, newest first',
    params: path,
    query: DeliveryQuery,
    reply: DeliveryPage,
  },
  'GET /api/channels/:channelId/deliveries/:id': {
    guard: 'member',
    summary: 'One of them, with its attempts',
    params: Type.Object({ channelId: Id, id: Id }),
    reply: ChannelDelivery,
  },
} as const satisfies Record<string, AppRoute>
