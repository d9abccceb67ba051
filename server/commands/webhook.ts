import { findAccount, findOwnerId } from '../src/business/accounts/store.ts'
import { countUndelivered } from '../src/journey/delivery/claim/store.ts'
import { resendFailed, resendOne } from '../src/journey/delivery/resend/resend.ts'
import { testWebhook } from '../src/journey/delivery/transports/webhook/test-webhook.ts'
import {
  pauseReceiver,
  removeWebhook,
  rotateSecret,
  setWebhook,
  showWebhooks,
} from '../src/journey/delivery/transports/webhook/webhooks.ts'
import { alertWebhook, messageWebhook, type Receiver, rechargeWebhook } from '../src/outbox/receivers.ts'
import type { Db } from '../src/platform/database/db.ts'
import { notifyWorkers } from '../src/platform/notify/notify.ts'
import { OperatorError } from '../src/platform/operator-error.ts'
import type { Run } from './declarations.ts'
import type { CommandCtx } from './shared/command.ts'
import { withSecrets } from './shared/with-secrets.ts'

export const webhookSet: Run<'webhook set'> = (ctx, { account, url, kind }) =>
  withSecrets(ctx, async (secretsCtx) => {
    const receiver = await readReceiver(secretsCtx.db, account, kind)
    const saved = await setWebhook(secretsCtx, receiver, { url })
    await notifyWorkers(secretsCtx.db, 'delivery')
    return { ...saved, failed: await countUndelivered(secretsCtx.db, receiver) }
  })

export const webhookShow: Run<'webhook show'> = (ctx, { account }) =>
  withSecrets(
    ctx,
    async (secretsCtx) => {
      const { id } = await findAccount(secretsCtx.db, account)
      const webhooks = await showWebhooks(secretsCtx, id)
      return { webhooks: webhooks.map(({ receiverId, ...webhook }) => ({ kind: receiverId, ...webhook })) }
    },
    callsNobody,
  )

export const webhookTest: Run<'webhook test'> = (ctx, { account, kind }) =>
  withSecrets(ctx, async (secretsCtx) => {
    const receiver = await readReceiver(secretsCtx.db, account, kind)
    const userId = await findOwnerId(secretsCtx.db, receiver.accountId)
    return testWebhook({ ...secretsCtx, now: Date.now }, receiver, userId)
  })

export const webhookRotate: Run<'webhook rotate'> = (ctx, { account, kind, leaked }) =>
  withSecrets(
    ctx,
    async (secretsCtx) => {
      const receiver = await readReceiver(secretsCtx.db, account, kind)
      return { secret: await rotateSecret(secretsCtx, receiver, { isLeaked: leaked }) }
    },
    callsNobody,
  )

const callsNobody = { callsOut: false }

export const webhookPause: Run<'webhook pause'> = (ctx, { account, kind }) =>
  switchPause(ctx, { account, kind, isPaused: true })

export const webhookResume: Run<'webhook resume'> = (ctx, { account, kind }) =>
  switchPause(ctx, { account, kind, isPaused: false })

export const webhookRemove: Run<'webhook remove'> = ({ withDatabase }, { account, kind }) =>
  withDatabase(async (db) => {
    await removeWebhook(db, await readReceiver(db, account, kind))
    return { removed: true }
  })

export const resend: Run<'resend'> = ({ withDatabase }, { account, message, since, failed }) =>
  withDatabase(async (db) => {
    const { id } = await findAccount(db, account)
    if ((message === undefined) !== failed || failed !== (since !== undefined)) {
      throw new OperatorError('Give either --message, or --failed with --since.')
    }
    const resent = message === undefined ? await resendFailed(db, id, since ?? '') : 1
    if (message !== undefined) await resendOne(db, id, message)
    await notifyWorkers(db, 'delivery')
    return { resent }
  })

function switchPause(
  { withDatabase }: CommandCtx,
  { account, kind, isPaused }: { account: string; kind: string | undefined; isPaused: boolean },
): Promise<{ paused: boolean }> {
  return withDatabase(async (db) => {
    await pauseReceiver(db, await readReceiver(db, account, kind), { isPaused })
    await notifyWorkers(db, 'delivery')
    return { paused: isPaused }
  })
}

async function readReceiver(db: Db, account: string, kind: string = messageWebhook): Promise<Receiver> {
  if (kind !== messageWebhook && kind !== rechargeWebhook && kind !== alertWebhook) {
    throw new OperatorError('--kind must be reply, recharge or alert.')
  }
  return { accountId: (await findAccount(db, account)).id, receiverId: kind }
}
