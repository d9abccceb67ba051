import type { Static } from 'typebox'
import { alertConditions } from '../alerts.ts'
import { Type } from '../schema.ts'
import { nullableText } from '../text.ts'
import { Cursor, CursorQuery, Done, LimitQuery, oneOf, orNull, Time } from './fields.ts'
import { receiverRoutes, SavedWebhook } from './receivers.ts'
import type { AppRoute } from './route.ts'
import { DeliveryPath, deliveryFilters, deliveryState, postDetail } from './webhook.ts'

/** What is sent to the alert address. */
export const AlertSettings = Type.Object({
  conditions: Type.Array(oneOf(...alertConditions), { uniqueItems: true }),
  namesContacts: Type.Boolean(),
  /** In credits; null: the agency's threshold for recharges, or that nothing is left. */
  creditsBelow: orNull(Type.Number()),
})
export type AlertSettings = Static<typeof AlertSettings>

const SaveSettings = Type.Object({
  conditions: AlertSettings.properties.conditions,
  namesContacts: Type.Boolean(),
  /** As it was typed; empty: none of its own. */
  creditsBelow: Type.String({ maxLength: 20 }),
})

/** An alert that was posted, or is to be posted. */
export const AlertDelivery = Type.Object({ id: Type.String(), text: Type.String(), ...deliveryState })
export type AlertDelivery = Static<typeof AlertDelivery>
export const AlertDeliveryDetail = Type.Object({ delivery: AlertDelivery, ...postDetail })
export type AlertDeliveryDetail = Static<typeof AlertDeliveryDetail>

/** Something that is the case now. `key` is another one the next time it begins. */
const Trouble = Type.Object({
  condition: oneOf('receiver', 'bot', 'credits', 'broadcast', 'channel'),
  key: Type.String(),
  subject: Type.String(),
  /** Of a bot, a broadcast or a channel. */
  name: nullableText({}),
})

/** What a browser says by itself. */
export const AlertState = Type.Object({
  /** Those that began to wait last, the latest first, at most 50. */
  waiting: Type.Array(Type.Object({ contactId: Type.String(), name: nullableText({}), since: Time })),
  troubles: Type.Array(Trouble),
})
export type AlertState = Static<typeof AlertState>

export const alertRoutes = {
  'GET /api/alerts/state': { guard: 'member', summary: 'What somebody should know now', reply: AlertState },
  'GET /api/alerts/settings': { guard: 'owner', summary: 'What is sent to the alert address', reply: AlertSettings },
  'PUT /api/alerts/settings': {
    guard: 'owner',
    summary: 'Choose what is sent to the alert address',
    body: SaveSettings,
    reply: AlertSettings,
  },
  'GET /api/alerts/webhook': { guard: 'owner', summary: 'The alert address', reply: SavedWebhook },
  ...receiverRoutes('/api/alerts/webhook', 'owner'),
  'DELETE /api/alerts/webhook': { guard: 'owner', summary: 'Remove the alert address', reply: Done },
  'GET /api/alerts/deliveries': {
    guard: 'owner',
    summary: 'Alerts, newest first',
    query: Type.Object({ filter: Type.Optional(oneOf(...deliveryFilters)), before: CursorQuery, limit: LimitQuery }),
    reply: Type.Object({ deliveries: Type.Array(AlertDelivery), next: Cursor }),
  },
  'GET /api/alerts/deliveries/:id': {
    guard: 'owner',
    summary: 'One alert',
    params: DeliveryPath,
    reply: AlertDeliveryDetail,
  },
  'POST /api/alerts/deliveries/:id/resend': {
    guard: 'owner',
    summary: 'Send again',
    params: DeliveryPath,
    reply: AlertDeliveryDetail,
    callsOut: true,
  },
} as const satisfies Record<string, AppRoute>
