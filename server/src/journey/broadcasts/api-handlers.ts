import type { Broadcast as BroadcastAnswer, NewBroadcast } from '@patchbay/contract/api/broadcasts.ts'
import { given } from '@patchbay/contract/text.ts'
import type { ApiHandlers } from '../../business/accounts/handlers.ts'
import { isChannelId } from '../../outbox/receivers.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import { withIdempotencyKey } from '../../platform/idempotency/idempotency.ts'
import { readIdempotencyKey } from '../../platform/idempotency/idempotency-key.ts'
import { type AccountId, isId } from '../../platform/ids.ts'
import type { Hint } from '../../platform/notify/hints.ts'
import { notifyWorkers } from '../../platform/notify/notify.ts'
import { noBroadcast } from './control.ts'
import { type Broadcast, findBroadcast } from './record/store.ts'
import { countsOf, failuresOf } from './results/outcomes.ts'
import { startBroadcast } from './start.ts'

type Ctx = Readonly<{ db: Db; hint: Hint }>
type Routes = 'POST /v1/broadcasts' | 'GET /v1/broadcasts/:broadcastId'

const byKey = { actor: { kind: 'key' }, address: null } as const

export function broadcastApiHandlers({ db, hint }: Ctx): Pick<ApiHandlers, Routes> {
  return {
    'POST /v1/broadcasts': async ({ caller: { accountId }, body, http }) => {
      const idempotencyKey = readIdempotencyKey(http, 'broadcasts')
      const start = async (tx: Tx) => ({ status: 201, answer: await startByApi(tx, accountId, body) })
      const { answer } = await (idempotencyKey
        ? withIdempotencyKey(db, { accountId, idempotencyKey }, start)
        : db.transaction().execute(start))
      await notifyWorkers(db, 'broadcasts').catch(() => {}) // they look by themselves, a second later
      hint(accountId, 'broadcasts')
      return answer
    },
    'GET /v1/broadcasts/:broadcastId': ({ caller, params }) => showToApi(db, caller.accountId, params.broadcastId),
  }
}

async function startByApi(tx: Tx, accountId: AccountId, body: NewBroadcast): Promise<BroadcastAnswer> {
  const { listId, name, campaignId, ratePerMinute, idFrom, channelId, startsAt } = body
  const label = { field: 'customChannel' as const, text: given(body.customChannel) }
  const texts = { name: given(name), campaignId: given(campaignId), idFrom: given(idFrom), body: body.body }
  const fields = { listId, label, channelId: given(channelId), startsAt: given(startsAt), ratePerMinute, ...texts }
  const id = await startBroadcast(tx, { accountId, userId: null, by: byKey }, fields)
  return showToApi(tx, accountId, id)
}

async function showToApi(db: Db, accountId: AccountId, id: string): Promise<BroadcastAnswer> {
  const found = isId('brc', id) ? await findBroadcast(db, { accountId, broadcastId: id }) : undefined
  if (!found) throw noBroadcast()
  return answerOf(found)
}

function answerOf(broadcast: Broadcast): BroadcastAnswer {
  const { id, name, state, waitingReason, haltedReason } = broadcast
  const { listId, channel, campaignId, body, ratePerMinute, idFrom } = broadcast
  const isBuiltIn = isChannelId(channel)
  return {
    id,
    name,
    state,
    waitingReason,
    haltedReason,
    listId,
    customChannel: isBuiltIn ? null : channel,
    channelId: isBuiltIn ? channel : null,
    campaignId,
    body,
    ratePerMinute,
    idFrom,
    counts: countsOf(broadcast),
    failures: failuresOf(broadcast),
    createdAt: broadcast.createdAt.toISOString(),
    startsAt: broadcast.startsAt?.toISOString() ?? null,
    endedAt: broadcast.endedAt?.toISOString() ?? null,
  }
}
