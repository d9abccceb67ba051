import type { Static } from 'typebox'
import { channelKinds, channelStates } from '../channels.ts'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { requiredText } from '../text.ts'
import { Id, oneOf, orNull, Time } from './fields.ts'
import type { AppRoute } from './route.ts'

/** What was found when a channel was looked at. `quote`: what the provider said, word for word. */
export const ChannelCheck = Type.Object({
  name: oneOf('credentials', 'receiving', 'first message'),
  state: oneOf('done', 'waits', 'failing'),
  sentence: Type.String(),
  quote: orNull(Type.String()),
})
export type ChannelCheck = Static<typeof ChannelCheck>

/** Why a channel needs somebody. */
export const attentionReasons = ['credentials', 'other reader', 'no address', 'cannot be reached'] as const
export type AttentionReason = (typeof attentionReasons)[number]

export const Channel = Type.Object({
  id: Type.String(),
  kind: oneOf(...channelKinds),
  name: Type.String(),
  /** As people know it, such as `@shop_bot`. */
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
  /** Messages a second; null: as usual for the kind, which is `usualPerSecond`. */
  perSecond: orNull(Type.Number()),
  usualPerSecond: Type.Number(),
  /** Goes up with every change; a change names the one that it was made to. */
  version: Type.Integer(),
  checks: Type.Array(ChannelCheck),
  checkedAt: orNull(Time),
  lastEventAt: orNull(Time),
  createdAt: Time,
})
export type Channel = Static<typeof Channel>

const Name = requiredText(limits.nameCharacters, 'What people call it.')

/** What the owner gives, by the names of its kind. It goes in and never comes out. */
const Credentials = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 4_096 },
  maxProperties: 16,
  description: 'Of Telegram: `token`.',
})

export const NewChannel = Type.Object({
  kind: oneOf(...channelKinds),
  credentials: Credentials,
  name: Type.Optional(Name),
})
export type NewChannel = Static<typeof NewChannel>

/** What is left out stays. New credentials must be of the same sender. */
export const ChannelChange = Type.Object({
  name: Type.Optional(Name),
  credentials: Type.Optional(Credentials),
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
    summary: 'Built-in channels, in the order in which they were connected',
    reply: Type.Object({ channels: Type.Array(Channel) }),
  },
  'POST /api/channels': {
    ...byOwner,
    summary: 'Connect a sender; its credentials are tried before anything is kept',
    body: NewChannel,
    reply: Channel,
    callsOut: true,
  },
  'GET /api/channels/:channelId': { guard: 'member', summary: 'One of them', params: path, reply: Channel },
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
} as const satisfies Record<string, AppRoute>
