import type { TestResult } from '@patchbay/contract/app/receivers.ts'
import { findOwnerId } from '../../business/accounts/store.ts'
import { type By, noteAct } from '../../business/audit/store.ts'
import type { Sendable } from '../../business/sessions/handlers.ts'
import { requirePassword } from '../../business/sessions/require-password.ts'
import type { Session } from '../../business/sessions/session-store.ts'
import type { SignInThrottle } from '../../business/sessions/throttle/sign-in-throttle.ts'
import type { Dispatcher } from '../../outbox/dispatcher.ts'
import { messageWebhook, type Receiver } from '../../outbox/receivers.ts'
import { Refusal } from '../../platform/refusal.ts'
import { findHealth, keepTest } from './receivers/health-store.ts'
import { showWebhook, tryNow } from './receivers/show-webhook.ts'
import { testWebhook } from './transports/webhook/test-webhook.ts'
import {
  endOldSecret,
  pauseReceiver,
  removeWebhook,
  requireWebhook,
  rotateSecret,
  setWebhook,
  type WebhookCtx,
} from './transports/webhook/webhooks.ts'

export type ReceiverCtx = WebhookCtx & Readonly<{ dispatcher: Pick<Dispatcher, 'wake'>; throttle: SignInThrottle }>

type ReceiverRequest = { session: Session; by: By & { address: string } }
type RequestWith<Body> = ReceiverRequest & { body: Body }

/** What the app can do with one receiver of an account: that of its replies, of its recharge requests, or of its alerts. */
export function receiverHandlers(ctx: ReceiverCtx, receiverId: Receiver['receiverId']) {
  const { db, dispatcher } = ctx
  const receiverOf = ({ accountId }: Session): Receiver => ({ accountId, receiverId })

  async function change(session: Session, work: (receiver: Receiver) => Promise<unknown>) {
    const receiver = receiverOf(session)
    await work(receiver)
    dispatcher.wake(receiver)
    return showWebhook(db, receiver)
  }

  /** The commands of the operator have a sentence of their own, which names a command. */
  async function requireSaved(session: Session): Promise<Receiver> {
    const receiver = receiverOf(session)
    if (!(await findHealth(db, receiver))) throw new Refusal('NOT_FOUND', 'No address is saved yet.')
    return receiver
  }

  const changeSaved = (session: Session, work: (receiver: Receiver) => Promise<unknown>) =>
    change(session, async () => work(await requireSaved(session)))

  return {
    show: ({ session }: ReceiverRequest) => showWebhook(db, receiverOf(session)),
    save: ({ session, body, by }: RequestWith<{ url: string }>) =>
      change(session, (receiver) => setWebhook(ctx, receiver, { url: body.url, by })),
    test: async ({ session }: ReceiverRequest) => testReceiver(ctx, await requireSaved(session)),
    tryNow: ({ session }: ReceiverRequest) => change(session, (receiver) => tryNow(db, receiver)),
    pause: ({ session, by }: ReceiverRequest) =>
      changeSaved(session, (receiver) => pauseReceiver(db, receiver, { isPaused: true, by })),
    resume: ({ session, by }: ReceiverRequest) =>
      changeSaved(session, (receiver) => pauseReceiver(db, receiver, { isPaused: false, by })),
    secret: async ({ session, body, by }: RequestWith<{ password: string }>) => {
      await requirePassword(ctx, session, { password: body.password, address: by.address })
      const { secrets } = await requireWebhook(ctx, await requireSaved(session))
      await noteAct(db, session.accountId, {
        act: 'secret shown',
        ...by,
        ...(receiverId !== messageWebhook && { details: { kind: receiverId } }),
      })
      return { secret: secrets[0] ?? '' }
    },
    rotate: async ({ session, body, by }: RequestWith<{ leaked: boolean }>) => {
      const receiver = await requireSaved(session)
      return { secret: await rotateSecret(ctx, receiver, { isLeaked: body.leaked, by }) }
    },
    remove: async ({ session, by }: ReceiverRequest) => {
      await removeWebhook(db, await requireSaved(session), by)
      return { done: true as const }
    },
    endOldSecret: ({ session, by }: ReceiverRequest) =>
      changeSaved(session, (receiver) => endOldSecret(db, receiver, by)),
  }
}

/** Both posts of a test; what came of them is kept until the next test. */
async function testReceiver(ctx: ReceiverCtx, receiver: Receiver): Promise<Sendable<TestResult>> {
  const userId = await findOwnerId(ctx.db, receiver.accountId)
  const { url, status, error, ...rest } = await testWebhook({ ...ctx, now: Date.now }, receiver, userId)
  const result: TestResult = { at: new Date().toISOString(), status, fault: error, ...rest }
  await keepTest(ctx.db, receiver, { url, result })
  return result
}
