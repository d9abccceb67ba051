import type { Handlers } from '../../business/sessions/handlers.ts'
import { alertWebhook, messageWebhook, rechargeWebhook } from '../../outbox/receivers.ts'
import { type ReceiverCtx, receiverHandlers } from './receiver-handlers.ts'

type Routes = Extract<keyof Handlers, `${string} /api/webhook${string}`>
type AlertRoutes = Extract<keyof Handlers, `${string} /api/alerts/webhook${string}`>
type RechargeRoutes = Extract<keyof Handlers, `${string} /api/agency/webhook${string}`>

/** The receiver of an account's replies. */
export function webhookHandlers(ctx: ReceiverCtx): Pick<Handlers, Routes> {
  const receiver = receiverHandlers(ctx, messageWebhook)
  return {
    'GET /api/webhook': receiver.show,
    'PUT /api/webhook': receiver.save,
    'POST /api/webhook/test': receiver.test,
    'POST /api/webhook/try': receiver.tryNow,
    'POST /api/webhook/pause': receiver.pause,
    'POST /api/webhook/resume': receiver.resume,
    'POST /api/webhook/secret': receiver.secret,
    'POST /api/webhook/rotate': receiver.rotate,
    'DELETE /api/webhook/old-secret': receiver.endOldSecret,
  }
}

/** The receiver of an agency's recharge requests. */
export function rechargeWebhookHandlers(ctx: ReceiverCtx): Pick<Handlers, RechargeRoutes> {
  const receiver = receiverHandlers(ctx, rechargeWebhook)
  return {
    'GET /api/agency/webhook': receiver.show,
    'PUT /api/agency/webhook': receiver.save,
    'POST /api/agency/webhook/test': receiver.test,
    'POST /api/agency/webhook/try': receiver.tryNow,
    'POST /api/agency/webhook/pause': receiver.pause,
    'POST /api/agency/webhook/resume': receiver.resume,
    'POST /api/agency/webhook/secret': receiver.secret,
    'POST /api/agency/webhook/rotate': receiver.rotate,
    'DELETE /api/agency/webhook/old-secret': receiver.endOldSecret,
  }
}

/** The address that an account's alerts go to. */
export function alertWebhookHandlers(ctx: ReceiverCtx): Pick<Handlers, AlertRoutes> {
  const receiver = receiverHandlers(ctx, alertWebhook)
  return {
    'GET /api/alerts/webhook': receiver.show,
    'PUT /api/alerts/webhook': receiver.save,
    'POST /api/alerts/webhook/test': receiver.test,
    'POST /api/alerts/webhook/try': receiver.tryNow,
    'POST /api/alerts/webhook/pause': receiver.pause,
    'POST /api/alerts/webhook/resume': receiver.resume,
    'POST /api/alerts/webhook/secret': receiver.secret,
    'POST /api/alerts/webhook/rotate': receiver.rotate,
    'DELETE /api/alerts/webhook/old-secret': receiver.endOldSecret,
    'DELETE /api/alerts/webhook': receiver.remove,
  }
}
