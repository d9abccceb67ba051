import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { nullableText, optionalText, requiredText, visibleText } from '../text.ts'
import type { ApiRoute } from './route.ts'

export const broadcastStates = ['preparing', 'running', 'paused', 'stopped', 'finished'] as const
export const waitingReasons = ['no_endpoint', 'endpoint_paused', 'endpoint_gone', 'endpoint_failing'] as const

const { from, to } = limits.broadcast

export const NewBroadcast = Type.Object({
  listId: requiredText(limits.idCharacters, "The list's ID, as the app shows it."),
  customChannel: requiredText(limits.nameCharacters, 'Name of the custom channel.'),
  body: visibleText(limits.bodyBytes, 'The text. `{{firstName}}` becomes the first name of each contact.'),
  name: optionalText(limits.nameCharacters, 'Name of the broadcast; that of the list if left out.'),
  campaignId: optionalText(limits.idCharacters, 'The campaign that answers go to.'),
  ratePerMinute: Type.Optional(
    Type.Integer({ minimum: from, maximum: to, description: 'Messages in a minute at most; 600 if left out.' }),
  ),
  idFrom: optionalText(
    limits.nameCharacters,
    '`phone` or `email`: contacts on the list who have no id on your side get their phone number (E.164, with its plus) or their e-mail address (in lower case) as their id, for good, with their message. It is the `toId` of the event, and what you must send as `fromId` when they answer. If left out, they get no message.',
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
  sent: count('Delivered to your address.'),
  failed: count('Not delivered, and not tried again.'),
  waiting: count('Their turn has not come yet, or their message is being delivered.'),
  answered: count('Wrote within seven days after their message.'),
  leftOut: Type.Object({
    optedOut: count('Opted out before their turn.'),
    noId: count('Have no id on your side: no message came from them yet, and `idFrom` was left out.'),
    noAddress: count('Have no id, and no phone number or e-mail address for `idFrom` to take.'),
    idTaken: count('Have no id, and another contact has the one that `idFrom` would give them.'),
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
    description: '`paused`: in the app, or by the service itself, see `haltedReason`.',
  }),
  waitingReason: oneOfOrNull(waitingReasons, 'Why your address can be sent nothing at the moment.'),
  haltedReason: oneOfOrNull(waitingReasons, 'Why the service paused it: that had lasted for ten minutes.'),
  listId: Type.String(),
  customChannel: Type.String(),
  campaignId: nullableText({}),
  body: Type.String(),
  ratePerMinute: Type.Integer(),
  idFrom: oneOfOrNull(['phone', 'email'], 'What became the id of contacts who had none.'),
  counts: BroadcastCounts,
  failures: Type.Array(BroadcastCause, { description: 'Why messages failed, the most frequent cause first.' }),
  createdAt: Type.String({ format: 'date-time', description: 'ISO 8601, UTC.' }),
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
      'It starts at once. Left out, each with a count of its own: who has opted out, also before their turn comes; who has no id on your side (`noId`), because no message came from them and none was given, unless `idFrom` says what becomes their id; who was erased. `Idempotency-Key` makes it safe to repeat.',
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
