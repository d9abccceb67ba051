import type { TestResult } from '@patchbay/contract/app/webhook.ts'
import { findOwnerId } from '../accounts/store.ts'
import type { Handlers, Sendable } from '../app-api/handlers.ts'
import { requirePassword } from '../app-api/require-password.ts'
import type { Session } from '../app-api/session-store.ts'
import type { SignInThrottle } from '../app-api/sign-in-throttle.ts'
import { noteAct } from '../audit/store.ts'
import type { Dispatcher } from '../outbox/dispatcher.ts'
import type { Receiver } from '../outbox/receiver.ts'
import { Refusal } from '../platform/refusal.ts'
import {
  type EndpointCtx,
  endOldSecret,
  pauseEndpoint,
  requireEndpoint,
  rotateSecret,
  setEndpoint,
} from './endpoints/endpoints.ts'
import { findHealth, keepTest } from './endpoints/health-store.ts'
import { showWebhook, tryNow } from './endpoints/show-webhook.ts'
import { testEndpoint } from './endpoints/test-endpoint.ts'

type Ctx = EndpointCtx &
  Readonly<{
    dispatcher: Pick<Dispatcher, 'wake'>
    throttle: SignInThrottle
  }>
type Routes = Extract<keyof Handlers, `${string} /api/webhook${string}`>

/** The receiver of an account's replies. That of an agency's recharge requests is not shown here. */
export function webhookHandlers(ctx: Ctx): Pick<Handlers, Routes> {
  const { db, dispatcher } = ctx
  const show = (receiver: Receiver) => showWebhook(db, receiver)

  async function change(session: Session, work: (receiver: Receiver) => Promise<unknown>) {
    const receiver = receiverOf(session)
    await work(receiver)
    dispatcher.wake(receiver)
    return show(receiver)
  }

  return {
    'GET /api/webhook': ({ session }) => show(receiverOf(session)),
    'PUT /api/webhook': ({ session, body, by }) =>
      change(session, (receiver) => setEndpoint(ctx, receiver, { url: body.url, by })),
    'POST /api/webhook/test': ({ session }) => testReceiver(ctx, session),
    'POST /api/webhook/try': ({ session }) => change(session, (receiver) => tryNow(db, receiver)),
    'POST /api/webhook/pause': ({ session, by }) =>
      changeSaved(session, (receiver) => pauseEndpoint(db, receiver, { isPaused: true, by })),
    'POST /api/webhook/resume': ({ session, by }) =>
      changeSaved(session, (receiver) => pauseEndpoint(db, receiver, { isPaused: false, by })),
    'POST /api/webhook/secret': async ({ session, body, by }) => {
      await requirePassword(ctx, session, { password: body.password, address: by.address })
      const receiver = await requireSaved(ctx, session)
      const { secrets } = await requireEndpoint(ctx, receiver)
      await noteAct(db, session.accountId, { act: 'secret shown', ...by })
      return { secret: secrets[0] ?? '' }
    },
    'POST /api/webhook/rotate': async ({ session, body, by }) => {
      const receiver = await requireSaved(ctx, session)
      return { secret: await rotateSecret(ctx, receiver, { isLeaked: body.leaked, by }) }
    },
    'DELETE /api/webhook/old-secret': ({ session, by }) =>
      changeSaved(session, (receiver) => endOldSecret(db, receiver, by)),
  }

  function changeSaved(session: Session, work: (receiver: Receiver) => Promise<unknown>) {
    return change(session, async (receiver) => {
      await requireSaved(ctx, session)
      await work(receiver)
    })
  }
}

function receiverOf({ accountId }: Session): Receiver {
  return { accountId, kind: 'reply' }
}

/** The commands of the operator have a sentence of their own, which names a command. */
async function requireSaved({ db }: Pick<Ctx, 'db'>, session: Session): Promise<Receiver> {
  const receiver = receiverOf(session)
  if (!(await findHealth(db, receiver))) throw new Refusal('NOT_FOUND', 'No address is saved yet.')
  return receiver
}

/** Both posts of a test; what came of them is kept until the next test. */
async function testReceiver(ctx: Ctx, session: Session): Promise<Sendable<TestResult>> {
  const receiver = await requireSaved(ctx, session)
  const userId = await findOwnerId(ctx.db, session.accountId)
  const { url, status, error, ...rest } = await testEndpoint({ ...ctx, now: Date.now }, receiver, userId)
  const result: TestResult = { at: new Date().toISOString(), status, fault: error, ...rest }
  await keepTest(ctx.db, receiver, { url, result })
  return result
}
