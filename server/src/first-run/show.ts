import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import type { Sendable } from '../app-api/handlers.ts'
import type { Session } from '../app-api/session-store.ts'
import { findChannels, type ShownChannel } from '../contacts/channel-store.ts'
import type { Db } from '../platform/database/db.ts'
import { findFirst, findMade, listPassed, type Made, type Passed, type Said } from './store.ts'

type Call = Sendable<FirstRun>['calls'][number] & { at: Date }

const callsShown = 8

/** The steps to the first delivered reply, read from what really came and went. */
export async function showFirstRun(db: Db, session: Session): Promise<Sendable<FirstRun>> {
  const { accountId } = session
  const [made, message, reply, passed] = await Promise.all([
    findMade(db, session),
    findFirst(db, accountId, 'message in'),
    findFirst(db, accountId, 'delivered reply'),
    listPassed(db, accountId, callsShown),
  ])
  const channelOf = await findChannels(
    db,
    accountId,
    [message, reply].flatMap((said) => said?.label ?? []),
  )
  return {
    key: made?.keyMadeAt ? { createdAt: made.keyMadeAt } : null,
    message: shown(message, channelOf),
    webhook: made?.url && made.savedAt ? { url: made.url, savedAt: made.savedAt, test: made.lastTest } : null,
    taught: made?.question && made.taughtAt ? { question: made.question, at: made.taughtAt } : null,
    reply: shown(reply, channelOf),
    isHidden: made?.isHidden ?? false,
    calls: callsOf(made, passed),
  }
}

function shown(said: Said | undefined, channelOf: (label: string) => ShownChannel): Sendable<FirstRun>['message'] {
  if (!said) return null
  const { label, ...rest } = said
  return { ...rest, channel: channelOf(label) }
}

/** Calls without a key are not kept, so they are not among these. */
function callsOf(made: Made | undefined, passed: Passed[]): Call[] {
  const calls: Call[] = passed.map(({ at, direction, status, fault }) =>
    direction === 'incoming'
      ? { at, kind: 'message in', outcome: '200' }
      : { at, kind: 'reply out', outcome: status === 'Failed' ? (fault ?? status) : status },
  )
  if (made?.keyMadeAt) calls.push({ at: made.keyMadeAt, kind: 'key made', outcome: '' })
  const test = made?.lastTest
  if (test) {
    const { category, httpStatus } = test.fault ?? {}
    const outcome = test.status === 'Sent' ? 'Sent' : String(httpStatus ?? category?.replaceAll('_', ' '))
    calls.push({ at: new Date(test.at), kind: 'test post', outcome })
  }
  return calls.sort((one, other) => other.at.getTime() - one.at.getTime()).slice(0, callsShown)
}
