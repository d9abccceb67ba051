import type { Handlers } from '../../../business/sessions/handlers.ts'
import type { Session } from '../../../business/sessions/session-store.ts'
import type { Receiver } from '../../../outbox/receivers.ts'
import { requireChannel } from '../../channels/show.ts'
import type { LogCtx } from './app-handlers.ts'
import { listDeliveries } from './list-deliveries.ts'
import { showChannelDelivery } from './show-delivery.ts'

type Routes = Extract<keyof Handlers, `${string} /api/channels/:channelId/deliveries${string}`>

/** The log of what goes over a channel. */
export function channelLogHandlers(ctx: Pick<LogCtx, 'db' | 'maxAttempts'>): Pick<Handlers, Routes> {
  const { db, maxAttempts } = ctx
  const receiverOf = async ({ accountId }: Session, channelId: string): Promise<Receiver> => ({
    accountId,
    receiverId: (await requireChannel(db, accountId, channelId)).id,
  })
  return {
    'GET /api/channels/:channelId/deliveries': async ({ session, params, query }) =>
      listDeliveries(db, { receiver: await receiverOf(session, params.channelId), maxAttempts }, query),
    'GET /api/channels/:channelId/deliveries/:id': async ({ session, params }) =>
      showChannelDelivery(ctx, await requireChannel(db, session.accountId, params.channelId), params.id),
  }
}
