import type { Db } from '../../platform/database/db.ts'
import { isId } from '../../platform/ids.ts'
import { Refusal } from '../../platform/refusal.ts'
import { noteBoth } from '../audit/note-both.ts'
import type { By } from '../audit/store.ts'
import type { Session } from './session-store.ts'
import { beginVisit, endVisit, findOrMakeGuest } from './visit-store.ts'

/** Opens a sub-account's app for an owner of its agency. It stands in the audit of both. */
export async function visitSubaccount(
  db: Db,
  session: Session,
  { accountId, address }: { accountId: string; address: string },
): Promise<Session> {
  if (!isId('acc', accountId)) throw unknown(accountId)
  const userId = await db.transaction().execute(async (tx) => {
    const guestId = await findOrMakeGuest(tx, session, accountId)
    if (guestId === undefined) throw unknown(accountId)
    await beginVisit(tx, session, guestId)
    await noteBoth(tx, { agencyId: session.home.accountId, accountId }, { act: 'visit began', ...by(session, address) })
    return guestId
  })
  return { ...session, accountId, kind: 'subaccount', userId, isVisiting: true }
}

export async function leaveSubaccount(db: Db, session: Session, address: string): Promise<Session> {
  const { isVisiting, accountId, home } = session
  if (!isVisiting) return session
  await db.transaction().execute(async (tx) => {
    await endVisit(tx, session)
    await noteBoth(tx, { agencyId: home.accountId, accountId }, { act: 'visit ended', ...by(session, address) })
  })
  return { ...session, ...home, kind: 'agency', isVisiting: false }
}

const by = ({ home }: Session, address: string): By => ({ actor: { kind: 'user', userId: home.userId }, address })

const unknown = (accountId: string) => new Refusal('NOT_FOUND', `You have no sub-account ${accountId}.`)
