import { hash } from 'node:crypto'
import type { Reach } from '@patchbay/contract/app/broadcasts.ts'
import { given } from '@patchbay/contract/text.ts'
import type { Handlers } from '../../business/sessions/handlers.ts'
import { noList } from '../../people/lists/add-contact.ts'
import { hasList } from '../../people/lists/store.ts'
import type { Db } from '../../platform/database/db.ts'
import { withIdempotencyKey } from '../../platform/idempotency/idempotency.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import { notifyWorkers } from '../../platform/notify/notify.ts'
import { pauseBroadcast, resumeBroadcast, stopBroadcast } from './control.ts'
import { previewBroadcast, showChannelReach } from './preview.ts'
import { countReach } from './preview-store.ts'
import { changeBroadcast } from './reschedule.ts'
import { showBroadcast, showBroadcasts, showRecipients } from './show.ts'
import { startBroadcast } from './start.ts'

type Routes =
  | `GET /api/broadcasts${'' | '/:broadcastId' | '/:broadcastId/recipients'}`
  | `GET /api/lists/:listId/reach${'' | '/:channelId'}`
  | 'PATCH /api/broadcasts/:broadcastId'
  | `POST /api/broadcasts${'' | '/preview' | '/:broadcastId/pause' | '/:broadcastId/resume' | '/:broadcastId/stop'}`

export function broadcastHandlers({ db }: { db: Db }): Pick<Handlers, Routes> {
  const after = async (accountId: AccountId, id: string) => {
    await notifyWorkers(db, 'broadcasts').catch(() => {}) // they look by themselves, a second later
    return showBroadcast(db, accountId, id)
  }
  return {
    'GET /api/broadcasts': ({ session, query }) => showBroadcasts(db, session.accountId, query),
    'GET /api/lists/:listId/reach': ({ session, params }) => showReach(db, session.accountId, params.listId),
    'GET /api/broadcasts/:broadcastId': ({ session, params }) =>
      showBroadcast(db, session.accountId, params.broadcastId),
    'GET /api/broadcasts/:broadcastId/recipients': ({ session: { accountId }, params: { broadcastId }, query }) =>
      showRecipients(db, { accountId, broadcastId }, query),
    'GET /api/lists/:listId/reach/:channelId': ({ session, params }) => showChannelReach(db, session.accountId, params),
    'POST /api/broadcasts/preview': ({ session, body }) => previewBroadcast(db, session.accountId, labelled(body)),
    'POST /api/broadcasts': async ({ session: { accountId, userId }, body: { clientId, ...body }, by }) => {
      const idempotencyKey = keyOf(userId, clientId, body)
      const fields = { ...labelled(body), name: given(body.name) }
      const { answer } = await withIdempotencyKey(db, { accountId, idempotencyKey }, async (tx) => ({
        status: 200,
        answer: { id: await startBroadcast(tx, { accountId, userId, by }, fields) },
      }))
      return after(accountId, answer.id)
    },
    'PATCH /api/broadcasts/:broadcastId': async ({ session: { accountId }, params: { broadcastId }, body, by }) => {
      await changeBroadcast(db, { accountId, broadcastId }, { given: body, by })
      return after(accountId, broadcastId)
    },
    'POST /api/broadcasts/:broadcastId/pause': async ({ session: { accountId }, params: { broadcastId }, by }) => {
      await pauseBroadcast(db, { accountId, broadcastId }, by)
      return after(accountId, broadcastId)
    },
    'POST /api/broadcasts/:broadcastId/resume': async ({ session: { accountId }, params: { broadcastId }, by }) => {
      await resumeBroadcast(db, { accountId, broadcastId }, by)
      return after(accountId, broadcastId)
    },
    'POST /api/broadcasts/:broadcastId/stop': async ({ session: { accountId }, params: { broadcastId }, by }) => {
      await stopBroadcast(db, { accountId, broadcastId }, by)
      return after(accountId, broadcastId)
    },
  }
}

/** A user's browser makes `clientId` once for each broadcast, and sends it again when it has got no answer. */
function keyOf(userId: string, clientId: string, body: object) {
  const bodyHash = hash('sha256', JSON.stringify(body), 'buffer')
  return { endpoint: 'POST /api/broadcasts', key: `${userId} ${clientId}`, bodyHash }
}

/** As the app calls the label of a custom channel. */
function labelled<Body extends { channel?: string | null | undefined }>({ channel, ...body }: Body) {
  return { ...body, label: { field: 'channel' as const, text: given(channel) } }
}

/** How many of a list can be written to, and how. */
async function showReach(db: Db, accountId: AccountId, listId: string): Promise<Reach> {
  if (!isId('lst', listId) || !(await hasList(db, { accountId, listId }))) throw noList()
  return countReach(db, { accountId, listId })
}
