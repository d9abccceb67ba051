import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText, optionalText, requiredText, visibleText } from '../text.ts'
import type { ApiRoute } from './route.ts'

export const broadcastStates = ['scheduled', 'preparing', 'running', 'paused', 'stopped', 'finished'] as const

/** `endpoint_failing`: what takes the messages fails, your address or the provider of a built-in channel. */
export const waitingReasons = [
  ...(['no_endpoint', 'endpoint_paused', 'endpoint_gone', 'endpoint_failing'] as const),
  ...(['channel_attention', 'channel_paused', 'channel_removed', 'restored_copy', 'no_credits'] as const),
] as const

/** `missed_start`: no server ran when it was to start, and for an hour after. */
export const haltedReasons = [...waitingReasons, 'missed_start'] as const

const { from, to } = limits.broadcast

export const NewBroadcast = Type.Object({
  listId: requiredText(limits.idCharacters, "The list's ID, as the app shows it."),
  customChannel: optionalText(limits.nameCharacters, 'Name of the custom channel; this or `channelId`.'),
  channelId: optionalText(
    limits.idCharacters,
    'The ID of a built-in channel, as the app shows it in its address; this or `customChannel`. It reaches who has written there and has not stopped it, and over a channel whose provider takes phone numbers also who has one.',
  ),
  body: visibleText(limits.bodyBytes, 'The text. `{{firstName}}` becomes the first name of each contact.'),
  name: optionalText(limits.nameCharacters, 'Name of the broadcast; that of the list if left out.'),
  campaignId: optionalText(limits.idCharacters, 'The campaign that answers go to.'),
  ratePerMinute: Type.Optional(
    Type.Integer({ minimum: from, maximum: to, description: 'Messages in a minute at most; 600 if left out.' }),
  ),
  idFrom: optionalText(
    limits.nameCharacters,
    'With `customChannel` only: `phone` or `email`: contacts on the list who have no id on your side get their phone number (E.164, with its plus) or their e-mail address (in lower case) as their id, for good, with their message. It is the `toId` of the event, and what you must send as `fromId` when they answer. If left out, they get no message.',
  ),
  startsAt: optionalText(
    limits.idCharacters,
    'When it starts: ISO 8601 with an offset, such as `2026-06-01T09:00:00+02:00`, at most a year ahead; at once if left out. The people are those who are on the list then. Where no server ran then it starts up to an hour late; later it is halted with `missed_start`.',
  ),
})
export type NewBroadcast = Static<typeof NewBroadcast>

/** An enum that may be null. */
function oneOfOrNull<const Values extends readonly string[]>(values: Values, description: string) {
  return Type.Unsafe<Values[number] | null>({ type: ['string', 'null'], enum: [...values, null], description })
}

const count = (description: string) => Type.Integer({ description })

/** `recipients` = `sent` + `failed` + `waiting` + all of `leftOut`. */
export const BroadcastCounts = Type.Object({
  recipients: count('All contacts of the list when it started. It grows while `state` is `preparing`.'),
  sent: count('Delivered to your address, or taken by the provider of the built-in channel.'),
  failed: count('Not delivered, and not tried again.'),
  waiting: count('Their turn has not come yet, or their message is being delivered.'),
  answered: count('Wrote within seven days after their message.'),
  leftOut: Type.Object({
    optedOut: count('Opted out before their turn.'),
    blocked: count('Have stopped the built-in channel at its provider before their turn.'),
    noId: count(
      'Have no id on your side: no message came from them yet, and `idFrom` was left out. Over a built-in channel: they are not known there, and have no phone number that it could reach.',
    ),
    noAddress: count('Have no id, and no phone number or e-mail address for `idFrom` to take.'),
    idTaken: count(
      'Have no id, and another contact has the one that `idFrom` would give them. Over a built-in channel: another contact is known there by their phone number.',
    ),
    erased: count('Were erased before their message was delivered.'),
    stopped: count('Had not got theirs when the broadcast was stopped.'),
  }),
})
export type BroadcastCounts = Static<typeof BroadcastCounts>

export const BroadcastCause = Type.Object({
  category: Type.String({ description: 'Why it failed, such as `http_error` or `timeout`.' }),
  httpStatus: Type.Unsafe<number | null>({ type: ['integer', 'null'], description: 'What your address answered.' }),
  count: count('How many.'),
})

export const Broadcast = Type.Object({
  id: Type.String({ description: 'Assigned by the service.' }),
  name: Type.String(),
  state: Type.Unsafe<(typeof broadcastStates)[number]>({
    type: 'string',
    enum: [...broadcastStates],
    description: '`scheduled`: until `startsAt`. `paused`: in the app, or by the service itself, see `haltedReason`.',
  }),
  waitingReason: oneOfOrNull(waitingReasons, 'Why nothing can be sent at the moment.'),
  haltedReason: oneOfOrNull(
    haltedReasons,
    'Why the service paused it: that had lasted for ten minutes, the channel was removed, or its start was missed.',
  ),
  listId: Type.String(),
  customChannel: nullableText({ description: 'Null only where `channelId` is set.' }),
  channelId: nullableText({ description: 'The built-in channel that it goes over.' }),
  campaignId: nullableText({}),
  body: Type.String(),
  ratePerMinute: Type.Integer(),
  idFrom: oneOfOrNull(['phone', 'email'], 'What became the id of contacts who had none.'),
  counts: BroadcastCounts,
  failures: Type.Array(BroadcastCause, { description: 'Why messages failed, the most frequent cause first.' }),
  createdAt: Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' }),
  startsAt: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When it was to start, if not at once.',
  }),
  endedAt: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When it was stopped or had finished.',
  }),
})
export type Broadcast = Static<typeof Broadcast>

export const BroadcastPath = Type.Object({ broadcastId: Type.String() })

export const broadcastRoutes = {
  'POST /v1/broadcasts': {
    guard: 'key',
    operationId: 'startBroadcast',
    tag: 'Broadcasts',
    summary: 'Send one message to every contact on a list',
    description:
      'It starts at once, or at `startsAt`. It goes over a custom channel or a built-in one: exactly one of `customChannel` and `channelId`. Left out, each with a count of its own: who has opted out, also before their turn comes; who has no id on your side (`noId`), because no message came from them and none was given, unless `idFrom` says what becomes their id; who has stopped the built-in channel (`blocked`); who was erased. `Idempotency-Key` makes it safe to repeat.',
    body: NewBroadcast,
    reply: Broadcast,
    statuses: [201],
  },
  'GET /v1/broadcasts/:broadcastId': {
    guard: 'key',
    operationId: 'showBroadcast',
    tag: 'Broadcasts',
    summary: 'State and results of a broadcast',
    description: '`counts` always add up: recipients = sent + failed + waiting + all that were left out.',
    params: BroadcastPath,
    reply: Broadcast,
  },
} as const satisfies Record<string, ApiRoute>
