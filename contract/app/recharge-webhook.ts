import type { Static } from 'typebox'
import { Type } from '../schema.ts'
import { Cursor, CursorQuery, LimitQuery, oneOf } from './fields.ts'
import { receiverRoutes, SavedWebhook } from './receivers.ts'
import type { AppRoute } from './route.ts'
import { DeliveryPath, deliveryFilters, deliveryState, postDetail } from './webhook.ts'

/** A request that was posted, or is to be posted, to the agency's server. */
export const RechargeDelivery = Type.Object({
  id: Type.String(),
  accountId: Type.String(),
  /** Of the sub-account, as it was then. */
  email: Type.String(),
  /** What it had left, and the credits that were asked for. */
  balance: Type.Number(),
  amount: Type.Number(),
  ...deliveryState,
})
export type RechargeDelivery = Static<typeof RechargeDelivery>

export const RechargeDeliveryDetail = Type.Object({ delivery: RechargeDelivery, ...postDetail })
export type RechargeDeliveryDetail = Static<typeof RechargeDeliveryDetail>

export const rechargeWebhookRoutes = {
  'GET /api/agency/webhook': { guard: 'agency', summary: 'The receiver of recharge requests', reply: SavedWebhook },
  ...receiverRoutes('/api/agency/webhook', 'agency'),
  'GET /api/agency/deliveries': {
    guard: 'agency',
    summary: 'Recharge requests, newest first',
    query: Type.Object({ filter: Type.Optional(oneOf(...deliveryFilters)), before: CursorQuery, limit: LimitQuery }),
    reply: Type.Object({ deliveries: Type.Array(RechargeDelivery), next: Cursor }),
  },
  'GET /api/agency/deliveries/:id': {
    guard: 'agency',
    summary: 'One recharge request',
    params: DeliveryPath,
    reply: RechargeDeliveryDetail,
  },
  'POST /api/agency/deliveries/:id/resend': {
    guard: 'agency',
    summary: 'Send again',
    params: DeliveryPath,
    reply: RechargeDeliveryDetail,
    callsOut: true,
  },
} as const satisfies Record<string, AppRoute>
