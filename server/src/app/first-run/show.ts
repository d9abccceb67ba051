import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { hasProvider } from '@patchbay/contract/channels.ts'
import type { Sendable } from '../../business/sessions/handlers.ts'
import type { Session } from '../../business/sessions/session-store.ts'
import { listChannels as listConnected } from '../../journey/channels/store.ts'
import { listRecentAttempts, type RecentAttempt } from '../../journey/delivery/receivers/health-store.ts'
import { messageWebhook } from '../../outbox/receivers.ts'
import { findChannels, type ShownChannel } from '../../people/contacts/channel-store.ts'
import type { Db } from '../../platform/database/db.ts'
import type { AccountId } from '../../platform/ids.ts'
import { type FirstMessage, findFirst, findMade, listPassed, type RecentMessage, type Setup } from './store.ts'

type Call = Sendable<FirstRun>['calls'][number] & { at: Date }

const callsShown = 8
const attemptsLookedAt = 60

/** The steps to the first delivered reply, read from what really came and went. */
export async function showFirstRun(db: Db, session: Session): Promise<Sendable<FirstRun>> {
  const { accountId } = session
  const [made, message, reply, connected, passed, attempts] = await Promise.all([
    findMade(db, session),
    findFirst(db, accountId, { which: 'message in', over: 'custom' }),
    findFirst(db, accountId, { which: 'delivered reply', over: 'custom' }),
    listConnected(db, accountId),
    listPassed(db, accountId, callsShown),
    listRecentAttempts(db, { accountId, receiverId: messageWebhook }, attemptsLookedAt),
  ])
  // A website chat needs a page first: the steps lead to a chat on a phone.
  const channel = connected.find(({ kind }) => hasProvider(kind))
  const builtIn = channel ? await findOverBuiltIn(db, accountId) : undefined
  const labels = [message, reply, builtIn?.message, builtIn?.reply].flatMap((said) => said?.label ?? [])
  const channelOf = await findChannels(db, accountId, labels)
  return {
    names: { business: made?.businessName ?? null, user: made?.userName ?? null, timeZone: made?.timeZone ?? 'UTC' },
    key: made?.keyMadeAt ? { createdAt: made.keyMadeAt } : null,
    message: shown(message, channelOf),
    webhook: webhookOf(made, attempts),
    builtIn: {
      channelId: channel?.id ?? null,
      message: shown(builtIn?.message, channelOf),
      reply: shown(builtIn?.reply, channelOf),
    },
    taught: made?.question && made.taughtAt ? { question: made.question, at: made.taughtAt } : null,
    reply: shown(reply, channelOf),
    isHidden: made?.isHidden ?? false,
    calls: callsOf(made, passed),
  }
}

async function findOverBuiltIn(db: Db, accountId: AccountId) {
  const [message, reply] = await Promise.all([
    findFirst(db, accountId, { which: 'message in', over: 'built-in' }),
    findFirst(db, accountId, { which: 'delivered reply', over: 'built-in' }),
  ])
  return { message, reply }
}

/**
 * A test before or after which replies arrived or failed is judged by the latest of them. The address itself does not say:
 * it notes when it began to fail, and that it took a reply at most once a minute.
 */
function webhookOf(made: Setup | undefined, attempts: RecentAttempt[]): Sendable<FirstRun>['webhook'] {
  if (!made?.url || !made.savedAt) return null
  const { url, savedAt, lastTest: test, failingSince } = made
  const ofIt = attempts.filter((attempt) => attempt.url === url.split('?', 1)[0])
  const took = ofIt.find(({ category }) => category === null)
  const failed = ofIt.find(({ category }) => category !== null)
  return {
    url,
    savedAt,
    test,
    tookReplyAt: made.tookReplyAt && later(made.tookReplyAt, took?.at),
    failedAt: failingSince && later(failingSince, failed?.at),
  }
}

function later(one: Date, other: Date | undefined): Date {
  return other && other > one ? other : one
}

function shown(
  said: FirstMessage | undefined,
  channelOf: (label: string) => ShownChannel,
): Sendable<FirstRun>['message'] {
  if (!said) return null
  const { label, ...rest } = said
  return { ...rest, channel: channelOf(label) }
}

/** Calls without a key are not kept, so they are not among these. */
function callsOf(made: Setup | undefined, passed: RecentMessage[]): Call[] {
  const calls: Call[] = passed.map(({ at, direction, status, fault, isSimulated }) =>
    direction === 'incoming'
      ? { at, kind: 'message in', outcome: '200', isSimulated }
      : { at, kind: 'reply out', outcome: status === 'Failed' ? (fault ?? status) : status, isSimulated },
  )
  if (made?.keyMadeAt) calls.push({ at: made.keyMadeAt, kind: 'key made', outcome: '', isSimulated: false })
  const test = made?.lastTest
  if (test) {
    const { category, httpStatus } = test.fault ?? {}
    const outcome = test.status === 'Sent' ? 'Sent' : String(httpStatus ?? category?.replaceAll('_', ' '))
    calls.push({ at: new Date(test.at), kind: 'test post', outcome, isSimulated: false })
  }
  return calls.sort((one, other) => other.at.getTime() - one.at.getTime()).slice(0, callsShown)
}
