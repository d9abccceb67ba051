import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { behaviours } from '../simulated-receiver.ts'
import { nullableText, optionalText, requiredText, visibleText } from '../text.ts'
import { Done, Id, oneOf, orNull, Time } from './fields.ts'
import { Channel, DeliveryFault } from './messages.ts'
import type { AppRoute } from './route.ts'

export const SimulatorState = Type.Object({
  contacts: Type.Array(
    Type.Object({ contactId: Type.String(), name: Type.String(), channel: Channel, createdAt: Time }),
  ),
  behaviour: oneOf(...behaviours),
  /** For so many posts, then `ok`; null: until it is changed. */
  left: orNull(Type.Integer()),
})
export type SimulatorState = Static<typeof SimulatorState>

export const NewSimulated = Type.Object({
  firstName: requiredText(limits.nameCharacters, 'First name.'),
  channel: optionalText(limits.nameCharacters, 'Label of the channel; `Simulator` if left out.'),
})
export const Simulated = Type.Object({ contactId: Type.String() })

export const SimulatedMessage = Type.Object({
  body: visibleText(limits.bodyBytes, 'The text.'),
  /** Posts it twice, as a platform does that lost our answer. */
  twice: Type.Optional(Type.Boolean()),
  kind: Type.Optional(oneOf('text', 'reaction')),
})
export const SimulatedKept = Type.Object({ messageId: Type.String(), copies: Type.Integer() })

export const NewBehaviour = Type.Object({
  behaviour: oneOf(...behaviours),
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
})

export const SimulatorPath = Type.Object({ contactId: Id })

/** What went through the simulated platform, newest first. */
export const SimulatorEvent = Type.Object({
  id: Type.String(),
  at: Time,
  kind: oneOf('incoming', 'incoming again', 'decision', 'reply'),
  messageId: nullableText({}),
  /** The sentence of a decision, or the status that was answered. */
  outcome: Type.String(),
  durationMs: orNull(Type.Integer()),
  /** Of a post to the receiver: as it was sent. */
  post: orNull(
    Type.Object({
      headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
      body: Type.String(),
      fault: orNull(DeliveryFault),
      isSignatureValid: Type.Boolean(),
    }),
  ),
})
export type SimulatorEvent = Static<typeof SimulatorEvent>
export const SimulatorEvents = Type.Object({ events: Type.Array(SimulatorEvent) })

export const simulatorRoutes = {
  'GET /api/simulator': { guard: 'member', summary: 'The simulated platform', reply: SimulatorState },
  'POST /api/simulator/contacts': {
    guard: 'member',
    summary: 'Make a simulated contact',
    body: NewSimulated,
    reply: Simulated,
  },
  'POST /api/simulator/contacts/:contactId/messages': {
    guard: 'member',
    summary: 'Write as a simulated contact',
    params: SimulatorPath,
    body: SimulatedMessage,
    reply: SimulatedKept,
  },
  'GET /api/simulator/contacts/:contactId/events': {
    guard: 'member',
    summary: 'What went through the simulated platform',
    params: SimulatorPath,
    reply: SimulatorEvents,
  },
  'PUT /api/simulator/behaviour': {
    guard: 'member',
    summary: 'How the simulated receiver behaves',
    body: NewBehaviour,
    reply: SimulatorState,
  },
  'DELETE /api/simulator': {
    guard: 'owner',
    notVisiting: true,
    summary: 'Erase all simulated contacts',
    reply: Done,
  },
} as const satisfies Record<string, AppRoute>
