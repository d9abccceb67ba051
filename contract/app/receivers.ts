import type { Static } from 'typebox'
import { limits } from '../limits.ts'
import { Type } from '../schema.ts'
import { requiredText } from '../text.ts'
import { PasswordAgain } from './account.ts'
import { oneOf, orNull, Time } from './fields.ts'
import { DeliveryFault } from './messages.ts'
import type { AppGuard, AppRoute } from './route.ts'

/** The result of a test post, and of the one with a wrong signature that follows it. */
export const TestResult = Type.Object({
  at: Time,
  status: oneOf('Sent', 'Failed'),
  fault: orNull(DeliveryFault),
  durationMs: Type.Integer(),
  /** Whether the wrong signature was refused; null when that post got no answer. */
  checksSignature: orNull(Type.Boolean()),
})
export type TestResult = Static<typeof TestResult>

const Webhook = Type.Object({
  url: Type.String(),
  state: oneOf('working', 'failing', 'paused', 'gone'),
  failuresInRow: Type.Integer(),
  failingSince: orNull(Time),
  lastSuccessAt: orNull(Time),
  /** While the circuit breaker is open: when the next attempt is made. */
  probeAt: orNull(Time),
  /** The old secret signs too until then. */
  oldSecretUntil: orNull(Time),
  /** Replies that are to be delivered, and those that failed and are not tried again by themselves; up to 10,000. */
  owed: Type.Integer(),
  undelivered: Type.Integer(),
  lastFault: orNull(DeliveryFault),
  /** The last attempts, oldest first, at most 60. */
  attempts: Type.Array(Type.Object({ at: Time, ok: Type.Boolean() })),
  lastTest: orNull(TestResult),
})
export type Webhook = Static<typeof Webhook>

/** Null while no address is saved. */
export const SavedWebhook = Type.Object({ webhook: orNull(Webhook), undelivered: Type.Integer() })
const WebhookUrl = Type.Object({ url: requiredText(limits.urlCharacters, 'Address of your server.') })
const Secret = Type.Object({ secret: Type.String() })
const Rotation = Type.Object({ leaked: Type.Boolean() })

/** By what follows the path of the receiver. */
const routes = {
  'PUT ': { summary: 'Save the address', body: WebhookUrl, reply: SavedWebhook, callsOut: true }, // its name is looked up
  'POST /test': { summary: 'Send a test post', reply: TestResult, callsOut: true },
  'POST /try': { summary: 'Try the receiver now', reply: SavedWebhook, callsOut: true },
  'POST /pause': { summary: 'Pause deliveries', reply: SavedWebhook },
  'POST /resume': { summary: 'Resume deliveries', reply: SavedWebhook },
  'POST /secret': { notVisiting: true, summary: 'Show the secret', body: PasswordAgain, reply: Secret },
  'POST /rotate': { notVisiting: true, summary: 'Make a new secret', body: Rotation, reply: Secret },
  'DELETE /old-secret': { notVisiting: true, summary: 'Let the old secret sign no longer', reply: SavedWebhook },
} as const satisfies Record<string, Omit<AppRoute, 'guard'>>

type Routes = typeof routes
type ReceiverRoutes<Path extends string, Guard> = {
  [Key in keyof Routes as Key extends `${infer Method} ${infer Rest}` ? `${Method} ${Path}${Rest}` : never]: {
    guard: Guard
  } & Routes[Key]
}

/** What can be done with a receiver of posts, below its path. */
export function receiverRoutes<Path extends string, Guard extends AppGuard>(path: Path, guard: Guard) {
  const named = Object.entries(routes).map(([key, route]) => [key.replace(' ', ` ${path}`), { guard, ...route }])
  return Object.fromEntries(named) as ReceiverRoutes<Path, Guard>
}
