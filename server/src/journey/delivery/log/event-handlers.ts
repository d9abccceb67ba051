import type { RechargeEvent } from '@patchbay/contract/api/credits.ts'
import type { AlertDelivery } from '@patchbay/contract/app/alerts.ts'
import type { RechargeDelivery } from '@patchbay/contract/app/recharge-webhook.ts'
import type { deliveryFilters } from '@patchbay/contract/app/webhook.ts'
import type { Handlers, Sendable } from '../../../business/sessions/handlers.ts'
import type { Session } from '../../../business/sessions/session-store.ts'
import { alertWebhook, type Receiver, rechargeWebhook } from '../../../outbox/receivers.ts'
import type { Db } from '../../../platform/database/db.ts'
import { type EventId, isId } from '../../../platform/ids.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { resendOne } from '../resend/resend.ts'
import type { LogCtx } from './app-handlers.ts'
import { type EventRow, listEvents } from './event-store.ts'
import { showPost } from './show-delivery.ts'

type AlertRoutes = Extract<keyof Handlers, `${string} /api/alerts/deliveries${string}`>
type RechargeRoutes = Extract<keyof Handlers, `${string} /api/agency/deliveries${string}`>

/** The log of an account's alerts. */
export function alertLogHandlers(ctx: LogCtx): Pick<Handlers, AlertRoutes> {
  const log = eventLog(ctx, { receiverId: alertWebhook, missing: 'There is no alert', shown: shownAlert })
  return {
    'GET /api/alerts/deliveries': log.list,
    'GET /api/alerts/deliveries/:id': log.show,
    'POST /api/alerts/deliveries/:id/resend': log.resend,
  }
}

/** The log of an agency's recharge requests on their way to its server. */
export function rechargeLogHandlers(ctx: LogCtx): Pick<Handlers, RechargeRoutes> {
  const log = eventLog(ctx, {
    receiverId: rechargeWebhook,
    missing: 'There is no recharge request',
    shown: shownRecharge,
  })
  return {
    'GET /api/agency/deliveries': log.list,
    'GET /api/agency/deliveries/:id': log.show,
    'POST /api/agency/deliveries/:id/resend': log.resend,
  }
}

/** Every alert has a text. When it was made is in its id: some tools take nothing but the text. */
function shownAlert({ payload, ...row }: EventRow): Omit<Sendable<AlertDelivery>, 'maxAttempts'> {
  const { text } = JSON.parse(payload) as { text: string } // as `alertBody` wrote it
  const createdAt = new Date(Number.parseInt(row.id.slice('evt_'.length, 'evt_'.length + 12), 16))
  return { ...row, text, createdAt }
}

function shownRecharge({ payload, ...row }: EventRow): Omit<Sendable<RechargeDelivery>, 'maxAttempts'> {
  const event = JSON.parse(payload) as RechargeEvent // as the ledger wrote it
  const { sub_account_id: accountId, email, balance, amount, created_at: createdAt } = event
  return { ...row, accountId, email, balance, amount, createdAt }
}

type EventLog<Shown> = { receiverId: Receiver['receiverId']; missing: string; shown: (row: EventRow) => Shown }

/** What the app can do with the events of one receiver that are no messages. */
function eventLog<Shown>(ctx: LogCtx, { receiverId, missing, shown }: EventLog<Shown>) {
  const { db, dispatcher, maxAttempts } = ctx
  const receiverOf = ({ accountId }: Session): Receiver => ({ accountId, receiverId })

  async function show({ session, params: { id } }: { session: Session; params: { id: string } }) {
    const receiver = receiverOf(session)
    const [row] = isId('evt', id) ? await listEvents(db, receiver, { id, limit: 1 }) : []
    if (!row) throw new Refusal('NOT_FOUND', `${missing} ${id}.`)
    return { delivery: { ...shown(row), maxAttempts }, ...(await showPost(ctx, receiver, row.id)) }
  }

  return {
    list: async ({ session, query }: { session: Session; query: PageQuery }) => {
      const { rows, next } = await pageOfEvents(db, receiverOf(session), query)
      return { deliveries: rows.map((row) => ({ ...shown(row), maxAttempts })), next }
    },
    show,
    resend: async (request: Parameters<typeof show>[0]) => {
      await show(request)
      await resendOne(db, request.session.accountId, request.params.id)
      dispatcher.wake(receiverOf(request.session))
      return show(request)
    },
  }
}

const usualLimit = 50
const statusOf = { all: undefined, failed: 'Failed', waiting: 'Waiting', sent: 'Sent' } as const

type PageQuery = { filter?: (typeof deliveryFilters)[number]; before?: string; limit?: string }

/** A page of events that are no messages, newest first. */
async function pageOfEvents(
  db: Db,
  receiver: Receiver,
  { filter = 'all', before, limit: given }: PageQuery,
): Promise<{ rows: EventRow[]; next: EventId | null }> {
  if (before !== undefined && !isId('evt', before)) {
    throw new Refusal('INVALID_REQUEST', 'before must be the next of a page.')
  }
  const limit = Number(given ?? usualLimit)
  const rows = await listEvents(db, receiver, { status: statusOf[filter], before, limit: limit + 1 })
  const page = rows.slice(0, limit)
  return { rows: page, next: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
}
