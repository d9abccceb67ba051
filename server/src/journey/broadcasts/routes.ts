/** Entry of the broadcasts in the public API: start one, and see what becomes of it. */

import type { Broadcast as BroadcastAnswer, NewBroadcast as Given } from '@patchbay/contract/broadcasts.ts'
import { BroadcastPath, Broadcast as BroadcastSchema, NewBroadcast } from '@patchbay/contract/broadcasts.ts'
import { given } from '@patchbay/contract/text.ts'
import { type ApiCtx, callerOf } from '../../business/accounts/guard.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { retryOnLostConnection } from '../../platform/database/retry-on-lost-connection.ts'
import type { App } from '../../platform/http-app.ts'
import { withIdempotencyKey } from '../../platform/idempotency/idempotency.ts'
import { readIdempotencyKey } from '../../platform/idempotency/idempotency-key.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { notifyWorkers } from '../../platform/notify/notify.ts'
import { noBroadcast } from './control.ts'
import { type Broadcast, findBroadcast } from './record/store.ts'
import { countsOf, failuresOf } from './results/counts.ts'
import { startBroadcast } from './start.ts'

const byKey = { actor: { kind: 'key' }, address: null } as const

export function broadcastRoutes(app: App, { db, share, requireApiKey, hint }: ApiCtx & { hint: Hint }): void {
  app.post(
    '/broadcasts',
    {
      onRequest: requireApiKey,
      schema: {
        operationId: 'startBroadcast',
        tags: ['Broadcasts'],
        summary: 'Send one message to every contact on a list',
        description:
          'It starts at once. Left out, each with a count of its own: who has opted out, also before their turn comes; who has no id on your side (`noId`), because no message came from them and none was given, unless `idFrom` says what becomes their id; who was erased. `Idempotency-Key` makes it safe to repeat.',
        body: NewBroadcast,
        response: { 201: BroadcastSchema },
      },
    },
    async (request, reply) => {
      const { accountId } = callerOf(request)
      const idempotencyKey = readIdempotencyKey(request, 'broadcasts')
      const start = async (tx: Tx) => ({ status: 201, answer: await startByApi(tx, accountId, request.body) })
      const { answer } = await share(accountId, () =>
        idempotencyKey ? withIdempotencyKey(db, { accountId, idempotencyKey }, start) : db.transaction().execute(start),
      )
      await notifyWorkers(db, 'broadcasts').catch(() => {}) // they look by themselves, a second later
      hint(accountId, 'broadcasts')
      return reply.code(201).send(answer)
    },
  )

  app.get(
    '/broadcasts/:broadcastId',
    {
      onRequest: requireApiKey,
      schema: {
        operationId: 'showBroadcast',
        tags: ['Broadcasts'],
        summary: 'State and results of a broadcast',
        description: '`counts` always add up: recipients = sent + failed + waiting + all that were left out.',
        params: BroadcastPath,
        response: { 200: BroadcastSchema },
      },
    },
    async (request) => {
      const { accountId } = callerOf(request)
      const show = () => retryOnLostConnection(() => showToApi(db, accountId, request.params.broadcastId))
      return share(accountId, show)
    },
  )
}

async function startByApi(tx: Tx, accountId: AccountId, body: Given): Promise<BroadcastAnswer> {
  const { listId, customChannel: channel, name, campaignId, ratePerMinute, idFrom } = body
  const texts = { name: given(name), campaignId: given(campaignId), idFrom: given(idFrom), body: body.body }
  const fields = { listId, channel, ratePerMinute, ...texts }
  const id = await startBroadcast(tx, { accountId, userId: null, by: byKey }, fields)
  return showToApi(tx, accountId, id)
}

async function showToApi(db: Db, accountId: AccountId, id: string): Promise<BroadcastAnswer> {
  const found = isId('brc', id) ? await findBroadcast(db, { accountId, broadcastId: id }) : undefined
  if (!found) throw noBroadcast()
  return answerOf(found)
}

function answerOf(broadcast: Broadcast): BroadcastAnswer {
  const { id, name, state, waitingReason, haltedReason, listId, channel, campaignId, body, ratePerMinute, idFrom } =
    broadcast
  return {
    ...{
      id,
      name,
      state,
      waitingReason,
      haltedReason,
      listId,
      customChannel: channel,
      campaignId,
      body,
      ratePerMinute,
      idFrom,
    },
    counts: countsOf(broadcast),
    failures: failuresOf(broadcast),
    createdAt: broadcast.createdAt.toISOString(),
    endedAt: broadcast.endedAt?.toISOString() ?? null,
  }
}
